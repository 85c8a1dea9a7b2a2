/// The owner of one encoding. Encoders and containers retain it.
///
/// If no encoder or container retains the owner after an encoding, the next encoding of the thread reuses it.
final class EncodingOwner {
  let state: EncodingState
  private(set) var userInfo: [CodingUserInfoKey: Any] = [:]

  private static let slot = ThreadSlot<EncodingOwner>()

  /// The storage is allocated separately, because every access to a stored property of a class is checked for
  /// exclusivity.
  init() {
    state = EncodingState(storage: .allocate(capacity: 1))
    state.storage.initialize(to: EncodingStorage(owner: .passUnretained(self)))
  }

  deinit {
    state.storage.pointee.deallocate()
    state.storage.deinitialize(count: 1)
    state.storage.deallocate()
  }

  /// Encodes a value, and calls a closure with the output.
  @inline(__always)
  static func encode<Value: Encodable, Result>(
    _ value: Value, _ form: JSONForm, maximumDepth: Int, userInfo: [CodingUserInfoKey: any Sendable],
    _ body: (UnsafeMutablePointer<EncodingStorage>) throws -> Result
  ) throws -> Result {
    var owner = slot.take() ?? EncodingOwner()
    defer { end(&owner) }
    let storage = owner.state.storage
    storage.pointee.begin(form, maximumDepth: maximumDepth)
    if !userInfo.isEmpty { owner.userInfo = userInfo }
    try owner.state.encodeRoot(value)
    try storage.pointee.finish()
    return try body(storage)
  }

  /// Keeps an owner for the next encoding, unless an encoder or container still retains it.
  @inline(__always)
  private static func end(_ owner: inout EncodingOwner) {
    let storage = owner.state.storage
    storage.pointee.containers.endUse(owner)
    guard isKnownUniquelyReferenced(&owner) else { return storage.pointee.abandon() }
    storage.pointee.reset()
    if !owner.userInfo.isEmpty { owner.userInfo = [:] }
    slot.put(owner)
  }
}
