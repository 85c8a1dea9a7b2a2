public import JSONCoding

/// A state as a tree of JSON values: what pointers address, what is compared, what the user reads.
///
/// The tree is the canonical form of the state: the members of all objects are sorted, a `Set` is a sorted array, a dictionary whose
/// keys are not like strings is an array of alternating keys and values. A pointer addresses that form. In such an array it can
/// address a value by its key, too, if the key is a string there (a `UUID`, for instance): `/orders/4C1D…` stays with its entry when
/// the indices of others change. An array of nothing but strings has no keys.
public struct StateTree: Hashable, Sendable {
  /// The whole state. The members of all objects stand in order of the bytes of their names.
  public let root: JSONValue

  /// Makes a tree from a JSON value; members that are not in order are sorted.
  ///
  /// - Complexity: O(size) when they are in order already, which keeps the storage of `value`.
  public init(_ value: JSONValue) {
    self.root = MemberOrder.sorting(value)
  }

  /// Makes a tree from JSON text.
  ///
  /// - Throws: `JSONError` with the first byte that is wrong.
  /// - Complexity: O(size).
  public init(parsing bytes: some Collection<UInt8>) throws(JSONError) {
    self.init(try JSONValue(parsing: bytes))
  }
}

extension StateTree: CustomStringConvertible {
  /// The state as JSON text without white space.
  public var description: String { root.description }
}

extension StateTree {
  /// Makes a tree from a state, through its canonical form.
  ///
  /// - Throws: The errors of the state's own coding, or `JSONError` when it breaks a rule of the format.
  /// - Complexity: O(size of the state).
  public init(encoding state: some Encodable) throws {
    self.init(try JSONValue(parsing: StrictJSONEncoder(form: .canonical).encode(state)))
  }
}

extension StateTree {
  /// The value at a place, or `nil` if there is none.
  ///
  /// - Complexity: O(depth), and O(number of entries) for a key of a dictionary that is encoded as an array.
  public subscript(pointer: JSONPointer) -> JSONValue? {
    PointerLookup.find(pointer, in: root)
  }

  /// The value at a place.
  ///
  /// - Throws: ``TimeTravelError/Code/notFound``, which names the first part of the pointer that is missing, what is
  ///   there instead, and the member that may have been meant.
  /// - Complexity: O(depth).
  public func value(at pointer: JSONPointer) throws(TimeTravelError) -> JSONValue {
    try PointerLookup.value(at: pointer, in: root, followsKeys: true)
  }

  /// The part of the tree at a place, as a tree of its own.
  ///
  /// - Throws: ``TimeTravelError/Code/notFound``, as ``value(at:)`` does.
  /// - Complexity: O(size of the part).
  public func subtree(at pointer: JSONPointer) throws(TimeTravelError) -> StateTree {
    StateTree(try value(at: pointer))
  }

  /// The places of the tree from top to bottom, a container before what it holds.
  ///
  /// - Parameters:
  ///   - pointer: Where to begin; the place itself is part of the list.
  ///   - leavesOnly: Whether containers that hold something are left out.
  ///   - limit: The length of the longest list that is wanted.
  /// - Throws: ``TimeTravelError/Code/notFound`` when nothing lies at `pointer`.
  /// - Complexity: O(length of the list · depth).
  public func paths(
    below pointer: JSONPointer = .root, leavesOnly: Bool = false, limit: Int = .max
  ) throws(TimeTravelError) -> [JSONPointer] {
    var found: [JSONPointer] = []
    collect(pointer, try value(at: pointer), leavesOnly: leavesOnly, limit: limit, into: &found)
    return found
  }

  private func collect(
    _ pointer: JSONPointer, _ value: JSONValue, leavesOnly: Bool, limit: Int, into found: inout [JSONPointer]
  ) {
    guard found.count < limit else { return }
    if !leavesOnly || value.isLeaf { found.append(pointer) }
    switch value {
    case .null, .bool, .number, .string: break
    case .array(let elements):
      for (index, element) in elements.enumerated() where found.count < limit {
        collect(pointer.appending(index), element, leavesOnly: leavesOnly, limit: limit, into: &found)
      }
    case .object(let object):
      for (name, member) in object where found.count < limit {
        collect(pointer.appending(name), member, leavesOnly: leavesOnly, limit: limit, into: &found)
      }
    }
  }
}

extension JSONValue {
  /// Whether no pointer leads further than to this value.
  fileprivate var isLeaf: Bool {
    switch self {
    case .null, .bool, .number, .string: true
    case .array(let elements): elements.isEmpty
    case .object(let object): object.isEmpty
    }
  }
}

/// The order of members in the canonical form: by the bytes of their names.
enum MemberOrder {
  /// Whether `left` comes before `right`; Swift's own order of strings is another one.
  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// Returns the value with the members of all objects in order.
  static func sorting(_ value: JSONValue) -> JSONValue {
    sorted(value) ?? value
  }

  /// Returns the sorted value, or `nil` when it is in order already, so that storage is kept and shared.
  private static func sorted(_ value: JSONValue) -> JSONValue? {
    switch value {
    case .null, .bool, .number, .string: nil
    case .array(let elements): sorted(elements).map(JSONValue.array)
    case .object(let object): sorted(object).map(JSONValue.object)
    }
  }

  private static func sorted(_ elements: [JSONValue]) -> [JSONValue]? {
    var result: [JSONValue]?
    for (index, element) in elements.enumerated() {
      guard let element = sorted(element) else { continue }
      result = result ?? elements
      result?[index] = element
    }
    return result
  }

  private static func sorted(_ object: JSONObject) -> JSONObject? {
    let isInOrder = zip(object, object.dropFirst()).allSatisfy { member, next in precedes(member.name, next.name) }
    let values = object.map { member in sorted(member.value) }
    if isInOrder, values.allSatisfy({ value in value == nil }) { return nil }
    var members = zip(object, values).map { member, value in (name: member.name, value: value ?? member.value) }
    if !isInOrder { members.sort { left, right in precedes(left.name, right.name) } }
    return JSONObject(members)
  }
}
