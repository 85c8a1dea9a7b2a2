#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension DecodingDocument {
  /// Decodes a value of any type, usually one that decodes itself.
  @inline(__always)
  func decodeAny<Value: Decodable>(_ type: Value.Type, _ index: Int, depth: Int) throws -> Value {
    if storage.pointee.shapes[ObjectIdentifier(type)] == .plain {
      return try Value(from: SlotDecoder(owner: owner, index: index, depth: depth))
    }
    return try decode(type, index, depth: depth)
  }

  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, _ index: Int, depth: Int) throws -> Value {
    // If the type is known, the compiler keeps only one of these branches.
    if type == String.self { return same(try decodeString(index), type) }
    if type == Int.self { return same(try decodeInteger(Int.self, index), type) }
    if type == Bool.self { return same(try decodeBool(index), type) }
    if type == Double.self { return same(try decodeDouble(index), type) }
    if type == Float.self { return same(try decodeFloat(index), type) }
    if type == Int64.self { return same(try decodeInteger(Int64.self, index), type) }
    if type == Int32.self { return same(try decodeInteger(Int32.self, index), type) }
    if type == Int16.self { return same(try decodeInteger(Int16.self, index), type) }
    if type == Int8.self { return same(try decodeInteger(Int8.self, index), type) }
    if type == UInt.self { return same(try decodeInteger(UInt.self, index), type) }
    if type == UInt64.self { return same(try decodeInteger(UInt64.self, index), type) }
    if type == UInt32.self { return same(try decodeInteger(UInt32.self, index), type) }
    if type == UInt16.self { return same(try decodeInteger(UInt16.self, index), type) }
    if type == UInt8.self { return same(try decodeInteger(UInt8.self, index), type) }
    return try decodeOther(type, index, depth: depth)
  }

  /// Decodes a value with a rule on the format page, or lets the type decode itself.
  private func decodeOther<Value: Decodable>(_ type: Value.Type, _ index: Int, depth: Int) throws -> Value {
    switch shape(of: type) {
    case .date: return same(try decodeDate(index), type)
    case .data: return same(try decodeText(index, "the string is not base64") { Data(base64Encoded: $0) }, type)
    case .url: return same(try decodeText(index, "the string is no URL") { URL(string: $0) }, type)
    case .uuid: return same(try decodeText(index, "the string is no UUID") { UUID(uuidString: $0) }, type)
    case .decimal: return same(try decodeDecimal(index), type)
    case .json: return same(decodeJSON(index), type)
    case .dictionary: return try decodeDictionary(type, SlotDecoder(owner: owner, index: index, depth: depth))
    case .unordered, .primitive, .payload, .plain:
      return try Value(from: SlotDecoder(owner: owner, index: index, depth: depth))
    }
  }

  @inline(__always)
  private func shape(of type: any Decodable.Type) -> CodingForm {
    if let shape = storage.pointee.shapes[ObjectIdentifier(type)] { return shape }
    let shape = CodingForm(decoding: type)
    storage.pointee.shapes[ObjectIdentifier(type)] = shape
    return shape
  }

  private func decodeDictionary<Value: Decodable>(_ type: Value.Type, _ slot: SlotDecoder) throws -> Value {
    guard let dictionary = type as? any DecodableDictionary.Type, let value = try dictionary.decode(slot) as? Value
    else { return try Value(from: slot) }
    return value
  }

  private func decodeJSON(_ index: Int) -> JSONValue {
    index == DecodingDocument.absent ? .null : JSONValue(text, index)
  }

  private func decodeDate(_ index: Int) throws -> Date {
    let kind = kind(index)
    guard kind == .string || kind == .escapedString else {
      return Date(timeIntervalSinceReferenceDate: try decodeDouble(index))
    }
    let token = token(index)
    let bytes = JSONStrings.bytes(token, text.base)
    if let seconds = DateText.secondsSince2001(parsing: bytes) { return Date(timeIntervalSinceReferenceDate: seconds) }
    // A date whose number of seconds is not finite is written as a string.
    guard let seconds = DecodingDocument.nonFinite[String(decoding: bytes, as: UTF8.self)] else {
      let message =
        DateText.isLeapSecond(bytes)
        ? "the string names a leap second, which a Date cannot hold" : "the string is no date and time of RFC 3339"
      throw corrupted(index, .invalidValue, message)
    }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  /// Decodes a value that is written as a string.
  private func decodeText<Value>(_ index: Int, _ message: String, _ make: (String) -> Value?) throws -> Value {
    guard let value = make(try decodeString(index)) else { throw corrupted(index, .invalidValue, message) }
    return value
  }

  /// A decimal may be a number, too.
  private func decodeDecimal(_ index: Int) throws -> Decimal {
    let isNumber = kind(index) == .integer || kind(index) == .decimal
    let text = isNumber ? String(decoding: self.text.bytes(index), as: UTF8.self) : try decodeString(index)
    guard let value = Decimal(jsonText: text) else {
      throw corrupted(index, .invalidValue, "the text is no decimal number")
    }
    return value
  }
}

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
