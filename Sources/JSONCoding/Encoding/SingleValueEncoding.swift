/// The place of a value that is encoded as another single value.
struct SingleValueEncoding: SingleValueEncodingContainer {
  let state: EncodingState
  let handle: EncodingHandle

  var codingPath: [any CodingKey] { state.codingPath(handle) }

  func encodeNil() throws {
    let detour = try state.storage.pointee.enter(handle, as: .slot)
    defer { if let detour { state.storage.pointee.leave(detour) } }
    state.storage.pointee.output.append(contentsOf: "null".utf8)
    state.storage.pointee.nodes[handle.index].kind = .scalar
  }

  /// Also meets the requirements for `Int`, `String` and the like, each specialised.
  func encode<Value: Encodable>(_ value: Value) throws {
    try state.encode(value, inPlaceOf: handle)
  }
}
