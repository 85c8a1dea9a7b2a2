/// An encoder of `Encodable` values. The JSON bytes depend only on the value.
///
/// Members of structs and enums are in the order in which the type encodes them, those of dictionaries are sorted, and
/// so are the elements of sets; see ``UnorderedEncodable``. Numbers, strings, dates and similar values have one form
/// each, as described on the format page. Equal values therefore have equal bytes in any process.
public struct StrictJSONEncoder: Sendable {
  /// The order of members.
  public var form: JSONForm
  /// The deepest nesting of objects and arrays; at most ``JSONTape/depthLimit``.
  public var maximumDepth: Int
  /// The contents of `userInfo` in the encoder that types receive.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates an encoder.
  public init(form: JSONForm = .declared, maximumDepth: Int = JSONTape.defaultMaximumDepth) {
    self.form = form
    self.maximumDepth = maximumDepth
  }

  /// Encodes a value.
  ///
  /// - Returns: JSON text without white space.
  /// - Throws: The errors of the type's own coding; `EncodingError` if it encodes nothing; ``JSONError`` if it encodes
  ///   two members with the same name, nests too deeply, or misuses a container.
  /// - Complexity: O(size), and O(*m* log *m*) in the members of sorted objects.
  public func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
    try EncodingOwner.encode(value, form, maximumDepth: maximumDepth, userInfo: userInfo) { storage in
      storage.pointee.output.bytes
    }
  }

  /// Encodes a value and returns the enum cases in which it is nested.
  ///
  /// If a value is encoded as a keyed container whose only key is opened as a nested keyed container, as synthesized
  /// enums do, that key is a step. If the nested container has exactly the one member `_0`, the search continues with
  /// its value. Structs, dictionaries and every ``ActionPayload`` never make a step.
  ///
  /// - Returns: The same bytes as ``encode(_:)``, and the steps from the outside in.
  /// - Throws: As ``encode(_:)``.
  /// - Complexity: As ``encode(_:)``.
  public func encodeWithCasePath<Value: Encodable>(_ value: Value) throws -> (bytes: [UInt8], casePath: [CaseStep]) {
    try withEncoded(value) { bytes, steps in (Array(bytes), steps.map(\.step)) }
  }

  /// Encodes a value, and calls a closure with its bytes and the enum cases in which it is nested.
  ///
  /// - Throws: As ``encode(_:)``, and the errors of the closure.
  /// - Complexity: As ``encode(_:)``.
  package func withEncoded<Value: Encodable, Result>(
    _ value: Value, _ body: (UnsafeBufferPointer<UInt8>, EncodedCases) throws -> Result
  ) throws -> Result {
    try EncodingOwner.encode(value, form, maximumDepth: maximumDepth, userInfo: userInfo) { storage in
      let bytes = storage.pointee.output.text(from: 0)
      return try body(bytes, EncodedCases(bytes: bytes, names: storage.pointee.cases.names))
    }
  }
}
