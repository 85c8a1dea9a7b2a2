struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let frame: ContainerFrame<DecodingDocument>

  var document: DecodingDocument {
    @inline(__always) get { frame.coding }
  }

  private var object: Int {
    @inline(__always) get { frame.first }
  }

  var codingPath: [any CodingKey] { document.codingPath(object) }

  var allKeys: [Key] {
    let (document, object) = (document, object)
    if document.token(object + 1).value == 1 {
      let name = document.token(object + 2)
      if name.kind == .string { return frame.keyLists.pointee.keys(name, document.text, Key.self) }
    }
    return document.names(of: object).compactMap { Key(stringValue: $0) }
  }

  func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }

  @inline(__always)
  private func find(_ name: String) -> Int? {
    document.member(name, of: object, depth: frame.second)
  }

  @inline(__always)
  func value(_ key: Key) throws -> Int {
    guard let value = find(key.stringValue) else { throw document.missing(key, in: object) }
    return value
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    document.kind(try value(key)) == .null
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try document.decodeString(value(key))
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try document.decodeInteger(type, value(key))
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try document.decodeBool(value(key))
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try document.decodeDouble(value(key))
  }

  /// Also the witness of the requirements for other numbers, specialized for each.
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try document.decodeAny(type, value(key), depth: frame.second + 1)
  }

  /// Also the witness of the requirements for `Int`, `String` and similar types, specialized for each.
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let value = find(key.stringValue), document.kind(value) != .null else { return nil }
    return try document.decodeAny(type, value, depth: frame.second + 1)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try document.container(keyedBy: type, value(key), depth: frame.second + 1)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try UnkeyedDecoding(document: document, value: value(key), depth: frame.second + 1)
  }

  func superDecoder() throws -> any Decoder {
    superDecoder(JSONCodingKey.super.stringValue)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    superDecoder(key.stringValue)
  }

  /// A missing member reads as `null`, as in Foundation's decoder.
  private func superDecoder(_ name: String) -> SlotDecoder {
    SlotDecoder(owner: document.owner, index: find(name) ?? DecodingDocument.absent, depth: frame.second + 1)
  }
}

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

/// The decoder that a value receives to decode itself. It is also its single-value container.
struct SlotDecoder: Decoder {
  let owner: DecodingOwner
  let index: Int
  let depth: Int

  var document: DecodingDocument {
    @inline(__always) get { owner.document }
  }

  var codingPath: [any CodingKey] { document.codingPath(index) }

  var userInfo: [CodingUserInfoKey: Any] { owner.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try document.container(keyedBy: type, index, depth: depth)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try UnkeyedDecoding(document: document, value: index, depth: depth)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension SlotDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { document.kind(index) == .null }

  /// Also the witness of the requirements for `Int`, `String` and similar types, specialized for each.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try document.decode(type, index, depth: depth)
  }
}

extension DecodingDocument {
  @inline(__always)
  func container<Key: CodingKey>(
    keyedBy type: Key.Type, _ value: Int, depth: Int
  ) throws -> KeyedDecodingContainer<Key> {
    guard kind(value) == .object else { throw mismatch(value, [String: Any].self, "an object") }
    if let kept = storage.pointee.containers.move(ObjectIdentifier(type), value, depth) {
      return kept._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: KeptContainer<KeyedDecodingContainer<Key>>.self).container()
      }
    }
    return makeContainer(keyedBy: type, value, depth: depth)
  }

  @inline(never)
  private func makeContainer<Key: CodingKey>(
    keyedBy type: Key.Type, _ value: Int, depth: Int
  ) -> KeyedDecodingContainer<Key> {
    let frame = ContainerFrame(self, value, depth)
    let container = KeyedDecodingContainer(KeyedDecoding<Key>(frame: frame))
    let isKept =
      KeptContainers.canDecode && storage.pointee.containers.keep(frame, container, ObjectIdentifier(type))
    if !isKept { frame.keeper = owner }
    return container
  }
}
