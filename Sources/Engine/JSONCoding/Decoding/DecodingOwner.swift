/// The owner of a document. Decoders and containers retain it.
///
/// If no decoder or container retains the owner after a decoding, the next decoding of the thread reuses it. Otherwise
/// it stays with them, with a copy of the text.
final class DecodingOwner {
  let document: DecodingDocument
  private(set) var userInfo: [CodingUserInfoKey: Any] = [:]

  private static let slot = ThreadSlot<DecodingOwner>()

  /// The storage is allocated separately, because every access to a stored property of a class is checked for
  /// exclusivity.
  init() {
    document = DecodingDocument(storage: .allocate(capacity: 1))
    document.storage.initialize(to: DecodingStorage(owner: .passUnretained(self)))
  }

  deinit {
    document.storage.pointee.deallocate()
    document.storage.deallocate()
  }

  /// Checks a text and decodes it.
  @inline(__always)
  static func decode<Value: Decodable>(
    _ type: Value.Type, _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int,
    userInfo: [CodingUserInfoKey: any Sendable]
  ) throws -> Value {
    var owner = slot.take() ?? DecodingOwner()
    defer { end(&owner) }
    let document = owner.document
    try document.storage.pointee.scan(bytes, maximumDepth: maximumDepth)
    if !userInfo.isEmpty { owner.userInfo = userInfo }
    do { return try document.decode(type, 0, depth: 0) } catch { throw document.placed(error) }
  }

  /// Decodes a value within enum cases.
  ///
  /// - Parameter nested: Returns the complete text, in case it must be checked, for example because it is invalid.
  static func decode<Value: Decodable>(
    _ type: Value.Type, casePath: UnsafeBufferPointer<UInt8>, _ content: UnsafeBufferPointer<UInt8>, maximumDepth: Int,
    userInfo: [CodingUserInfoKey: any Sendable], nested: () -> [UInt8]
  ) throws -> Value {
    do {
      var owner = slot.take() ?? DecodingOwner()
      defer { end(&owner) }
      let document = owner.document
      if !userInfo.isEmpty { owner.userInfo = userInfo }
      if document.storage.pointee.scan(casePath, content, maximumDepth: maximumDepth) {
        do { return try document.decode(type, 0, depth: 0) } catch { throw document.placed(error) }
      }
    }
    // The text must outlive its decoding, at the end of which it is copied for retained decoders.
    return try nested().withUnsafeBufferPointer { text in
      try decode(type, text, maximumDepth: maximumDepth, userInfo: userInfo)
    }
  }

  /// Decodes a value of a checked text.
  static func decode<Value: Decodable>(
    _ type: Value.Type, _ node: JSONTape.Node, userInfo: [CodingUserInfoKey: any Sendable]
  ) throws -> Value {
    try node.tape.withText { text in
      var owner = slot.take() ?? DecodingOwner()
      defer { end(&owner) }
      let document = owner.document
      document.storage.pointee.begin(
        text, root: node.index, depth: node.tape.depth, tokenCount: node.tape.tokens.count)
      if !userInfo.isEmpty { owner.userInfo = userInfo }
      do { return try document.decode(type, node.index, depth: 0) } catch { throw document.placed(error) }
    }
  }

  /// Keeps an owner for the next decoding, unless a decoder or container still retains it.
  @inline(__always)
  private static func end(_ owner: inout DecodingOwner) {
    let storage = owner.document.storage
    storage.pointee.containers.endUse(owner)
    guard isKnownUniquelyReferenced(&owner) else { return storage.pointee.copyText() }
    storage.pointee.trim()
    if !owner.userInfo.isEmpty { owner.userInfo = [:] }
    slot.put(owner)
  }
}
