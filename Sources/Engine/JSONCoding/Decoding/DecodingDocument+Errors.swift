extension DecodingDocument {
  /// Returns the context of a `DecodingError`: the path of a value, with the byte offset in the description and in the
  /// underlying error.
  func context(
    _ index: Int, _ code: JSONError.Code, _ message: String, key: (any CodingKey)? = nil
  ) -> DecodingError.Context {
    var path: [any CodingKey] = codingPath(index)
    let offset = index == DecodingDocument.absent ? nil : token(index).start
    let pointer = JSONPointer((path + [key].compactMap { $0 }).map(\.stringValue))
    let error = JSONError(code, message, byteOffset: offset, path: pointer)
    if key == nil, index == DecodingDocument.absent { path = [] }
    return DecodingError.Context(codingPath: path, debugDescription: error.description, underlyingError: error)
  }

  /// Returns the error for a value of another kind than the type needs; `null` counts as a missing value.
  func mismatch(_ index: Int, _ type: Any.Type, _ expected: String) -> DecodingError {
    let found = describe(kind(index))
    let message = "\(found) stands where \(expected) was expected"
    if kind(index) == .null {
      return .valueNotFound(type, context(index, .typeMismatch, message))
    }
    return .typeMismatch(type, context(index, .typeMismatch, message))
  }

  /// Returns the error for a value of the right kind that is not valid for the type.
  func corrupted(_ index: Int, _ code: JSONError.Code, _ message: String) -> DecodingError {
    .dataCorrupted(context(index, code, message))
  }

  /// Returns the error for a missing member.
  func missing(_ key: any CodingKey, in object: Int) -> DecodingError {
    .keyNotFound(key, context(object, .missingMember, "the member '\(key.stringValue)' is missing"))
  }

  private func describe(_ kind: JSONToken.Kind) -> String {
    switch kind {
    case .null: "null"
    case .true, .false: "a Boolean"
    case .integer, .decimal: "a number"
    case .string, .escapedString: "a string"
    case .array: "an array"
    case .object, .span: "an object"
    }
  }
}
