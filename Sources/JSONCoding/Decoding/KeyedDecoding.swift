/// The members of an object that is being decoded.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let document: DecodingDocument
  let object: Int
  let depth: Int

  init(document: DecodingDocument, value: Int, depth: Int) throws {
    guard document.kind(value) == .object else {
      throw document.mismatch(value, [String: Any].self, "an object")
    }
    self.document = document
    object = value
    self.depth = depth
  }

  var codingPath: [any CodingKey] { document.codingPath(object) }

  var allKeys: [Key] { document.names(of: object).compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }

  private func find(_ name: String) -> Int? {
    document.member(name, of: object, depth: depth)
  }

  private func value(_ key: Key) throws -> Int {
    guard let value = find(key.stringValue) else { throw document.missing(key, in: object) }
    return value
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    document.kind(try value(key)) == .null
  }

  /// Also meets the requirements for `Int`, `String` and the like, each specialised.
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try document.decode(type, value(key), depth: depth + 1)
  }

  /// Also meets the requirements for `Int`, `String` and the like, each specialised.
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let value = find(key.stringValue), document.kind(value) != .null else { return nil }
    return try document.decode(type, value, depth: depth + 1)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    KeyedDecodingContainer(try KeyedDecoding<NestedKey>(document: document, value: value(key), depth: depth + 1))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try UnkeyedDecoding(document: document, value: value(key), depth: depth + 1)
  }

  func superDecoder() throws -> any Decoder {
    superDecoder(JSONCodingKey.super.stringValue)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    superDecoder(key.stringValue)
  }

  /// A member that is missing reads as `null`, as Foundation's decoder has it.
  private func superDecoder(_ name: String) -> SlotDecoder {
    SlotDecoder(document: document, index: find(name) ?? DecodingDocument.absent, depth: depth + 1)
  }
}
