/// The decoder that a value receives to decode itself. It is also its single-value container.
struct SlotDecoder: Decoder {
  let owner: DecodingOwner
  let index: Int
  let depth: Int

  var document: DecodingDocument {
    @inline(__always) get { owner.document }
  }

  var codingPath: [any CodingKey] { document.codingPath(index) }

  var userInfo: [CodingUserInfoKey: Any] { owner.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try document.container(keyedBy: type, index, depth: depth)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try UnkeyedDecoding(document: document, value: index, depth: depth)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension SlotDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { document.kind(index) == .null }

  /// Also the witness of the requirements for `Int`, `String` and similar types, specialized for each.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try document.decode(type, index, depth: depth)
  }
}
