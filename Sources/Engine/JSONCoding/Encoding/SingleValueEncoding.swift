/// The slot of a value that is encoded as another single value.
struct SingleValueEncoding: SingleValueEncodingContainer {
  let owner: EncodingOwner
  let handle: EncodingHandle

  var state: EncodingState { owner.state }

  var codingPath: [any CodingKey] { state.codingPath(handle) }

  func encodeNil() throws {
    let detour = try state.storage.pointee.enter(handle, as: .slot)
    defer { if let detour { state.storage.pointee.leave(detour) } }
    state.storage.pointee.output.literal("null")
    state.storage.pointee.nodes[handle.index].kind = .scalar
  }

  func encode(_ value: String) throws {
    try state.encodeString(value, inPlaceOf: handle)
  }

  /// Also the witness of the requirements for `Int` and similar types, specialized for each.
  func encode<Value: Encodable>(_ value: Value) throws {
    try state.encodeAny(value, inPlaceOf: handle)
  }
}
