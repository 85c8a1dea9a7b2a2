struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
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

/// The encoder that a value receives to encode itself.
struct SlotEncoder: Encoder {
  let owner: EncodingOwner
  let handle: EncodingHandle

  /// The type of the keys of dictionaries, which is not public in the standard library.
  private static let dictionaryKey = ObjectIdentifier(type(of: "".codingKey))

  private var state: EncodingState {
    @inline(__always) get { owner.state }
  }

  var codingPath: [any CodingKey] { state.codingPath(handle) }

  var userInfo: [CodingUserInfoKey: Any] { owner.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    // If a type calls `encode(to:)` of a dictionary directly, only its keys identify it.
    let isDictionary = ObjectIdentifier(type) == SlotEncoder.dictionaryKey
    let handle = state.container(.object, at: handle, isDictionary: isDictionary)
    return state.container(keyedBy: type, handle)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedEncoding(owner: owner, handle: state.container(.array, at: handle))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

/// The slot of a value that is encoded as another single value.
extension SlotEncoder: SingleValueEncodingContainer {
  func encodeNil() throws {
    try state.storage.pointee.enter(handle, as: .slot)
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

extension EncodingState {
  @inline(__always)
  func container<Key: CodingKey>(keyedBy type: Key.Type, _ handle: EncodingHandle) -> KeyedEncodingContainer<Key> {
    if let kept = storage.pointee.containers.move(ObjectIdentifier(type), handle.index, handle.serial) {
      return kept._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: KeptContainer<KeyedEncodingContainer<Key>>.self).container()
      }
    }
    return makeContainer(keyedBy: type, handle)
  }

  @inline(never)
  private func makeContainer<Key: CodingKey>(
    keyedBy type: Key.Type, _ handle: EncodingHandle
  ) -> KeyedEncodingContainer<Key> {
    let frame = ContainerFrame(self, handle.index, handle.serial)
    let container = KeyedEncodingContainer(KeyedEncoding<Key>(frame: frame))
    let isKept =
      KeptContainers.canEncode && storage.pointee.containers.keep(frame, container, ObjectIdentifier(type))
    if !isKept { frame.keeper = owner }
    return container
  }
}

/// A key of a coding path: the name of a member or the index of an element.
struct JSONCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(name: String) {
    stringValue = name
    intValue = nil
  }

  init(index: Int) {
    stringValue = String(index)
    intValue = index
  }

  init?(stringValue: String) {
    self.init(name: stringValue)
  }

  init?(intValue: Int) {
    self.init(index: intValue)
  }

  /// The name that `superEncoder()` and `superDecoder()` use, as Foundation's coders do.
  static let `super` = JSONCodingKey(name: "super")
}
