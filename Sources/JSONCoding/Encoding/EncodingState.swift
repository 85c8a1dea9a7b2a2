/// One encoding, shared by the encoder, its containers and whatever a type keeps of them.
///
/// The storage lies behind a pointer: a stored property of a class would be checked for exclusive access at every byte. No
/// access lasts while a type's own code runs.
final class EncodingState {
  let storage: UnsafeMutablePointer<EncodingStorage>
  let userInfo: [CodingUserInfoKey: Any]

  init(form: JSONForm, maximumDepth: Int, userInfo: [CodingUserInfoKey: Any]) {
    storage = .allocate(capacity: 1)
    storage.initialize(to: EncodingStorage(form: form, maximumDepth: maximumDepth))
    self.userInfo = userInfo
  }

  deinit {
    storage.deinitialize(count: 1)
    storage.deallocate()
  }

  /// Encodes the value of the whole text.
  func encodeRoot<Value: Encodable>(_ value: Value) throws {
    try encode(value, key: 0)
  }

  /// Encodes the value of a member or an element whose name or comma stands at the end of the output.
  func encode<Value: Encodable>(_ value: Value, key: Int) throws {
    if storage.pointee.appendPrimitive(value) { return }
    let shape = storage.pointee.shapes.shape(of: Value.self)
    if storage.pointee.appendKnown(value, shape) { return }
    var unit = 0
    if case .unordered(let elements) = shape { unit = elements }
    let slot = try storage.pointee.openSlot(key, unit: unit)
    try value.encode(to: SlotEncoder(state: self, handle: slot))
    if slot.index == 0, storage.pointee.nodes[0].kind == .slot {
      throw EncodingError.invalidValue(
        value, EncodingError.Context(codingPath: [], debugDescription: "\(Value.self) encodes nothing"))
    }
    try storage.pointee.closeSlot(slot)
  }

  /// Encodes a value in the place of another one that consists of it.
  func encode<Value: Encodable>(_ value: Value, inPlaceOf handle: EncodingHandle) throws {
    let detour = try storage.pointee.enter(handle, as: .slot)
    defer { if let detour { storage.pointee.leave(detour) } }
    let shape = storage.pointee.shapes.shape(of: Value.self)
    if storage.pointee.appendPrimitive(value) || storage.pointee.appendKnown(value, shape) {
      storage.pointee.nodes[handle.index].kind = .scalar
      return
    }
    if case .unordered(let unit) = shape { storage.pointee.nodes[handle.index].unit = unit }
    try storage.pointee.checkFrames()
    storage.pointee.frames += 1
    defer { storage.pointee.frames -= 1 }
    try value.encode(to: SlotEncoder(state: self, handle: handle))
  }

  /// Encodes a member.
  @inline(__always)
  func encodeMember<Value: Encodable>(_ value: Value, _ name: String, in handle: EncodingHandle) throws {
    try withChild(of: handle, .object) {
      try encode(value, key: storage.pointee.beginMember(name))
    }
  }

  /// Encodes an element.
  @inline(__always)
  func encodeElement<Value: Encodable>(_ value: Value, in handle: EncodingHandle) throws {
    try withChild(of: handle, .array) {
      try encode(value, key: storage.pointee.beginElement())
    }
  }

  /// Encodes `null` as a member or an element.
  func encodeNil(_ name: String?, in handle: EncodingHandle) throws {
    try withChild(of: handle, name == nil ? .array : .object) {
      _ = begin(name)
      storage.pointee.output.append(contentsOf: "null".utf8)
    }
  }

  @inline(__always)
  private func withChild(
    of handle: EncodingHandle, _ kind: EncodingNode.Kind, _ encode: () throws -> Void
  ) throws {
    let detour = try storage.pointee.enter(handle, as: kind)
    defer { if let detour { storage.pointee.leave(detour) } }
    let mark = storage.pointee.mark(handle)
    do {
      try encode()
    } catch {
      storage.pointee.rollBack(to: mark, because: error)
      throw error
    }
  }

  private func begin(_ name: String?) -> Int {
    if let name { return storage.pointee.beginMember(name) }
    return storage.pointee.beginElement()
  }
}

extension EncodingState {
  /// Opens a container as a member or an element of another one.
  func nested(
    _ kind: EncodingNode.Kind, _ name: String?, in handle: EncodingHandle, isDictionary: Bool = false
  ) -> EncodingHandle {
    opening {
      let detour = try storage.pointee.enter(handle, as: name == nil ? .array : .object)
      defer { if let detour { storage.pointee.leave(detour) } }
      let nested = storage.pointee.push(.slot, key: begin(name))
      storage.pointee.openContainer(kind, isDictionary: isDictionary)
      if kind == .object, let name { storage.pointee.noteCase(name) }
      return nested
    }
  }

  /// Opens a place for a value as a member or an element of a container.
  func slot(_ name: String?, in handle: EncodingHandle) -> EncodingHandle {
    opening {
      let detour = try storage.pointee.enter(handle, as: name == nil ? .array : .object)
      defer { if let detour { storage.pointee.leave(detour) } }
      let slot = storage.pointee.push(.slot, key: begin(name))
      let parent = storage.pointee.nodes[slot.index].parent
      if let level = storage.pointee.caseLevelOfChild(in: parent) {
        storage.pointee.nodes[slot.index].caseLevel = level
      }
      return slot
    }
  }

  /// Makes a place for a value a container, or finds that it is one.
  func container(_ kind: EncodingNode.Kind, at handle: EncodingHandle, isDictionary: Bool = false) -> EncodingHandle {
    opening {
      if storage.pointee.isNode(handle, kind) { return handle }
      let detour = try storage.pointee.enter(handle, as: .slot)
      defer { if let detour { storage.pointee.leave(detour) } }
      storage.pointee.openContainer(kind, isDictionary: isDictionary)
      return handle
    }
  }

  /// Keeps an error for later, since opening a container does not throw.
  private func opening(_ open: () throws -> EncodingHandle) -> EncodingHandle {
    do {
      return try open()
    } catch {
      storage.pointee.fail(error)
      return .invalid
    }
  }

  /// How many elements were encoded.
  func count(_ handle: EncodingHandle) -> Int {
    guard handle.index < storage.pointee.nodes.count else { return 0 }
    return storage.pointee.nodes[handle.index].count
  }

  /// Where a value stands.
  func codingPath(_ handle: EncodingHandle) -> [any CodingKey] {
    storage.pointee.codingPath(of: handle.index)
  }
}
