/// Decodes any `Decodable` value from strict JSON.
///
/// It reads what ``StrictJSONEncoder`` writes, and whatever else RFC 8259 allows for the same values: white space, any order of
/// members, members that the type does not know, every escape, integers as `1.0` or `1e2`, dates as strings or as seconds since 2001.
/// No input makes it trap.
public struct StrictJSONDecoder: Sendable {
  /// How many objects and arrays may lie within each other; at most ``JSONTape/depthLimit``.
  public var maximumDepth: Int
  /// What types find in their decoder's `userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes a decoder.
  public init(maximumDepth: Int = JSONTape.defaultMaximumDepth) {
    self.maximumDepth = maximumDepth
  }

  /// Decodes a value.
  ///
  /// - Throws: ``JSONError`` if the bytes are not strict JSON, with the byte offset, and with the path unless the error lies in no member
  ///   or element. `DecodingError` if they are not a value of the type; its underlying error is a ``JSONError`` with byte
  ///   offset and path, also where the type's own coding throws it (an enum that lacks the case that the text names), unless that
  ///   gives it an underlying error of its own. Whatever else the type's own coding throws, as it is.
  /// - Complexity: O(size), if the type asks for members in the order of the text.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try decode(type, from: bytes[...])
  }

  /// Decodes a value from a part of an array, without copying it; offsets in errors count from its first byte.
  ///
  /// - Throws: As for an array.
  /// - Complexity: As for an array.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: ArraySlice<UInt8>) throws -> Value {
    try bytes.withUnsafeBufferPointer { bytes in
      try DecodingOwner.decode(type, bytes, maximumDepth: maximumDepth, userInfo: userInfo)
    }
  }

  /// Decodes a value from a part of a text that was checked already; offsets in errors count from the text's first byte.
  ///
  /// - Throws: `DecodingError`, and what the type's own coding throws.
  /// - Complexity: As for an array.
  public func decode<Value: Decodable>(_ type: Value.Type, from node: JSONTape.Node) throws -> Value {
    try DecodingOwner.decode(type, node, userInfo: userInfo)
  }

  /// Decodes a value of nested enum cases, whose names are known apart from what the innermost one holds.
  ///
  /// - Parameters:
  ///   - casePath: The names, with `.` between them, in UTF-8.
  ///   - content: The object behind the innermost name.
  ///   - nested: Puts the text as a whole together, which is needed for errors and for names with escapes.
  /// - Throws: `DecodingError`, and what the type's own coding throws; offsets count in the text as a whole.
  /// - Complexity: As for an array.
  package func decode<Value: Decodable>(
    _ type: Value.Type, casePath: UnsafeBufferPointer<UInt8>, content: UnsafeBufferPointer<UInt8>,
    nested: () -> [UInt8]
  ) throws -> Value {
    try DecodingOwner.decode(
      type, casePath: casePath, content, maximumDepth: maximumDepth, userInfo: userInfo, nested: nested)
  }
}
