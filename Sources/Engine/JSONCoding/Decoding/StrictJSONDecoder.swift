/// A decoder of `Decodable` values from strict JSON.
///
/// It accepts the output of ``StrictJSONEncoder``, and everything else that RFC 8259 allows for the same values: white
/// space, any order of members, unknown members, every escape, integers as `1.0` or `1e2`, dates as strings or as
/// seconds since 2001. No input makes it trap.
public struct StrictJSONDecoder: Sendable {
  /// The deepest nesting of objects and arrays; at most ``JSONTape/depthLimit``.
  public var maximumDepth: Int
  /// The contents of `userInfo` in the decoder that types receive.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates a decoder.
  public init(maximumDepth: Int = JSONTape.defaultMaximumDepth) {
    self.maximumDepth = maximumDepth
  }

  /// Decodes a value.
  ///
  /// - Throws: ``JSONError`` if the bytes are not strict JSON, with the byte offset, and with the path if the error is
  ///   in a member or an element. `DecodingError` if they are not a value of the type; its underlying error is a
  ///   ``JSONError`` with byte offset and path, even if the type's own coding throws it (such as an enum without the
  ///   case in the text), unless it already has an underlying error. Any other error of the type's own coding is thrown
  ///   unchanged.
  /// - Complexity: O(size), if the type requests members in the order of the text.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try decode(type, from: bytes[...])
  }

  /// Decodes a value from a part of an array, without copying it. Offsets in errors are relative to its first byte.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: ArraySlice<UInt8>) throws -> Value {
    try bytes.withUnsafeBufferPointer { bytes in
      try DecodingOwner.decode(type, bytes, maximumDepth: maximumDepth, userInfo: userInfo)
    }
  }

  /// Decodes a value of nested enum cases whose names are separate from the contents of the innermost one.
  ///
  /// - Parameters:
  ///   - casePath: The names, joined with `.`, in UTF-8.
  ///   - content: The object of the innermost case.
  ///   - nested: Returns the complete text, which is needed for errors and for names with escapes.
  /// - Throws: `DecodingError`, and the errors of the type's own coding; offsets refer to the complete text.
  package func decode<Value: Decodable>(
    _ type: Value.Type, casePath: UnsafeBufferPointer<UInt8>, content: UnsafeBufferPointer<UInt8>,
    nested: () -> [UInt8]
  ) throws -> Value {
    try DecodingOwner.decode(
      type, casePath: casePath, content, maximumDepth: maximumDepth, userInfo: userInfo, nested: nested)
  }
}

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
    // The text must outlive its decoding, because the end of decoding copies it for retained decoders.
    return try nested().withUnsafeBufferPointer { text in
      try decode(type, text, maximumDepth: maximumDepth, userInfo: userInfo)
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
