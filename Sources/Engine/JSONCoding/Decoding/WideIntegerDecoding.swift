// Methods for 128-bit integers. Without them, containers use the standard library's defaults, which throw. No other
// type uses these methods.

@available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
extension KeyedDecoding {
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try document.decodeInteger(type, value(key))
  }

  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    return try decode(type, forKey: key)
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try document.decodeInteger(type, value(key))
  }

  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    return try decode(type, forKey: key)
  }
}

@available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
extension UnkeyedDecoding {
  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    let document = document
    return try element(type) { try document.decodeInteger(type, $0) }
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    let document = document
    return try element(type) { try document.decodeInteger(type, $0) }
  }
}

@available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
extension SlotDecoder {
  func decode(_ type: Int128.Type) throws -> Int128 {
    try document.decodeInteger(type, index)
  }

  func decode(_ type: UInt128.Type) throws -> UInt128 {
    try document.decodeInteger(type, index)
  }
}
