/// The members of an object that is being encoded.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  /// The node of the object.
  let frame: ContainerFrame<EncodingState>

  var state: EncodingState {
    @inline(__always) get { frame.coding }
  }

  var handle: EncodingHandle {
    @inline(__always) get { EncodingHandle(index: frame.first, serial: frame.second) }
  }

  var codingPath: [any CodingKey] { state.codingPath(handle) }

  func encodeNil(forKey key: Key) throws {
    try state.writeMember(key.stringValue, in: handle) { $0.output.literal("null") }
  }

  func encode(_ value: String, forKey key: Key) throws {
    try state.writeMember(key.stringValue, in: handle) { $0.output.string(value) }
  }

  func encode(_ value: Int, forKey key: Key) throws {
    try state.writeMember(key.stringValue, in: handle) { $0.output.integer(value) }
  }

  func encode(_ value: Bool, forKey key: Key) throws {
    try state.writeMember(key.stringValue, in: handle) { $0.output.bool(value) }
  }

  func encode(_ value: Double, forKey key: Key) throws {
    try state.writeMember(key.stringValue, in: handle) { $0.output.double(value) }
  }

  /// Also the witness of the requirements for other numbers, specialized for each.
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try state.encodeMember(value, key.stringValue, in: handle)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let nested = state.nested(.object, key.stringValue, in: handle)
    return state.container(keyedBy: keyType, nested)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    UnkeyedEncoding(owner: state.owner, handle: state.nested(.array, key.stringValue, in: handle))
  }

  func superEncoder() -> any Encoder {
    SlotEncoder(owner: state.owner, handle: state.slot(JSONCodingKey.super.stringValue, in: handle))
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    SlotEncoder(owner: state.owner, handle: state.slot(key.stringValue, in: handle))
  }
}
