// Methods for 128-bit integers. Without them, containers use the standard library's defaults, which throw. No other
// type uses these methods. JSON numbers have no limit, and Foundation's coders use the same form.

@available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
extension KeyedEncoding {
  func encode(_ value: Int128, forKey key: Key) throws {
    try state.writeMember(key.stringValue, in: handle) { $0.output.append(Array(value.description.utf8)) }
  }

  func encode(_ value: UInt128, forKey key: Key) throws {
    try state.writeMember(key.stringValue, in: handle) { $0.output.append(Array(value.description.utf8)) }
  }
}

@available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
extension UnkeyedEncoding {
  func encode(_ value: Int128) throws {
    try state.writeElement(in: handle) { $0.output.append(Array(value.description.utf8)) }
  }

  func encode(_ value: UInt128) throws {
    try state.writeElement(in: handle) { $0.output.append(Array(value.description.utf8)) }
  }
}

@available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
extension SingleValueEncoding {
  func encode(_ value: Int128) throws {
    try encodeNumber(value.description)
  }

  func encode(_ value: UInt128) throws {
    try encodeNumber(value.description)
  }

  private func encodeNumber(_ text: String) throws {
    let detour = try state.storage.pointee.enter(handle, as: .slot)
    defer { if let detour { state.storage.pointee.leave(detour) } }
    state.storage.pointee.output.append(Array(text.utf8))
    state.storage.pointee.nodes[handle.index].kind = .scalar
  }
}
