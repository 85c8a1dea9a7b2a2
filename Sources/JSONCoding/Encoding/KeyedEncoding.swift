/// The members of an object that is being encoded.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let state: EncodingState
  let handle: EncodingHandle

  var codingPath: [any CodingKey] { state.codingPath(handle) }

  func encodeNil(forKey key: Key) throws {
    try state.encodeNil(key.stringValue, in: handle)
  }

  /// Also meets the requirements for `Int`, `String` and the like, each specialised.
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try state.encodeMember(value, key.stringValue, in: handle)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let nested = state.nested(.object, key.stringValue, in: handle)
    return KeyedEncodingContainer(KeyedEncoding<NestedKey>(state: state, handle: nested))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    UnkeyedEncoding(state: state, handle: state.nested(.array, key.stringValue, in: handle))
  }

  func superEncoder() -> any Encoder {
    SlotEncoder(state: state, handle: state.slot(JSONCodingKey.super.stringValue, in: handle))
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    SlotEncoder(state: state, handle: state.slot(key.stringValue, in: handle))
  }
}
