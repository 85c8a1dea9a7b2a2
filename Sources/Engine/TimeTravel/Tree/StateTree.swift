public import JSONCoding

/// A state as a tree of JSON values, which pointers address and diffs compare.
///
/// The tree is the canonical form of the state: the members of objects are sorted, a `Set` is a sorted array, and a dictionary
/// whose keys are not strings is an array of alternating keys and values. In such an array a pointer can address a value by
/// its key, too, if the key is encoded as a string (a `UUID`, for instance): `/orders/4C1D…` stays with its entry when the
/// indices of others change. An array of only strings has no keys.
public struct StateTree: Hashable, Sendable {
  /// The complete state. Members are sorted by the bytes of their names.
  public let root: JSONValue

  /// Creates a tree from a JSON value. Unsorted members are sorted.
  ///
  /// - Complexity: O(size). If the members are sorted, the storage of `value` is kept.
  public init(_ value: JSONValue) {
    self.root = MemberOrder.sorting(value)
  }

  init(inOrder root: JSONValue) {
    self.root = root
  }

  /// Creates a tree from JSON text.
  ///
  /// - Throws: `JSONError` with the first wrong byte.
  public init(parsing bytes: some Collection<UInt8>) throws(JSONError) {
    self.init(try JSONValue(parsing: bytes))
  }
}

extension StateTree: CustomStringConvertible {
  /// The state as JSON text without white space.
  public var description: String { root.description }
}

extension StateTree {
  /// Creates a tree from a state, through its canonical form.
  ///
  /// - Throws: The errors of the state's own coding, or `JSONError` if it breaks a rule of the format.
  public init(encoding state: some Encodable) throws {
    self.init(try JSONValue(parsing: StrictJSONEncoder(form: .canonical).encode(state)))
  }
}

extension StateTree {
  /// The value at a location, or `nil` if there is none.
  ///
  /// - Complexity: O(depth), and O(number of entries) for a key of a dictionary that is encoded as an array.
  public subscript(pointer: JSONPointer) -> JSONValue? {
    PointerLookup.find(pointer, in: root)
  }

  /// Returns the value at a location.
  ///
  /// - Throws: ``TimeTravelError/Code/notFound``, which names the first missing part of the pointer, the value there, and the
  ///   members that may have been meant.
  public func value(at pointer: JSONPointer) throws(TimeTravelError) -> JSONValue {
    try PointerLookup.value(at: pointer, in: root)
  }
}

/// The order of members in the canonical form: by the bytes of their names.
enum MemberOrder {
  /// Whether `left` comes before `right`; Swift orders strings differently.
  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  static func sorting(_ value: JSONValue) -> JSONValue {
    sorted(value) ?? value
  }

  /// Returns the sorted value, or `nil` if it is sorted already, so that storage is shared.
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
