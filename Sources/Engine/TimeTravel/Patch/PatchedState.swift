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
      self = .array(try elements.map { element throws(PatchFault) in try Self(element, depth: depth + 1) })
    case .object(let object):
      try Self.check(depth)
      var builder = TreeDictionary<String, Self>.Builder(minimumCapacity: object.count)
      for (name, value) in object { builder.append(name, try Self(value, depth: depth + 1)) }
      guard let members = builder.finish() else {
        throw PatchFault("two members of an object have one name in different normal forms of Unicode")
      }
      self = .object(members)
    }
  }

  private static func check(_ depth: Int) throws(PatchFault) {
    guard depth < depthLimit else { throw PatchFault("the state would be nested deeper than \(depthLimit)") }
  }

  /// Checks that the value may be at a depth, and returns its size as JSON.
  private func sizeBytes(at depth: Int) throws(PatchFault) -> Int {
    do { return try StrictJSONEncoder(maximumDepth: Self.depthLimit - depth).encode(self).count } catch {
      throw PatchFault("the state would be nested deeper than \(Self.depthLimit)")
    }
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
    case .add(let path, let value):
      try edit(path.tokens[...], to: Self(value, depth: path.tokens.count), isNew: true)
    case .replace(let path, let value): try edit(path.tokens[...], to: Self(value, depth: path.tokens.count))
    case .remove(let path): try edit(path.tokens[...], to: nil)
    case .move(let from, let path):
      if path.tokens.count > from.tokens.count {
        guard JSONPointer(Array(path.tokens.prefix(from.tokens.count))) != from else {
          throw PatchFault("a value cannot be moved into itself")
        }
        _ = try value(at: from).sizeBytes(at: path.tokens.count)
      }
      if from == path {
        _ = try value(at: from)
      } else {
        try edit(path.tokens[...], to: edit(from.tokens[...], to: nil), isNew: true)
      }
    case .copy(let from, let path):
      let copied = try value(at: from)
      bytesLeft -= try copied.sizeBytes(at: path.tokens.count)
      guard bytesLeft >= 0 else {
        throw PatchFault("the copies of one action have more than \(Self.copyLimitBytes) bytes")
      }
      try edit(path.tokens[...], to: copied, isNew: true)
    case .test(let path, let expected):
      let found = try value(at: path)
      guard found.isEqual(to: expected) else {
        throw PatchFault("the value is not \(JSONPointer.excerpt(of: expected.description))")
      }
    }
  }

  /// Sets or removes the value at a path, and returns the removed one.
  ///
  /// While a container is edited this value is `null`, so that the container has one reference and is not copied.
  ///
  /// - Parameter isNew: Whether a member or an element is added.
  @discardableResult
  private mutating func edit(
    _ path: ArraySlice<String>, to new: Self?, isNew: Bool = false
  ) throws(PatchFault) -> Self? {
    guard let token = path.first else {
      guard let new else { throw PatchFault("the complete state cannot be removed") }
      self = new
      return nil
    }
    let rest = path.dropFirst()
    let isNewHere = isNew && rest.isEmpty
    switch self {
    case .scalar: throw PatchFault("there is no object or array that contains \(Self.quoted(token))")
    case .object(var members):
      self = .scalar(.null)
      defer { self = .object(members) }
      guard try Self.has(token, members) || isNewHere else { throw Self.missing(token) }
      if !rest.isEmpty { return try members[token, default: .scalar(.null)].edit(rest, to: new, isNew: isNew) }
      guard let new else { return members.removeValue(forKey: token) }
      members[token] = new
    case .array(var elements):
      self = .scalar(.null)
      defer { self = .array(elements) }
      let index = try Self.index(token, in: elements, isNew: isNewHere)
      if !rest.isEmpty { return try elements[index].edit(rest, to: new, isNew: isNew) }
      guard let new else { return elements.remove(at: index) }
      if isNew { elements.insert(new, at: index) } else { elements[index] = new }
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
    let (patch, whole) = (JSONPatch(operations), JSONPatch([.replace(path: .root, value: next)]))
    if operations.count <= Self.shortPatchCount { return patch }
    let isShort = operations.count <= JSONPatch.operationLimit && patch.bytes().count < whole.bytes().count
    return isShort ? patch : whole
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
      do {
        let diff = StateDiff(from: try StateTree(encoding: own), to: StateTree(next))
        // A name may be replaced by one that Swift considers equal.
        var edited = self
        try edited.apply(diff.jsonPatch())
        operations += diff.jsonPatch(of: place).operations
      } catch {
        operations.append(.replace(path: place, value: next))
      }
    default:
      if !isEqual(to: next) { operations.append(.replace(path: place, value: next)) }
    }
  }
}
