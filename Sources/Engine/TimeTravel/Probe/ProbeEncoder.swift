import JSONCoding

/// An encoder that writes nothing and only visits the value that a pointer addresses.
struct ProbeEncoder: Encoder {
  let visit: ProbeVisit
  /// The number of tokens that were followed.
  let depth: Int

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    visit.container(keyedBy: type, at: depth)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { ProbeUnkeyedContainer(visit: visit, depth: depth) }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    ProbeSingleValueContainer(visit: visit, depth: depth)
  }
}

/// Visits the member that the next token names.
struct ProbeKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let visit: ProbeVisit
  let depth: Int

  var codingPath: [any CodingKey] { [] }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    if visit.isNext(key.stringValue, at: depth) { try visit.enter(value, at: depth + 1) }
  }

  mutating func encodeNil(forKey key: Key) {
    if visit.isNext(key.stringValue, at: depth) { visit.enterNull(at: depth + 1) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    visit.isLost = true
    return KeyedEncodingContainer(ProbeKeyedContainer<NestedKey>(visit: visit, depth: depth))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    visit.isLost = true
    return ProbeUnkeyedContainer(visit: visit, depth: depth)
  }

  mutating func superEncoder() -> any Encoder {
    visit.isLost = true
    return ProbeEncoder(visit: visit, depth: depth)
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

/// Visits the element that the next token names.
private struct ProbeUnkeyedContainer: UnkeyedEncodingContainer {
  let visit: ProbeVisit
  let depth: Int
  private let wanted: Int?

  private(set) var count = 0
  var codingPath: [any CodingKey] { [] }

  init(visit: ProbeVisit, depth: Int) {
    self.visit = visit
    self.depth = depth
    self.wanted = JSONPointer.index(of: visit.tokens[depth])
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    defer { count += 1 }
    if count == wanted { try visit.enter(value, at: depth + 1) }
  }

  mutating func encodeNil() {
    if count == wanted { visit.enterNull(at: depth + 1) }
    count += 1
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    visit.isLost = true
    return KeyedEncodingContainer(ProbeKeyedContainer<NestedKey>(visit: visit, depth: depth))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    visit.isLost = true
    return self
  }

  mutating func superEncoder() -> any Encoder {
    visit.isLost = true
    return ProbeEncoder(visit: visit, depth: depth)
  }
}

/// Visits the value that another one encodes instead of itself.
private struct ProbeSingleValueContainer: SingleValueEncodingContainer {
  let visit: ProbeVisit
  let depth: Int

  var codingPath: [any CodingKey] { [] }

  mutating func encode<Value: Encodable>(_ value: Value) throws { try visit.enter(value, at: depth) }
  mutating func encodeNil() {}
}
