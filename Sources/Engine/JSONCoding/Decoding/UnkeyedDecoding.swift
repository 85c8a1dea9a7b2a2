/// The elements of an array that is being decoded.
///
/// It has a size of three words, which an existential stores without allocating. The number of tokens always fits in
/// `Int32`.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
  private let owner: DecodingOwner
  private let arrayIndex: Int32
  private let arrayDepth: Int32
  private var nextIndex: Int32
  private var position: Int32 = 0

  init(document: DecodingDocument, value: Int, depth: Int) throws {
    guard document.kind(value) == .array else {
      throw document.mismatch(value, [Any].self, "an array")
    }
    owner = document.owner
    arrayIndex = Int32(truncatingIfNeeded: value)
    arrayDepth = Int32(truncatingIfNeeded: depth)
    nextIndex = Int32(truncatingIfNeeded: value + 2)
  }

  var document: DecodingDocument { owner.document }

  private var array: Int { Int(arrayIndex) }

  private var depth: Int { Int(arrayDepth) }

  private var next: Int { Int(nextIndex) }

  var codingPath: [any CodingKey] { document.codingPath(array) }

  var count: Int? { document.token(array + 1).value }

  var currentIndex: Int { Int(position) }

  var isAtEnd: Bool { next >= document.next(after: array) }

  /// Reads the next element, and advances if that succeeds.
  @inline(__always)
  mutating func element<Result>(_ type: Any.Type, _ read: (Int) throws -> Result) throws -> Result {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, document.context(array, .missingMember, "the array ends before the element \(currentIndex)"))
    }
    document.visit(next, at: currentIndex, of: array, depth: depth)
    let result = try read(next)
    nextIndex = Int32(truncatingIfNeeded: document.next(after: next))
    position &+= 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, document.kind(next) != .null else { return try element(Never?.self) { _ in true } }
    return false
  }

  /// Also the witness of the requirements for `Int`, `String` and similar types, specialized for each.
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (document, depth) = (document, depth)
    return try element(type) { try document.decode(type, $0, depth: depth + 1) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let (document, depth) = (document, depth)
    return try element([String: Any].self) {
      try document.container(keyedBy: type, $0, depth: depth + 1)
    }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let (document, depth) = (document, depth)
    return try element([Any].self) { try UnkeyedDecoding(document: document, value: $0, depth: depth + 1) }
  }

  mutating func superDecoder() throws -> any Decoder {
    let (document, depth) = (document, depth)
    return try element((any Decoder).self) { SlotDecoder(owner: document.owner, index: $0, depth: depth + 1) }
  }
}
