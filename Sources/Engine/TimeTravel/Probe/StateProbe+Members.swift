package import JSONCoding
import Platform

/// Some members of one container of a state, in canonical order, as a list shows them.
package struct MemberPage: Hashable, Sendable {
  /// The kind of a JSON value.
  package enum Kind: String, Hashable, Sendable {
    case object, array, string, number, bool, null

    package init(_ value: JSONValue) {
      self =
        switch value {
        case .object: .object
        case .array: .array
        case .string: .string
        case .number: .number
        case .bool: .bool
        case .null: .null
        }
    }
  }

  /// A member of an object, or an element of an array.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var kind: Kind
    /// The number of members or elements of the value; `nil` for a scalar.
    package var count: Int?
    package var scalar: JSONValue?

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      kind = Kind(value)
      switch value {
      case .object(let object): count = object.count
      case .array(let elements): count = elements.count
      case .null, .bool, .number, .string: scalar = value
      }
    }

    fileprivate init(_ name: String, _ shape: ValueShape) {
      self.name = name
      kind = shape.kind
      count = shape.count
    }
  }

  /// The kind of the container; that of the value if it is a scalar.
  package var kind: Kind
  /// The number of members of the container; 0 for a scalar.
  package var count: Int
  package var offset: Int
  package var members: [Member]

  package init(kind: Kind, count: Int, offset: Int, members: [Member]) {
    self.kind = kind
    self.count = count
    self.offset = offset
    self.members = members
  }
}

extension StateProbe {
  /// Reads some members of the container at the location, without encoding what is in them.
  ///
  /// - Parameters:
  ///   - names: The names of all members, which this call returned for the container before, and which are still the same. The call
  ///     returns them, or `nil` if they are not needed for the next page.
  package func members(
    in state: State, names: inout [String]?, from offset: Int, limit: Int, around name: String? = nil
  ) throws -> MemberPage? {
    guard let value = try known(in: state) else { return nil }
    var work = 0
    let list = try value.members(names: names, counting: &work)
    names = list.names
    let first = name.flatMap(list.offset).map { found in max(0, found - limit / 2) } ?? offset
    let start = min(first, list.count)
    let range = start..<start + min(limit, list.count - start)
    return MemberPage(kind: list.kind, count: list.count, offset: first, members: try range.map(list.member))
  }
}

/// The members of a container, each read on demand.
struct MemberList {
  let kind: MemberPage.Kind
  let count: Int
  /// The names in order, if it took time to sort them.
  let names: [String]?
  let member: (Int) throws -> MemberPage.Member
  let offset: (String) -> Int?
}

extension MemberList {
  init(names: [String], member: @escaping (String) throws -> MemberPage.Member) {
    self.init(
      kind: .object, count: names.count, names: names, member: { offset in try member(names[offset]) },
      offset: { name in Self.offset(of: name, count: names.count) { index in names[index] } })
  }

  init(count: Int, element: @escaping (Int) throws -> MemberPage.Member) {
    self.init(
      kind: .array, count: count, names: nil, member: element,
      offset: { name in JSONPointer.index(of: name).flatMap { index in index < count ? index : nil } })
  }

  init(_ value: JSONValue) {
    switch value {
    case .object(let object):
      self.init(
        kind: .object, count: object.count, names: nil,
        member: { offset in MemberPage.Member(object[offset].name, object[offset].value) },
        offset: { name in Self.offset(of: name, count: object.count) { index in object[index].name } })
    case .array(let elements):
      self.init(count: elements.count) { index in MemberPage.Member(String(index), elements[index]) }
    case .null, .bool, .number, .string:
      self.init(
        kind: MemberPage.Kind(value), count: 0, names: nil,
        member: { _ in preconditionFailure("a scalar has no members") }, offset: { _ in nil })
    }
  }

  init(_ members: [(name: String, describe: (_ name: String) throws -> MemberPage.Member)]) {
    self.init(
      kind: .object, count: members.count, names: nil,
      member: { offset in try members[offset].describe(members[offset].name) },
      offset: { name in Self.offset(of: name, count: members.count) { index in members[index].name } })
  }

  /// Reads the members of a value; `nil` for a coding that cannot be followed.
  init?<Value: Encodable>(of value: Value, names: [String]?) throws {
    if let listed = value as? any ProbedCount {
      guard let list = listed.members(names: names) else { return nil }
      self = list
      return
    }
    guard let list = try MemberReader(value)?.list() else { return nil }
    self = list
  }

  /// Describes a value, whose content is encoded only if it is no container that can be followed.
  static func member(_ name: String, _ value: some Encodable) throws -> MemberPage.Member {
    if let shape = try ValueShape(of: value, lookingFor: nil) { return MemberPage.Member(name, shape) }
    return MemberPage.Member(name, try JSONValue(parsing: StrictJSONEncoder(form: .canonical).encode(value)))
  }

  private static func offset(of name: String, count: Int, _ nameAt: (Int) -> String) -> Int? {
    let offset = (0..<count).partitioningIndex { offset in !MemberOrder.precedes(nameAt(offset), name) }
    return offset < count && nameAt(offset).utf8.elementsEqual(name.utf8) ? offset : nil
  }
}

/// Sorts the names of a large container. The memory of each name is read only once, because the names are far apart.
///
/// The sort is not generic: one in generic code calls its closure and moves the names through tables, which took ten times as long.
enum SortedNames {
  static func of(_ names: some Collection<String>) -> [String] {
    sorted(names.map { name in (prefix: prefix(of: name), name: name) })
  }

  private static func sorted(_ names: [(prefix: UInt64, name: String)]) -> [String] {
    names.sorted { left, right in
      left.prefix != right.prefix ? left.prefix < right.prefix : MemberOrder.precedes(left.name, right.name)
    }.map(\.name)
  }

  /// The first eight bytes, which decide most comparisons.
  private static func prefix(of name: String) -> UInt64 {
    var (prefix, shift): (UInt64, UInt64) = (0, 64)
    for byte in name.utf8.prefix(8) {
      shift -= 8
      prefix |= UInt64(byte) << shift
    }
    return prefix
  }
}

extension KnownValue {
  func members(names: [String]?, counting work: inout Int) throws -> MemberList {
    try kept?.members(names: names) ?? MemberList(json(counting: &work))
  }

  /// The value with `null` instead of each member or element, with so many members as are compared with a mistyped name.
  func outline() throws -> JSONValue {
    var work = 0
    let list = try members(names: nil, counting: &work)
    switch list.kind {
    case .object:
      let count = min(list.count, NameSuggestion.candidateLimit)
      let names = try (0..<count).map { offset in try list.names?[offset] ?? list.member(offset).name }
      return .object(JSONObject(names.map { name in (name: name, value: .null) }))
    case .array: return .array(Array(repeating: .null, count: list.count))
    default: return try json(counting: &work)
    }
  }
}

/// Collects what a value encodes on its outermost level.
private final class MemberReader: EncodingVisitor {
  typealias Describe = (_ name: String) throws -> MemberPage.Member

  private var named: [(name: String, describe: Describe)] = []
  private var elements: [Describe] = []
  private var kind: MemberPage.Kind?
  /// Reads the value that is encoded instead.
  private var inner: (shape: (_ name: String?) throws -> ValueShape?, list: () throws -> MemberList?)?
  var isLost = false

  /// Reads a value; `nil` for a coding that cannot be followed.
  init?<Value: Encodable>(_ value: Value) throws {
    guard ProbeStep(Value.self).isPlain else { return nil }
    try value.encode(to: VisitingEncoder(visitor: self, depth: 0))
    if isLost { return nil }
  }

  func begin(_ kind: MemberPage.Kind, at depth: Int) {
    // A value with two kinds of containers has no single shape.
    if self.kind != nil, self.kind != kind { isLost = true }
    self.kind = kind
  }

  func visit<Value: Encodable>(_ value: Value, named name: String, at depth: Int) {
    named.append((name, { name in try MemberList.member(name, value) }))
  }

  func visit<Value: Encodable>(_ value: Value, index: Int, at depth: Int) {
    elements.append { name in try MemberList.member(name, value) }
  }

  func visit<Value: Encodable>(replacement value: Value, at depth: Int) {
    inner = ({ name in try ValueShape(of: value, lookingFor: name) }, { try MemberList(of: value, names: nil) })
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type, at depth: Int) -> KeyedEncodingContainer<Key> {
    KeptMemberContainer.container(keyedBy: type, of: self, at: depth)
  }

  func shape(lookingFor wanted: String?) throws -> ValueShape? {
    if let inner { return try inner.shape(wanted) }
    return kind.map { kind in
      ValueShape(
        kind: kind, count: kind == .object ? named.count : elements.count,
        hasMember: wanted.map { wanted in named.contains { member in member.name.utf8.elementsEqual(wanted.utf8) } }
          ?? false)
    }
  }

  func list() throws -> MemberList? {
    if let inner { return try inner.list() }
    switch kind {
    case .object:
      let sorted = named.sorted { left, right in MemberOrder.precedes(left.name, right.name) }
      // Two members of one name are an error of the coding, which the complete encoding reports.
      let isUnique = zip(sorted, sorted.dropFirst()).allSatisfy { member, next in member.name != next.name }
      guard isUnique else { return nil }
      return MemberList(sorted)
    case .array:
      return MemberList(count: elements.count) { [elements] index in try elements[index](String(index)) }
    default: return nil
    }
  }
}

/// The kind and size of an array or an object, found without encoding its parts.
struct ValueShape {
  let kind: MemberPage.Kind
  let count: Int
  let hasMember: Bool
}

extension ValueShape {
  /// Reads a value; `nil` for a scalar, and for a coding that cannot be followed.
  init?<Value: Encodable>(of value: Value, lookingFor name: String?) throws {
    if let counted = value as? any ProbedCount {
      self.init(
        kind: counted.isEncodedAsObject ? .object : .array, count: counted.encodedCount,
        hasMember: name.map(counted.hasMember) ?? false)
    } else {
      guard let shape = try MemberReader(value)?.shape(lookingFor: name) else { return nil }
      self = shape
    }
  }
}
