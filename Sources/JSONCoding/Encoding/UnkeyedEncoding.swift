/// The elements of an array that is being encoded.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
  let state: EncodingState
  let handle: EncodingHandle

  var codingPath: [any CodingKey] { state.codingPath(handle) }

  var count: Int { state.count(handle) }

  func encodeNil() throws {
    try state.encodeNil(nil, in: handle)
  }

  /// Also meets the requirements for `Int`, `String` and the like, each specialised.
  func encode<Value: Encodable>(_ value: Value) throws {
    try state.encodeElement(value, in: handle)
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    let nested = state.nested(.object, nil, in: handle)
    return KeyedEncodingContainer(KeyedEncoding<NestedKey>(state: state, handle: nested))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedEncoding(state: state, handle: state.nested(.array, nil, in: handle))
  }

  func superEncoder() -> any Encoder {
    SlotEncoder(state: state, handle: state.slot(nil, in: handle))
  }
}
