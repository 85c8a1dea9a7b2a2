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

// Byte offsets for errors of a type's own coding, which have a coding path only: enum cases that do not exist, and raw
// values that are refused. The offset is determined when such an error leaves the decoder.

extension DecodingDocument {
  /// Returns an error of a type's own coding, with the location of the value as its underlying error.
  @inline(never)
  func placed(_ error: any Error) -> any Error {
    switch error {
    case DecodingError.typeMismatch(let type, let context) where context.underlyingError == nil:
      let message = unknownCase(type, context)
      return DecodingError.typeMismatch(type, placed(context, .typeMismatch, message))
    case DecodingError.valueNotFound(let type, let context) where context.underlyingError == nil:
      return DecodingError.valueNotFound(type, placed(context, .missingMember))
    case DecodingError.keyNotFound(let key, let context) where context.underlyingError == nil:
      return DecodingError.keyNotFound(key, placed(context, .missingMember, key: key))
    case DecodingError.dataCorrupted(let context) where context.underlyingError == nil:
      return DecodingError.dataCorrupted(placed(context, .invalidValue))
    default:
      return error
    }
  }

  /// Uses the path that the type reported, and the byte offset of the innermost value on it that exists.
  private func placed(
    _ context: DecodingError.Context, _ code: JSONError.Code, _ message: String? = nil, key: (any CodingKey)? = nil
  ) -> DecodingError.Context {
    let path = JSONPointer((context.codingPath + [key].compactMap { $0 }).map(\.stringValue))
    let error = JSONError(
      code, message ?? context.debugDescription, byteOffset: token(value(at: context.codingPath)).start, path: path)
    return DecodingError.Context(
      codingPath: context.codingPath, debugDescription: context.debugDescription, underlyingError: error)
  }

  /// Returns the innermost existing value of a path.
  private func value(at path: [any CodingKey]) -> Int {
    var index = 0
    for key in path {
      guard let part = part(key, of: index) else { break }
      index = part
    }
    return index
  }

  private func part(_ key: any CodingKey, of container: Int) -> Int? {
    guard token(container).isContainer else { return nil }
    let isObject = token(container).kind == .object
    var (index, position) = (container + 2, 0)
    let end = next(after: container)
    while index < end {
      let value = isObject ? index + 1 : index
      if isObject ? ExactName(string(index)) == ExactName(key.stringValue) : position == key.intValue { return value }
      index = next(after: value)
      position += 1
    }
    return nil
  }

  private func unknownCase(_ type: any Any.Type, _ context: DecodingError.Context) -> String? {
    guard context.debugDescription == CodingFault.unknownCase else { return nil }
    let object = value(at: context.codingPath)
    guard kind(object) == .object else { return nil }
    let names = names(of: object)
    switch names.count {
    case 0: return "the object names no case of \(type)"
    case 1: return "'\(names[0])' is no case of \(type)"
    default:
      // A few names are enough to identify the object.
      let some = names.prefix(8).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 8 ? ", …" : "")
      return "the object has \(names.count) members where one case of \(type) was expected: \(some)"
    }
  }
}
