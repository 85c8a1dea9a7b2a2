/// The members of an object that is being decoded.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// The object and its depth.
  let frame: ContainerFrame<DecodingDocument>

  var document: DecodingDocument {
    @inline(__always) get { frame.coding }
  }

  private var object: Int {
    @inline(__always) get { frame.first }
  }

  var codingPath: [any CodingKey] { document.codingPath(object) }

  var allKeys: [Key] {
    let (document, object) = (document, object)
    if document.token(object + 1).value == 1 {
      let name = document.token(object + 2)
      if name.kind == .string { return frame.keyLists.pointee.keys(name, document.text, Key.self) }
    }
    return document.names(of: object).compactMap { Key(stringValue: $0) }
  }

  func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }

  @inline(__always)
  private func find(_ name: String) -> Int? {
    document.member(name, of: object, depth: frame.second)
  }

  @inline(__always)
  func value(_ key: Key) throws -> Int {
    guard let value = find(key.stringValue) else { throw document.missing(key, in: object) }
    return value
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    document.kind(try value(key)) == .null
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try document.decodeString(value(key))
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try document.decodeInteger(type, value(key))
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try document.decodeBool(value(key))
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try document.decodeDouble(value(key))
  }

  /// Also the witness of the requirements for other numbers, specialized for each.
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try document.decodeAny(type, value(key), depth: frame.second + 1)
  }

  /// Also the witness of the requirements for `Int`, `String` and similar types, specialized for each.
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let value = find(key.stringValue), document.kind(value) != .null else { return nil }
    return try document.decodeAny(type, value, depth: frame.second + 1)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try document.container(keyedBy: type, value(key), depth: frame.second + 1)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try UnkeyedDecoding(document: document, value: value(key), depth: frame.second + 1)
  }

  func superDecoder() throws -> any Decoder {
    superDecoder(JSONCodingKey.super.stringValue)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    superDecoder(key.stringValue)
  }

  /// A missing member reads as `null`, as in Foundation's decoder.
  private func superDecoder(_ name: String) -> SlotDecoder {
    SlotDecoder(owner: document.owner, index: find(name) ?? DecodingDocument.absent, depth: frame.second + 1)
  }
}
