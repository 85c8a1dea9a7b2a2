/// The members of a JSON object, in order, with unique names.
///
/// Two objects are equal if they have equal members in any order. Names are compared by bytes.
public struct JSONObject: Sendable {
  /// A member.
  public typealias Element = (name: String, value: JSONValue)

  private var members: [Element] = []
  /// The index of each name; empty while the object is small enough for a linear search, or sorted.
  private var places: [ExactName: Int] = [:]
  /// Whether the members are known to be in the order of the bytes of their names.
  private var isSorted = false

  /// The largest number of members for which a linear search is faster than hashing.
  private static let searchLimit = 8

  /// Creates an empty object.
  public init() {}

  /// Creates an object from members. A later member replaces the value of an earlier one with the same name.
  public init(_ members: some Sequence<(name: String, value: JSONValue)>) {
    for member in members { self[member.name] = member.value }
  }

  init(unique members: [Element]) {
    self.members = members
    if members.count > JSONObject.searchLimit { index() }
  }

  /// The value of the member with a name.
  ///
  /// Setting a value keeps the member's position or appends the member. Setting `nil` removes it.
  ///
  /// - Complexity: O(1); removing O(members).
  public subscript(name: String) -> JSONValue? {
    get { place(of: name).map { members[$0].value } }
    set {
      switch (place(of: name), newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil): remove(at: place)
      case (nil, let value?): append((name, value))
      case (nil, nil): break
      }
    }
  }

  /// The names of the members, in order.
  public var names: [String] { members.map(\.name) }

  package func place(of name: String) -> Int? {
    if !places.isEmpty { return places[ExactName(name)] }
    if isSorted {
      let place = sortedPlace(of: name, from: 0)
      return place < members.count && members[place].name.utf8.elementsEqual(name.utf8) ? place : nil
    }
    return members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
  }

  private mutating func append(_ member: Element) {
    members.append(member)
    isSorted = false
    if !places.isEmpty {
      places[ExactName(member.name)] = members.count - 1
    } else if members.count > JSONObject.searchLimit {
      index()
    }
  }

  private mutating func remove(at place: Int) {
    members.remove(at: place)
    places = [:]
    if members.count > JSONObject.searchLimit, !isSorted { index() }
  }

  private mutating func index() {
    places.reserveCapacity(members.count)
    for (place, member) in members.enumerated() { places[ExactName(member.name)] = place }
  }
}

extension JSONObject {
  /// Returns the object with some members set or removed, in the order of the bytes of their names.
  ///
  /// The members of this object must be in that order, and the changes too. The result needs no index of its names, which would
  /// take much longer than the changes.
  ///
  /// - Parameter changes: The new value of each member; `nil` removes it.
  /// - Complexity: O(members) to copy them once, and O(log members) for each change.
  package func applying(sorted changes: [(name: String, value: JSONValue?)]) -> JSONObject {
    var result = JSONObject()
    result.isSorted = true
    result.members.reserveCapacity(members.count + changes.count)
    var next = 0
    for (name, value) in changes {
      let place = sortedPlace(of: name, from: next)
      result.members += members[next..<place]
      if let value { result.members.append((name, value)) }
      let isReplaced = place < members.count && members[place].name.utf8.elementsEqual(name.utf8)
      next = isReplaced ? place + 1 : place
    }
    result.members += members[next...]
    return result
  }

  /// Returns the place of the first member that does not come before a name in sorted members.
  private func sortedPlace(of name: String, from start: Int) -> Int {
    var (low, high) = (start, members.count)
    while low < high {
      let middle = low + (high - low) / 2
      if members[middle].name.utf8.lexicographicallyPrecedes(name.utf8) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension JSONObject: RandomAccessCollection {
  /// The index of the first member.
  public var startIndex: Int { 0 }

  /// The index past the last member.
  public var endIndex: Int { members.count }

  /// The member at an index.
  public subscript(position: Int) -> Element { members[position] }
}

extension JSONObject: Hashable {
  /// Whether two objects have equal members in any order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.allSatisfy { right[$0.name] == $0.value }
  }

  /// Hashes the members independently of their order.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for member in members {
      var part = Hasher()
      ExactName(member.name).hash(into: &part)
      member.value.hash(into: &part)
      sum &+= part.finalize()
    }
    hasher.combine(sum)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object from a literal. A later member replaces the value of an earlier one with the same name.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (name, value) in elements { self[name] = value }
  }
}

/// A member name that is compared by bytes.
///
/// Swift compares strings by canonical equivalence; JSON, and this format, compare names by code points.
package struct ExactName: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// The difference from another name that looks the same, for a message: `"\u00e9", not "e\u0301"`.
  ///
  /// - Returns: `nil` unless the two are equal to Swift and have different bytes.
  package func difference(from other: String) -> String? {
    guard text == other, self != ExactName(other) else { return nil }
    func spelled(_ text: String) -> String {
      text.utf16.map { unit in
        if (0x20..<0x7F).contains(unit) { return String(UnicodeScalar(UInt8(unit))) }
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
    return "\"\(spelled(text))\", not \"\(spelled(other))\""
  }

  package static func == (left: ExactName, right: ExactName) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package static func < (left: ExactName, right: ExactName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { bytes in hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
    // This byte does not occur in UTF-8. It separates ["ab", "c"] from ["a", "bc"].
    hasher.combine(0xFF as UInt8)
  }
}

/// A JSON number with its exact text, which round-trips without loss.
///
/// Two numbers are equal if their texts are equal: `1` and `1.0` differ.
public struct JSONNumber: Hashable, Sendable {
  /// The digits, in the grammar of RFC 8259.
  public let text: String

  init(checked text: String) {
    self.text = text
  }

  /// Parses a number.
  ///
  /// - Returns: `nil` unless the text follows the grammar of RFC 8259.
  public init?(_ text: String) {
    guard JSONDecimal.isNumber(text) else { return nil }
    self.text = text
  }

  /// Creates a number from an integer.
  public init(_ value: some FixedWidthInteger) {
    text = String(value)
  }

  /// Creates a number from a double in the form of RFC 8785, with −0 as `-0`.
  ///
  /// - Returns: `nil` for NaN and the infinities, which JSON cannot represent.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    var bytes: [UInt8] = []
    JSONText.append(value, to: &bytes)
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// The number as an `Int`, including `1.0` and `1e2`, or `nil` if it is not exactly an `Int`.
  public var int: Int? {
    integer(Int.self)
  }

  /// The number as an integer of a type, or `nil` if it is not exactly representable, or in more than 64 bits only.
  public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    var text = text
    return text.withUTF8 { JSONDecimal($0).integer(type) }
  }

  /// The nearest double; infinite if the number is out of range.
  public var double: Double {
    var text = text
    return text.withUTF8 { JSONDecimal($0).double }
  }

  /// Whether the number has no fraction and no exponent.
  public var isInteger: Bool {
    text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
  }
}

extension JSONNumber: CustomStringConvertible {
  /// The text of the number.
  public var description: String { text }
}
