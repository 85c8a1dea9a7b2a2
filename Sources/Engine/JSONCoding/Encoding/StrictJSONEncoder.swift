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

  /// Makes an encoder.
  public init(form: JSONForm = .declared, maximumDepth: Int = JSONTape.defaultMaximumDepth) {
    self.form = form
    self.maximumDepth = maximumDepth
  }

  /// Encodes a value.
  ///
  /// - Returns: JSON text without white space.
  /// - Throws: What the type's own coding throws; `EncodingError` if it encodes nothing; ``JSONError`` if it encodes two
  ///   members of a name, nests too deep, or uses a container in a way that has no meaning.
  /// - Complexity: O(size), and for what is sorted O(*m* log *m*) in its members.
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

  /// Encodes a value, and lends its bytes and the enum cases that it is nested in to a closure.
  ///
  /// - Throws: As ``encode(_:)``, and what the closure throws.
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
