extension DecodingDocument {
  /// The strings for numbers that JSON does not have.
  static let nonFinite: [String: Double] = ["NaN": .nan, "Infinity": .infinity, "-Infinity": -.infinity]

  func decodeBool(_ index: Int) throws -> Bool {
    switch kind(index) {
    case .true: return true
    case .false: return false
    default: throw mismatch(index, Bool.self, "a Boolean")
    }
  }

  func decodeString(_ index: Int) throws -> String {
    switch kind(index) {
    case .string, .escapedString: return string(index)
    default: throw mismatch(index, String.self, "a string")
    }
  }

  func decodeInteger<Integer: FixedWidthInteger>(_ type: Integer.Type, _ index: Int) throws -> Integer {
    switch kind(index) {
    case .integer, .decimal: break
    default: throw mismatch(index, type, "a number")
    }
    if let value = smallInteger(index), let result = Integer(exactly: value) { return result }
    if let result = decimal(index, { $0.integer(type) }) { return result }
    throw corrupted(index, .numberOutOfRange, "the number is not exactly one of \(type)")
  }

  /// Reads an integer of at most 18 digits, which fits 64 bits without a check.
  private func smallInteger(_ index: Int) -> Int64? {
    let token = token(index)
    guard token.kind == .integer, token.value <= 18 else { return nil }
    var place = text.base + token.start
    let end = place + token.value
    let isNegative = place.pointee == UInt8(ascii: "-")
    if isNegative { place += 1 }
    var value: Int64 = 0
    while place < end {
      value = value &* 10 &+ Int64(place.pointee &- 0x30)
      place += 1
    }
    return isNegative ? -value : value
  }

  func decodeDouble(_ index: Int) throws -> Double {
    try decodeFloatingPoint(index) { $0.double }
  }

  func decodeFloat(_ index: Int) throws -> Float {
    try decodeFloatingPoint(index) { $0.float }
  }

  private func decodeFloatingPoint<Value: BinaryFloatingPoint>(
    _ index: Int, _ read: (JSONDecimal) -> Value
  ) throws -> Value {
    switch kind(index) {
    case .integer, .decimal:
      let value = decimal(index, read)
      guard value.isFinite else {
        throw corrupted(index, .numberOutOfRange, "the number is beyond the range of \(Value.self)")
      }
      return value
    case .string, .escapedString:
      guard let value = DecodingDocument.nonFinite[string(index)] else {
        throw mismatch(index, Value.self, "a number")
      }
      return Value(value)
    default:
      throw mismatch(index, Value.self, "a number")
    }
  }
}
