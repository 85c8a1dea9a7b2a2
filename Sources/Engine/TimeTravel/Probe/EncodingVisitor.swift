import JSONCoding

/// Reads a value through its own `encode(to:)`, which reports its members, and writes nothing.
protocol EncodingVisitor: AnyObject {
  /// Whether the coding of the value does not show the locations of its parts. What was read of it is void.
  var isLost: Bool { get set }

  /// Reads the kind of the value at a depth of nested calls of `encode(to:)`.
  func begin(_ kind: ValueShape.Kind, at depth: Int)
  func visit<Value: Encodable>(_ value: Value, named name: String, at depth: Int) throws
  func visit<Value: Encodable>(_ value: Value, index: Int, at depth: Int) throws
  /// Reads the value that is encoded instead of the one at a depth.
  func visit<Value: Encodable>(replacement value: Value, at depth: Int) throws
  func container<Key: CodingKey>(keyedBy type: Key.Type, at depth: Int) -> KeyedEncodingContainer<Key>
}

/// A null that is encoded without a value.
struct EncodedNull: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

/// The encoder that a visited value encodes itself with.
struct VisitingEncoder: Encoder {
  let visitor: any EncodingVisitor
  let depth: Int

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    visitor.begin(.object, at: depth)
    return visitor.container(keyedBy: type, at: depth)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    visitor.begin(.array, at: depth)
    return VisitedElements(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { VisitedValue(encoder: self) }

  fileprivate func lost() -> VisitingEncoder {
    visitor.isLost = true
    return self
  }
}

private struct VisitedMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: VisitingEncoder

  var codingPath: [any CodingKey] { [] }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try encoder.visitor.visit(value, named: key.stringValue, at: encoder.depth)
  }
  func encodeNil(forKey key: Key) throws { try encode(EncodedNull(), forKey: key) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> { KeyedEncodingContainer(VisitedMembers<NestedKey>(encoder: encoder.lost())) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    VisitedElements(encoder: encoder.lost())
  }
  func superEncoder() -> any Encoder { encoder.lost() }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.lost() }
}

private struct VisitedElements: UnkeyedEncodingContainer {
  let encoder: VisitingEncoder
  private(set) var count = 0

  var codingPath: [any CodingKey] { [] }

  init(encoder: VisitingEncoder) { self.encoder = encoder }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try encoder.visitor.visit(value, index: count, at: encoder.depth)
    count += 1
  }
  mutating func encodeNil() throws { try encode(EncodedNull()) }

  func nestedContainer<Key: CodingKey>(keyedBy keyType: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(VisitedMembers<Key>(encoder: encoder.lost()))
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { VisitedElements(encoder: encoder.lost()) }
  func superEncoder() -> any Encoder { encoder.lost() }
}

private struct VisitedValue: SingleValueEncodingContainer {
  let encoder: VisitingEncoder

  var codingPath: [any CodingKey] { [] }

  func encode<Value: Encodable>(_ value: Value) throws {
    try encoder.visitor.visit(replacement: value, at: encoder.depth)
  }
  func encodeNil() throws { try encode(EncodedNull()) }
}

/// The container for the members of the values at one location, kept because making one takes longer than using it.
///
/// The container retains the visitor, which therefore has to drop it.
struct KeptMemberContainer {
  private var kept: (key: ObjectIdentifier, container: AnyObject)?

  mutating func container<Key: CodingKey>(
    keyedBy type: Key.Type, of visitor: some EncodingVisitor, at depth: Int
  ) -> KeyedEncodingContainer<Key> {
    if let kept, kept.key == ObjectIdentifier(type) {
      return unsafeDowncast(kept.container, to: KeptValue<KeyedEncodingContainer<Key>>.self).copy()
    }
    let container = Self.container(keyedBy: type, of: visitor, at: depth)
    kept = (ObjectIdentifier(type), KeptValue(container))
    return container
  }

  static func container<Key: CodingKey>(
    keyedBy type: Key.Type, of visitor: some EncodingVisitor, at depth: Int
  ) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(VisitedMembers<Key>(encoder: VisitingEncoder(visitor: visitor, depth: depth)))
  }
}
