/// One encoding, for use by its containers.
///
/// Its user guarantees that the owner is alive. No access to the storage lasts while a type's own code runs.
struct EncodingState: BitwiseCopyable {
  let storage: UnsafeMutablePointer<EncodingStorage>

  var owner: EncodingOwner {
    @inline(__always) get { storage.pointee.owner.takeUnretainedValue() }
  }

  @inline(__always)
  func encodeRoot<Value: Encodable>(_ value: Value) throws {
    try encode(value, key: 0)
  }

  /// Encodes the value of a member or an element whose name or comma is at the end of the output.
  @inline(__always)
  func encode<Value: Encodable>(_ value: Value, key: Int) throws {
    let shape = storage.pointee.shape(of: Value.self)
    if shape.kind == .plain { return try encodeSlot(value, key: key, unit: 0) }
    try encode(value, shape, key: key)
  }

  @inline(never)
  private func encode<Value: Encodable>(_ value: Value, _ shape: EncodingShape, key: Int) throws {
    if storage.pointee.appendPrimitive(value) || storage.pointee.appendKnown(value, shape) { return }
    if shape.kind == .dictionary, let dictionary = value as? any EncodableDictionary {
      let slot = try storage.pointee.openSlot(key, unit: shape.unit)
      storage.pointee.openContainer(.object, isDictionary: true)
      try dictionary.encodeMembers(to: self, slot)
      return try storage.pointee.closeSlot(slot)
    }
    try encodeSlot(value, key: key, unit: shape.unit, isPayload: shape.kind == .payload)
  }

  @inline(__always)
  private func encodeSlot<Value: Encodable>(_ value: Value, key: Int, unit: Int, isPayload: Bool = false) throws {
    let slot = try storage.pointee.openSlot(key, unit: unit)
    if isPayload { storage.pointee.endCasePath(before: slot) }
    try value.encode(to: SlotEncoder(owner: owner, handle: slot))
    if slot.index == 0, storage.pointee.nodes[0].kind == .slot { throw encodesNothing(value) }
    try storage.pointee.closeSlot(slot)
  }

  private func encodesNothing<Value: Encodable>(_ value: Value) -> EncodingError {
    .invalidValue(
      value, EncodingError.Context(codingPath: [], debugDescription: "\(Value.self) encodes nothing"))
  }

  /// Encodes a value in the slot of another one that consists of it.
  func encodeAny<Value: Encodable>(_ value: Value, inPlaceOf handle: EncodingHandle) throws {
    try storage.pointee.enter(handle, as: .slot)
    let shape = storage.pointee.shape(of: Value.self)
    if storage.pointee.appendPrimitive(value) || storage.pointee.appendKnown(value, shape) {
      storage.pointee.nodes[handle.index].kind = .scalar
      return
    }
    if shape.unit > 0 { storage.pointee.nodes[handle.index].unit = shape.unit }
    if shape.kind == .payload { storage.pointee.endCasePath(before: handle) }
    if shape.kind == .dictionary, let dictionary = value as? any EncodableDictionary {
      storage.pointee.openContainer(.object, isDictionary: true)
      return try dictionary.encodeMembers(to: self, handle)
    }
    try storage.pointee.checkFrames()
    storage.pointee.frames += 1
    defer { storage.pointee.frames -= 1 }
    do {
      try value.encode(to: SlotEncoder(owner: owner, handle: handle))
    } catch {
      throw storage.pointee.failed(error)
    }
  }

  /// Encodes a string, the most frequent raw value, in the slot of a value that consists of it.
  func encodeString(_ value: String, inPlaceOf handle: EncodingHandle) throws {
    guard storage.pointee.isCurrent(handle, .slot) else { return try encodeAny(value, inPlaceOf: handle) }
    storage.pointee.output.string(value)
    storage.pointee.nodes[handle.index].kind = .scalar
  }
}

extension EncodingState {
  @inline(__always)
  func writeMember(
    _ name: String, in handle: EncodingHandle, _ write: (inout EncodingStorage) -> Void
  ) throws {
    if !storage.pointee.isCurrent(handle, .object) { try storage.pointee.enter(handle, as: .object) }
    _ = storage.pointee.beginMember(name)
    write(&storage.pointee)
  }

  @inline(__always)
  func writeElement(in handle: EncodingHandle, _ write: (inout EncodingStorage) -> Void) throws {
    if !storage.pointee.isCurrent(handle, .array) { try storage.pointee.enter(handle, as: .array) }
    _ = storage.pointee.beginElement()
    write(&storage.pointee)
  }

  @inline(__always)
  func encodeMember<Value: Encodable>(_ value: Value, _ name: String, in handle: EncodingHandle) throws {
    if !storage.pointee.isCurrent(handle, .object) { try storage.pointee.enter(handle, as: .object) }
    do {
      try encode(value, key: storage.pointee.beginMember(name))
    } catch {
      throw storage.pointee.failed(error)
    }
  }

  @inline(__always)
  func encodeElement<Value: Encodable>(_ value: Value, in handle: EncodingHandle) throws {
    if !storage.pointee.isCurrent(handle, .array) { try storage.pointee.enter(handle, as: .array) }
    do {
      try encode(value, key: storage.pointee.beginElement())
    } catch {
      throw storage.pointee.failed(error)
    }
  }
}

extension EncodingState {
  @inline(__always)
  func nested(_ kind: EncodingNode.Kind, _ name: String?, in handle: EncodingHandle) -> EncodingHandle {
    guard mayOpen(handle, name == nil ? .array : .object) else { return .invalid }
    let nested = storage.pointee.push(key: storage.pointee.begin(name))
    storage.pointee.openContainer(kind, isDictionary: false)
    if kind == .object, name != nil { storage.pointee.noteCase() }
    return nested
  }

  func slot(_ name: String?, in handle: EncodingHandle) -> EncodingHandle {
    guard mayOpen(handle, name == nil ? .array : .object) else { return .invalid }
    let slot = storage.pointee.push(key: storage.pointee.begin(name))
    let parent = storage.pointee.nodes[slot.index].parent
    if let level = storage.pointee.caseLevelOfChild(in: parent) {
      storage.pointee.nodes[slot.index].caseLevel = level
    }
    return slot
  }

  /// Turns the slot of a value into a container, or finds that it is one.
  @inline(__always)
  func container(_ kind: EncodingNode.Kind, at handle: EncodingHandle, isDictionary: Bool = false) -> EncodingHandle {
    if !storage.pointee.isCurrent(handle, .slot), storage.pointee.isNode(handle, kind) { return handle }
    guard mayOpen(handle, .slot) else { return .invalid }
    storage.pointee.openContainer(kind, isDictionary: isDictionary)
    return handle
  }

  /// Makes a node the innermost open one. An error is stored, because opening a container does not throw.
  @inline(__always)
  private func mayOpen(_ handle: EncodingHandle, _ kind: EncodingNode.Kind) -> Bool {
    storage.pointee.isCurrent(handle, kind) || storage.pointee.enters(handle, as: kind)
  }

  func count(_ handle: EncodingHandle) -> Int {
    guard handle.index < storage.pointee.nodes.count else { return 0 }
    return storage.pointee.nodes[handle.index].count
  }

  func codingPath(_ handle: EncodingHandle) -> [any CodingKey] {
    storage.pointee.codingPath(of: handle.index)
  }
}
