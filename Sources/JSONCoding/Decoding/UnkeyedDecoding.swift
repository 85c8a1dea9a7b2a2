/// The elements of an array that is being decoded.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
  let document: DecodingDocument
  let array: Int
  let depth: Int
  private let end: Int
  private var next: Int
  private(set) var currentIndex = 0

  init(document: DecodingDocument, value: Int, depth: Int) throws {
    guard document.kind(value) == .array else {
      throw document.mismatch(value, [Any].self, "an array")
    }
    self.document = document
    array = value
    self.depth = depth
    next = value + 2
    end = document.next(after: value)
  }

  var codingPath: [any CodingKey] { document.codingPath(array) }

  var count: Int? { document.token(array + 1).value }

  var isAtEnd: Bool { next >= end }

  /// Reads the next element, and steps over it if that succeeds.
  @inline(__always)
  private mutating func element<Result>(_ type: Any.Type, _ read: (Int) throws -> Result) throws -> Result {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, document.context(array, .missingMember, "the array ends before the element \(currentIndex)"))
    }
    document.visit(next, at: currentIndex, of: array, depth: depth)
    let result = try read(next)
    next = document.next(after: next)
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, document.kind(next) != .null else { return try element(Never?.self) { _ in true } }
    return false
  }

  /// Also meets the requirements for `Int`, `String` and the like, each specialised.
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (document, depth) = (document, depth)
    return try element(type) { try document.decode(type, $0, depth: depth + 1) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let (document, depth) = (document, depth)
    return try element([String: Any].self) {
      KeyedDecodingContainer(try KeyedDecoding<NestedKey>(document: document, value: $0, depth: depth + 1))
    }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let (document, depth) = (document, depth)
    return try element([Any].self) { try UnkeyedDecoding(document: document, value: $0, depth: depth + 1) }
  }

  mutating func superDecoder() throws -> any Decoder {
    let (document, depth) = (document, depth)
    return try element((any Decoder).self) { SlotDecoder(document: document, index: $0, depth: depth + 1) }
  }
}
