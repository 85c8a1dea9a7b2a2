/// The elements of an array that is being encoded.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
  let owner: EncodingOwner
  let handle: EncodingHandle

  var state: EncodingState { owner.state }

  var codingPath: [any CodingKey] { state.codingPath(handle) }

  var count: Int { state.count(handle) }

  func encodeNil() throws {
    try state.writeElement(in: handle) { $0.output.literal("null") }
  }

  func encode(_ value: String) throws {
    try state.writeElement(in: handle) { $0.output.string(value) }
  }

  /// Also the witness of the requirements for `Int` and similar types, specialized for each.
  func encode<Value: Encodable>(_ value: Value) throws {
    try state.encodeElement(value, in: handle)
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    let nested = state.nested(.object, nil, in: handle)
    return state.container(keyedBy: keyType, nested)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedEncoding(owner: owner, handle: state.nested(.array, nil, in: handle))
  }

  func superEncoder() -> any Encoder {
    SlotEncoder(owner: owner, handle: state.slot(nil, in: handle))
  }
}
