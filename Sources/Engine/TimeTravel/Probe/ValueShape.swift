import JSONCoding
import TreeCollections

/// The outermost level of a value: an object or an array, and its number of members or elements.
///
/// An encoder that writes nothing counts the members or elements.
struct ValueShape {
  let kinds: ValueKinds
  let count: Int
  /// Whether an object has the requested member.
  let hasMember: Bool

  /// Reads the shape of a value; `nil` for other values, and for a coding that cannot be followed.
  ///
  /// - Throws: The errors of the value's own coding.
  /// - Complexity: O(number of members); O(1) for ``ProbedCount``.
  init?<Value: Encodable>(of value: Value, lookingFor name: String?) throws {
    if let counted = value as? any ProbedCount {
      kinds = counted.isEncodedAsObject ? .object : .array
      count = counted.encodedCount
      hasMember = name.map(counted.hasMember) ?? false
      return
    }
    guard ProbeStep(Value.self).isPlain else { return nil }
    let reader = ShapeReader(lookingFor: name)
    try value.encode(to: ShapeEncoder(reader: reader))
    guard let shape = reader.shape else { return nil }
    self = shape
  }

  fileprivate init(kinds: ValueKinds, count: Int, hasMember: Bool) {
    (self.kinds, self.count, self.hasMember) = (kinds, count, hasMember)
  }
}

/// Counts what a value encodes on its outermost level.
private final class ShapeReader {
  private let name: String?
  private var kinds: ValueKinds?
  private var count = 0
  private var hasMember = false
  /// The shape of the value that is encoded instead.
  private var inner: ValueShape?
  var isLost = false

  init(lookingFor name: String?) { self.name = name }

  var shape: ValueShape? {
    if isLost { return nil }
    return inner ?? kinds.map { kinds in ValueShape(kinds: kinds, count: count, hasMember: hasMember) }
  }

  func open(_ kind: ValueKinds) {
    // A value with two kinds of containers has no single shape.
    if kinds != nil, kinds != kind { isLost = true }
    kinds = kind
  }

  func add(_ name: String?) {
    count += 1
    if let name, let wanted = self.name, name.utf8.elementsEqual(wanted.utf8) { hasMember = true }
  }

  func replace<Value: Encodable>(by value: Value) throws {
    inner = try ValueShape(of: value, lookingFor: name)
    if inner == nil { isLost = true }
  }
}

private struct ShapeEncoder: Encoder {
  let reader: ShapeReader

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    reader.open(.object)
    return KeyedEncodingContainer(ShapeKeyedContainer<Key>(reader: reader))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    reader.open(.array)
    return ShapeUnkeyedContainer(reader: reader)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { ShapeSingleValueContainer(reader: reader) }
}

private struct ShapeKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let reader: ShapeReader
  var codingPath: [any CodingKey] { [] }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) { reader.add(key.stringValue) }
  mutating func encodeNil(forKey key: Key) { reader.add(key.stringValue) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    reader.add(key.stringValue)
    return KeyedEncodingContainer(ShapeKeyedContainer<NestedKey>(reader: ShapeReader(lookingFor: nil)))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    reader.add(key.stringValue)
    return ShapeUnkeyedContainer(reader: ShapeReader(lookingFor: nil))
  }

  mutating func superEncoder() -> any Encoder {
    reader.isLost = true
    return ShapeEncoder(reader: ShapeReader(lookingFor: nil))
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

private struct ShapeUnkeyedContainer: UnkeyedEncodingContainer {
  let reader: ShapeReader
  private(set) var count = 0
  var codingPath: [any CodingKey] { [] }

  init(reader: ShapeReader) { self.reader = reader }

  private mutating func add() {
    reader.add(nil)
    count += 1
  }

  mutating func encode<Value: Encodable>(_ value: Value) { add() }
  mutating func encodeNil() { add() }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    add()
    return KeyedEncodingContainer(ShapeKeyedContainer<NestedKey>(reader: ShapeReader(lookingFor: nil)))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    add()
    return ShapeUnkeyedContainer(reader: ShapeReader(lookingFor: nil))
  }

  mutating func superEncoder() -> any Encoder {
    reader.isLost = true
    return ShapeEncoder(reader: ShapeReader(lookingFor: nil))
  }
}

private struct ShapeSingleValueContainer: SingleValueEncodingContainer {
  let reader: ShapeReader
  var codingPath: [any CodingKey] { [] }

  mutating func encode<Value: Encodable>(_ value: Value) throws { try reader.replace(by: value) }
  mutating func encodeNil() { reader.isLost = true }
}
