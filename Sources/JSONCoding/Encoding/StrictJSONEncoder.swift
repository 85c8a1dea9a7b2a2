/// Encodes any `Encodable` value as JSON whose bytes depend on the value only.
///
/// Members of structs and enums stand in the order in which the type encodes them, those of dictionaries are sorted, and so are
/// the elements of sets; see ``UnorderedEncodable``. Numbers, strings, dates and the like have one form each, which the format
/// page describes. So equal values give equal bytes in any process.
public struct StrictJSONEncoder: Sendable {
  /// The order of members.
  public var form: JSONForm
  /// How many objects and arrays may lie within each other; at most ``JSONTape/depthLimit``.
  public var maximumDepth: Int
  /// What types find in their encoder's `userInfo`.
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
    try encodeTracked(value).output
  }

  /// Encodes a value, and says which enum cases it is nested in.
  ///
  /// While a value was encoded as a keyed container whose only key was opened as a nested keyed container, as synthesised enums
  /// do, that key is a step. If the nested container has exactly the one member `_0`, the search goes on with its value.
  /// Structs and dictionaries never make a step.
  ///
  /// - Returns: The same bytes as ``encode(_:)``, and the steps from the outside in.
  /// - Throws: As ``encode(_:)``.
  /// - Complexity: As ``encode(_:)``.
  public func encodeWithCasePath<Value: Encodable>(_ value: Value) throws -> (bytes: [UInt8], casePath: [CaseStep]) {
    let storage = try encodeTracked(value)
    return (storage.output, StrictJSONEncoder.casePath(storage.caseKeys, storage.output))
  }

  private func encodeTracked<Value: Encodable>(_ value: Value) throws -> EncodingStorage {
    let state = EncodingState(form: form, maximumDepth: maximumDepth, userInfo: userInfo)
    try state.encodeRoot(value)
    var storage = state.storage.pointee
    if let failure = storage.failure { throw failure }
    guard storage.output.count < JSONToken.limit else {
      throw JSONError(.tooLarge, "the encoded value has \(storage.output.count) bytes")
    }
    if storage.needsCanonicalPass {
      let tape = try JSONTape(parsing: storage.output, maximumDepth: .max)
      storage.output = []
      tape.root.appendCanonical(to: &storage.output)
    }
    return storage
  }

  /// Each step's object has one member, so that its place follows from the lengths of the keys.
  private static func casePath(_ keys: [String], _ output: [UInt8]) -> [CaseStep] {
    var steps: [CaseStep] = []
    var value = 0..<output.count
    for key in keys {
      // The content of the step before is `{"_0":VALUE}`.
      if let outer = steps.last?.content { value = outer.lowerBound + 6..<outer.upperBound - 1 }
      var name: [UInt8] = []
      JSONText.appendString(key, to: &name)
      let content = value.lowerBound + name.count + 2..<value.upperBound - 1
      steps.append(CaseStep(key: key, content: content))
    }
    return steps
  }
}
