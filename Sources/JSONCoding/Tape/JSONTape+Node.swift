extension JSONTape {
  /// What a value is.
  public enum Kind: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool
    /// A number.
    case number
    /// A string.
    case string
    /// An array.
    case array
    /// An object.
    case object
  }

  /// One value on a tape.
  public struct Node: Sendable {
    let tape: JSONTape
    let index: Int

    var token: JSONToken { tape.tokens[index] }

    /// What the value is.
    public var kind: Kind { token.valueKind }

    /// Where the value stands in the text, quotes and brackets included, counted from 0 at the first byte of the text.
    public var byteRange: Range<Int> {
      let token = token
      let end = token.isContainer ? tape.tokens[index + 1].start : token.start + token.value
      return token.start..<end
    }

    /// The bytes of the value, quotes and brackets included.
    public var bytes: ArraySlice<UInt8> {
      let range = byteRange
      let start = tape.bytes.startIndex
      return tape.bytes[start + range.lowerBound..<start + range.upperBound]
    }

    /// Whether the value is `null`.
    public var isNull: Bool { token.kind == .null }

    /// Whether the value is a number that is written without fraction and exponent.
    public var isInteger: Bool { token.kind == .integer }

    /// The Boolean, or `nil` if the value is none.
    public func bool() -> Bool? {
      switch token.kind {
      case .true: true
      case .false: false
      default: nil
      }
    }

    /// The string, unescaped, or `nil` if the value is none.
    ///
    /// - Complexity: O(length).
    public func string() -> String? {
      let token = token
      guard token.isString else { return nil }
      return tape.withBase { JSONStrings.string(token, $0) }
    }

    /// The UTF-8 bytes of the string, unescaped, or `nil` if the value is none.
    ///
    /// - Complexity: O(length).
    public func stringBytes() -> [UInt8]? {
      let token = token
      guard token.isString else { return nil }
      return tape.withBase { JSONStrings.bytes(token, $0) }
    }

    /// The number as an `Int`, `1.0` and `1e2` included, or `nil` if the value is not exactly one.
    public func int() -> Int? { integer(Int.self) }

    /// The number as an integer of a type, or `nil` if the value is not exactly one.
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
      let token = token
      guard token.kind == .integer || token.kind == .decimal else { return nil }
      return tape.withBase { base in
        JSONDecimal(UnsafeBufferPointer(start: base + token.start, count: token.value)).integer(type)
      }
    }

    /// The number with its exact text, or `nil` if the value is none.
    public func number() -> JSONNumber? {
      guard kind == .number else { return nil }
      return JSONNumber(checked: String(decoding: bytes, as: UTF8.self))
    }

    /// How many members an object or elements an array has; 0 for every other value.
    public var count: Int { token.isContainer ? tape.tokens[index + 1].value : 0 }

    /// Whether the value is a string of exactly these bytes.
    ///
    /// - Complexity: O(length), without allocation unless the string is written with escapes.
    public func equals(_ text: StaticString) -> Bool {
      let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      return equals(expected)
    }

    func equals(_ expected: UnsafeBufferPointer<UInt8>) -> Bool {
      let token = token
      guard token.isString else { return false }
      return tape.withBase { JSONStrings.equals(token, $0, expected) }
    }

    /// The index of the token after this value.
    var next: Int {
      let token = token
      return token.isContainer ? token.value : index + 1
    }
  }
}
