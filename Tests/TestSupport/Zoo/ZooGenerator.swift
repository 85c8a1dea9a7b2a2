package import Foundation

/// Random values with a preference for edge cases of coders.
extension SeededGenerator {
  package mutating func element<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  package mutating func optional<Value>(_ make: (inout SeededGenerator) -> Value) -> Value? {
    Bool.random(using: &self) ? make(&self) : nil
  }

  package mutating func array<Element>(_ make: (inout SeededGenerator) -> Element) -> [Element] {
    (0..<Int.random(in: 0...4, using: &self)).map { _ in make(&self) }
  }

  package mutating func dictionary<Key: Hashable, Value>(
    _ key: (inout SeededGenerator) -> Key, value: (inout SeededGenerator) -> Value
  ) -> [Key: Value] {
    var dictionary: [Key: Value] = [:]
    for _ in 0..<element([0, 1, 2, 3, 20]) { dictionary[key(&self)] = value(&self) }
    return dictionary
  }

  package mutating func integer<Integer: FixedWidthInteger>() -> Integer {
    switch Int.random(in: 0...3, using: &self) {
    case 0: element([0, 1, .min, .max])
    case 1: Integer(truncatingIfNeeded: Int.random(in: -100...100, using: &self))
    default: Integer.random(in: .min ... .max, using: &self)
    }
  }

  package mutating func double() -> Double {
    switch Int.random(in: 0...4, using: &self) {
    case 0:
      return element([
        0, -0.0, 1, 0.1, 1e21, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity,
      ])
    case 1: return Double(Int.random(in: -1_000_000...1_000_000, using: &self)) / 100
    case 2: return Double(Int.random(in: .min ... .max, using: &self))
    default:
      let value = Double(bitPattern: next())
      return value.isNaN ? 0.5 : value
    }
  }

  package mutating func float() -> Float {
    switch Int.random(in: 0...2, using: &self) {
    case 0: return element([0, -0.0, 0.1, 16_777_218, 1e10, 3.4028235e38, .leastNonzeroMagnitude, .infinity])
    case 1: return Float(Int.random(in: -10_000...10_000, using: &self)) / 100
    default:
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: next()))
      return value.isNaN ? 0.5 : value
    }
  }

  package mutating func string() -> String {
    let alphabet: [String] = [
      "a", "b", "Z", "0", " ", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "ß", "日", "🦊", "\u{2028}",
      "\u{FFFF}",
      "\u{10FFFF}", "abcdefgh",
    ]
    return (0..<element([0, 1, 3, 8, 20])).map { _ in element(alphabet) }.joined()
  }

  package mutating func date() -> Date {
    let seconds: Double
    switch Int.random(in: 0...5, using: &self) {
    case 0: seconds = Double(Int.random(in: -2_000_000_000...2_000_000_000, using: &self))
    case 1: seconds = Double(Int.random(in: -2_000_000_000...2_000_000_000, using: &self)) / 1000
    case 2: seconds = Double.random(in: -1e9...1e9, using: &self)
    case 3: seconds = element([0, -0.5, 1e-10, -1e-20, 1e18, -63_113_904_000, 252_423_993_600, 63_113_904_000.000_1])
    case 4: seconds = Double.random(in: -6.3e10...2.5e11, using: &self)
    default: seconds = Double.random(in: -1...1, using: &self)
    }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  package mutating func uuid() -> UUID {
    let (high, low) = (next(), next())
    func byte(_ word: UInt64, _ place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (place * 8)) }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6),
        byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6),
        byte(low, 7)
      ))
  }

  package mutating func url() -> URL {
    let texts = ["https://example.com/a?b=c#d", "file:///tmp/x", "relative/path", "https://example.com/%C3%A9"]
    let text = element(texts)
    guard let url = URL(string: text) else { preconditionFailure("'\(text)' is a URL") }
    return url
  }

  package mutating func decimal() -> Decimal {
    let sign: FloatingPointSign = Bool.random(using: &self) ? .plus : .minus
    let exponent = element([0, -2, -20, 5, -128, 100])
    return Decimal(sign: sign, exponent: exponent, significand: Decimal(element([0, 1, 19, 9_999, Int.max])))
  }
}
