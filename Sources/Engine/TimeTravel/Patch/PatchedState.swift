import ActionLog
public import JSONCoding
import Platform
public import TreeCollections

extension PatchedModel {
  /// A JSON value whose objects share what an action does not change with the state before it.
  ///
  /// Two names that Swift considers equal, such as `é` in two normal forms, cannot be members of one object.
  public enum State: Equatable, Sendable {
    /// `null`, a Boolean, a number or a string.
    case scalar(JSONValue)
    /// An array. An action that changes an element copies the array if another state has it, too.
    case array([State])
    /// An object.
    case object(TreeDictionary<String, State>)
  }
}

extension PatchedModel.State: Codable {
  /// Writes the JSON value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .scalar(let value): try container.encode(value)
    case .array(let elements): try container.encode(elements)
    case .object(let members): try container.encode(members)
    }
  }

  /// Reads a JSON value.
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(JSONValue.self))
  }
}

// MARK: - Limits

extension PatchedModel.State {
  /// The deepest nesting of a state. A line of the log has room for it and for the patch, the data and the line around it.
  static let depthLimit = LogFormat.depthLimit - 8

  /// The bytes of all values that one action copies: what the longest line could add. Otherwise each copy could double the state.
  static let copyLimitBytes = LogFormat.lineLimitBytes

  /// Creates a state from a JSON value.
  ///
  /// - Parameter depth: The number of containers around it.
  init(_ value: JSONValue, depth: Int = 0) throws(PatchFault) {
    switch value {
    case .null, .bool, .string: self = .scalar(value)
    case .number(let number):
      guard number.double.isFinite else {
        throw PatchFault(
          "the number \(JSONPointer.excerpt(of: number.text)) is out of range: other readers make it infinite")
      }
      self = .scalar(value)
    case .array(let elements):
      try Self.check(depth)
      var states: [Self] = []
      states.reserveCapacity(elements.count)
      for element in elements { states.append(try Self(element, depth: depth + 1)) }
      self = .array(states)
    case .object(let object):
      try Self.check(depth)
      var builder = TreeDictionary<String, Self>.Builder(minimumCapacity: object.count)
      for (name, value) in object { builder.append(name, try Self(value, depth: depth + 1)) }
      guard let members = builder.finish() else { throw Self.ambiguity(in: object) }
      self = .object(members)
    }
  }

  private static func check(_ depth: Int) throws(PatchFault) {
    guard depth < depthLimit else { throw PatchFault("the state would be nested deeper than \(depthLimit)") }
  }

  private static func ambiguity(in object: JSONObject) -> PatchFault {
    var seen: Set<String> = []
    let name = object.names.first { name in !seen.insert(name).inserted }
    return PatchFault("two members have the name \(quoted(name ?? "")), in different normal forms of Unicode")
  }

  /// Checks that a copy of the value may be at a depth, and subtracts its size from the bytes that are left.
  private func check(at depth: Int, leaving bytes: inout Int) throws(PatchFault) {
    bytes -= 1
    switch self {
    case .scalar(.string(let text)): bytes -= text.utf8.count
    case .scalar(.number(let number)): bytes -= number.text.utf8.count
    case .scalar: break
    case .array(let elements):
      try Self.check(depth)
      for element in elements { try element.check(at: depth + 1, leaving: &bytes) }
    case .object(let members):
      try Self.check(depth)
      for (name, value) in members {
        bytes -= name.utf8.count
        try value.check(at: depth + 1, leaving: &bytes)
      }
    }
    guard bytes >= 0 else { throw PatchFault("the copies of one action have more than \(Self.copyLimitBytes) bytes") }
  }
}

// MARK: - Patches

extension PatchedModel.State {
  /// Applies the operations of a patch, in place. Only the containers on their paths are touched.
  ///
  /// After an error the state is between the two.
  mutating func apply(_ patch: JSONPatch) throws(PatchFault) {
    var bytesLeft = Self.copyLimitBytes
    for (index, operation) in patch.operations.enumerated() {
      do throws(PatchFault) { try apply(operation, copying: &bytesLeft) } catch {
        throw PatchFault("operation \(index) (\(operation.summary)): \(error)")
      }
    }
  }

  private mutating func apply(_ operation: JSONPatch.Operation, copying bytesLeft: inout Int) throws(PatchFault) {
    switch operation {
    case .add(let path, let value): try add(Self(value, depth: path.tokens.count), at: path)
    case .replace(let path, let value):
      _ = try edit(path.tokens[...], .replace(Self(value, depth: path.tokens.count)))
    case .remove(let path): _ = try edit(path.tokens[...], .remove)
    case .move(let from, let path):
      let isDeeper = path.tokens.count > from.tokens.count
      guard !isDeeper || JSONPointer(Array(path.tokens.prefix(from.tokens.count))) != from else {
        throw PatchFault("a value cannot be moved into itself")
      }
      if isDeeper {
        var unlimited = Int.max
        try value(at: from).check(at: path.tokens.count, leaving: &unlimited)
      }
      if from == path {
        _ = try value(at: from)
      } else if let moved = try edit(from.tokens[...], .remove) {
        try add(moved, at: path)
      }
    case .copy(let from, let path):
      let copied = try value(at: from)
      try copied.check(at: path.tokens.count, leaving: &bytesLeft)
      try add(copied, at: path)
    case .test(let path, let expected):
      let found = try value(at: path)
      guard found.isEqual(to: expected) else {
        throw PatchFault("the value is not \(JSONPointer.excerpt(of: expected.description))")
      }
    }
  }

  private mutating func add(_ value: Self, at path: JSONPointer) throws(PatchFault) {
    _ = try edit(path.tokens[...], .add(value))
  }

  private enum Edit {
    case add(PatchedModel.State)
    case replace(PatchedModel.State)
    case remove
  }

  /// Edits the value at a path, and returns the removed one.
  ///
  /// While a container is edited this value is `null`, so that the container has one reference and is not copied.
  private mutating func edit(_ path: ArraySlice<String>, _ edit: Edit) throws(PatchFault) -> Self? {
    guard let token = path.first else {
      switch edit {
      case .add(let value), .replace(let value): self = value
      case .remove: throw PatchFault("the complete state cannot be removed")
      }
      return nil
    }
    let rest = path.dropFirst()
    var isNew = false
    if rest.isEmpty, case .add = edit { isNew = true }
    switch self {
    case .scalar: throw PatchFault("there is no object or array that contains \(Self.quoted(token))")
    case .object(var members):
      self = .scalar(.null)
      defer { self = .object(members) }
      guard try Self.has(token, members) || isNew else { throw Self.missing(token) }
      guard rest.isEmpty else { return try members[token, default: .scalar(.null)].edit(rest, edit) }
      switch edit {
      case .add(let value), .replace(let value): members[token] = value
      case .remove: return members.removeValue(forKey: token)
      }
    case .array(var elements):
      self = .scalar(.null)
      defer { self = .array(elements) }
      let index = try Self.index(token, in: elements, isNew: isNew)
      guard rest.isEmpty else { return try elements[index].edit(rest, edit) }
      switch edit {
      case .add(let value): elements.insert(value, at: index)
      case .replace(let value): elements[index] = value
      case .remove: return elements.remove(at: index)
      }
    }
    return nil
  }
}

// MARK: - Lookup

extension PatchedModel.State {
  private func value(at pointer: JSONPointer) throws(PatchFault) -> Self {
    var value = self
    for token in pointer.tokens {
      switch value {
      case .scalar: throw PatchFault("there is no object or array that contains \(Self.quoted(token))")
      case .object(let members):
        guard try Self.has(token, members), let member = members[token] else { throw Self.missing(token) }
        value = member
      case .array(let elements): value = elements[try Self.index(token, in: elements)]
      }
    }
    return value
  }

  /// Whether an object has a member. A name that only Swift considers equal to it is an error.
  private static func has(_ name: String, _ members: TreeDictionary<String, Self>) throws(PatchFault) -> Bool {
    var other: String?
    var isThere = false
    members.withPlace(of: name) { key, _ in
      isThere = key.utf8.elementsEqual(name.utf8)
      if !isThere { other = key }
    }
    guard let other else { return isThere }
    throw PatchFault("the object has the member \(ExactName(other).difference(from: name) ?? quoted(other))")
  }

  /// The index of an element, or of a new one, which can follow the others.
  private static func index(_ token: String, in elements: [Self], isNew: Bool = false) throws(PatchFault) -> Int {
    if isNew, token == "-" { return elements.count }
    guard let index = JSONPointer.index(of: token), index < elements.count + (isNew ? 1 : 0) else {
      throw PatchFault("\(quoted(token)) is not a position in the array of length \(elements.count)")
    }
    return index
  }

  private static func missing(_ name: String) -> PatchFault { PatchFault("the object has no member \(quoted(name))") }

  private static func quoted(_ name: String) -> String { EscapedText.quoting(JSONPointer.excerpt(of: name)) }

  /// Whether the value is the same JSON. Numbers are compared by value.
  private func isEqual(to json: JSONValue) -> Bool {
    switch (self, json) {
    case (.scalar(.number(let own)), .number(let other)):
      return own == other || (own.int != nil && own.int == other.int)
        || (!(own.isInteger && other.isInteger) && own.double == other.double)
    case (.scalar(let value), _): return value == json
    case (.array(let own), .array(let others)):
      return own.count == others.count && zip(own, others).allSatisfy { own, other in own.isEqual(to: other) }
    case (.object(let own), .object(let others)):
      return own.count == others.count
        && others.allSatisfy { name, other in own.hasMember(named: name) && own[name]?.isEqual(to: other) == true }
    default: return false
    }
  }
}

// MARK: - Other effects

extension PatchedModel.State {
  /// Applies a merge patch (RFC 7396), in place.
  mutating func merge(_ changes: JSONValue, depth: Int = 0) throws(PatchFault) {
    guard case .object(let changes) = changes else {
      self = try Self(changes, depth: depth)
      return
    }
    try Self.check(depth)
    var members: TreeDictionary<String, Self> = TreeDictionary()
    if case .object(let own) = self { members = own }
    self = .scalar(.null)
    defer { self = .object(members) }
    for (name, change) in changes {
      let isThere = try Self.has(name, members)
      if change != .null {
        try members[name, default: .scalar(.null)].merge(change, depth: depth + 1)
      } else if isThere {
        members[name] = nil
      }
    }
  }

  /// Returns the patch that leads to another state. Members of objects are compared one by one, and arrays are aligned.
  func patch(to next: JSONValue) -> JSONPatch {
    var operations: [JSONPatch.Operation] = []
    appendPatch(to: next, at: .root, &operations)
    let patch = JSONPatch(operations)
    let whole = JSONPatch([.replace(path: .root, value: next)])
    guard operations.count <= JSONPatch.operationLimit else { return whole }
    guard operations.count > Self.shortPatchCount else { return patch }
    return patch.bytes().count < whole.bytes().count ? patch : whole
  }

  /// A patch of so few operations is not compared with a patch that replaces the state, which takes as long as writing it.
  private static let shortPatchCount = 64

  private func appendPatch(to next: JSONValue, at place: JSONPointer, _ operations: inout [JSONPatch.Operation]) {
    switch (self, next) {
    case (.object(let own), .object(let others)):
      // Names that only Swift considers equal are removed before the others are added.
      let removed = own.keys.filter { name in others[name] == nil }.sorted(by: MemberOrder.precedes)
      operations += removed.map { name in .remove(path: place.appending(name)) }
      for (name, other) in others {
        if own.hasMember(named: name), let value = own[name] {
          value.appendPatch(to: other, at: place.appending(name), &operations)
        } else {
          operations.append(.add(path: place.appending(name), value: other))
        }
      }
    case (.array(let own), .array) where !isEqual(to: next):
      let edits = StateDiff(from: StateTree(.array(own.map(\.json))), to: StateTree(next)).jsonPatch()
      var edited = self
      do { try edited.apply(edits) } catch {
        // A name was replaced by one that Swift considers equal.
        return operations.append(.replace(path: place, value: next))
      }
      operations += edits.operations.map { operation in operation.below(place) }
    default:
      if !isEqual(to: next) { operations.append(.replace(path: place, value: next)) }
    }
  }

  /// The value without shared structure.
  private var json: JSONValue {
    switch self {
    case .scalar(let value): value
    case .array(let elements): .array(elements.map(\.json))
    case .object(let members): .object(JSONObject(members.map { name, value in (name: name, value: value.json) }))
    }
  }
}
