import JSONCoding

enum ValueOrder {
  case before
  case same
  case after

  /// Compares two values; `nil` if they differ and neither comes first.
  ///
  /// Numbers compare by value, whatever their texts. A string that holds a number, as a `Decimal` is encoded, compares with a
  /// number as a number. Two such strings are ordered as numbers, but are the same only if their texts are. Other strings are
  /// ordered by code points.
  static func of(_ left: JSONValue, _ right: JSONValue) -> ValueOrder? {
    switch (left, right) {
    case (.number(let left), .number(let right)): DecimalNumber.order(left.text, right.text)
    case (.number(let left), .string(let right)):
      JSONNumber(right).flatMap { right in DecimalNumber.order(left.text, right.text) }
    case (.string(let left), .number(let right)):
      JSONNumber(left).flatMap { left in DecimalNumber.order(left.text, right.text) }
    case (.string(let left), .string(let right)): order(left, right)
    default: NumericEquality.areEqual(left, right) ? .same : nil
    }
  }

  private static func order(_ left: String, _ right: String) -> ValueOrder {
    if left.utf8.elementsEqual(right.utf8) { return .same }
    let text: ValueOrder = left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
    guard let left = JSONNumber(left), let right = JSONNumber(right) else { return text }
    // "1.0" and "1.00" are different texts, so one of them has to come first.
    let order = DecimalNumber.order(left.text, right.text)
    return order == .same ? text : order ?? text
  }
}

/// A decimal number in canonical form: a sign, digits without leading and trailing zeros, and a power of ten.
struct DecimalNumber: Equatable {
  private var isNegative: Bool
  private var digits: [UInt8]
  private var exponent: Int

  /// Parses a number of RFC 8259; `nil` if its exponent is too large.
  init?(_ text: String) {
    let unsigned = text.utf8.drop { byte in byte == UInt8(ascii: "-") }
    let parts = unsigned.split(maxSplits: 1) { byte in byte | 0x20 == UInt8(ascii: "e") }
    guard let mantissa = parts.first else { return nil }
    var exponent = 0
    if parts.count == 2 {
      guard let stated = Int(Substring(parts[1])), stated.magnitude < Int.max / 4 else { return nil }
      exponent = stated
    }
    let pointed = mantissa.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    exponent -= pointed.count == 2 ? pointed[1].count : 0
    var digits = Array(pointed.joined().drop { byte in byte == UInt8(ascii: "0") })
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    // Zero is one value, whatever its sign and exponent.
    self.isNegative = !digits.isEmpty && unsigned.startIndex != text.utf8.startIndex
    self.digits = digits
    self.exponent = digits.isEmpty ? 0 : exponent
  }

  /// Compares two numbers of RFC 8259; `nil` if their texts differ and an exponent is too large.
  static func order(_ left: String, _ right: String) -> ValueOrder? {
    if left == right { return .same }
    if let left = Int(left), let right = Int(right) { return left == right ? .same : left < right ? .before : .after }
    guard let left = DecimalNumber(left), let right = DecimalNumber(right) else { return nil }
    return left == right ? .same : left.precedes(right) ? .before : .after
  }

  private func precedes(_ other: DecimalNumber) -> Bool {
    if isNegative != other.isNegative { return isNegative }
    return isNegative ? other.isSmaller(than: self) : isSmaller(than: other)
  }

  private func isSmaller(than other: DecimalNumber) -> Bool {
    guard !digits.isEmpty, !other.digits.isEmpty else { return digits.isEmpty && !other.digits.isEmpty }
    let (size, otherSize) = (digits.count + exponent, other.digits.count + other.exponent)
    return size == otherSize ? digits.lexicographicallyPrecedes(other.digits) : size < otherSize
  }
}

/// The equality of the `test` operation of RFC 6902, section 4.6: numbers are equal if their values are, so `1`, `1.0` and
/// `10e-1` are equal. Everywhere else in this module the texts of numbers are compared.
enum NumericEquality {
  static func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.number(let left), .number(let right)):
      DecimalNumber.order(left.text, right.text) == .same
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy(areEqual)
    case (.object(let left), .object(let right)):
      left.count == right.count
        && left.allSatisfy { member in right[member.name].map { value in areEqual(member.value, value) } ?? false }
    default:
      left == right
    }
  }
}

extension JSONValue {
  /// Whether a string contains a substring, an array an element, or an object a member of a name.
  func contains(_ part: JSONValue) -> Bool {
    switch (self, part) {
    case (.string(let text), .string(let part)): text.utf8.contains(part.utf8)
    case (.array(let elements), _): elements.contains { element in NumericEquality.areEqual(element, part) }
    case (.object(let object), .string(let name)): object[name] != nil
    default: false
    }
  }
}

extension String.UTF8View {
  /// Whether the bytes contain those of another text.
  fileprivate func contains(_ part: String.UTF8View) -> Bool {
    let (whole, part) = (Array(self), Array(part))
    guard part.count <= whole.count else { return false }
    return (0...(whole.count - part.count)).contains { start in whole[start..<start + part.count].elementsEqual(part) }
  }
}

/// A pattern: `*` matches any text, `?` one character, every other character itself.
struct WildcardPattern: Hashable, Sendable {
  let text: String
  private let parts: [Unicode.Scalar]

  init(_ text: String) {
    self.text = text
    parts = Array(text.unicodeScalars)
  }

  /// Whether the pattern matches a complete text.
  ///
  /// - Complexity: O(length of the text · length of the pattern), whatever the number of stars.
  func matches(_ text: String) -> Bool {
    let text = Array(text.unicodeScalars)
    var (part, place) = (0, 0)
    // Where to continue after a mismatch: the last star takes one more character.
    var retry: (part: Int, place: Int)?
    while place < text.count {
      if part < parts.count, parts[part] == "*" {
        part += 1
        retry = (part, place)
      } else if part < parts.count, parts[part] == "?" || parts[part] == text[place] {
        part += 1
        place += 1
      } else if let last = retry {
        retry = (last.part, last.place + 1)
        (part, place) = (last.part, last.place + 1)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { part in part == "*" }
  }
}

/// A set of JSON kinds: those of the values that were met.
struct ValueKinds: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let null = ValueKinds(rawValue: 1)
  static let bool = ValueKinds(rawValue: 2)
  static let number = ValueKinds(rawValue: 4)
  static let string = ValueKinds(rawValue: 8)
  static let array = ValueKinds(rawValue: 16)
  static let object = ValueKinds(rawValue: 32)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The kinds that a value can be compared with; two for a string that holds a number, as a `Decimal` is encoded.
  init(comparing value: JSONValue) {
    self.init(value)
    if case .string(let text) = value, JSONNumber(text) != nil { insert(.number) }
  }

  init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool: self = .bool
    case .number: self = .number
    case .string: self = .string
    case .array: self = .array
    case .object: self = .object
    }
  }
}
