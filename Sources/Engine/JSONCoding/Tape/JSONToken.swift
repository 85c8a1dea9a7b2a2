#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A token of a tape in eight bytes: a kind, a start offset, and a number that depends on the kind.
///
/// An object or array has two tokens. The first one stores the index of the token after its subtree; the second one (of kind `span`)
/// stores the end offset and the number of children. A name is a string token before its value. With eight bytes per token, the tape of the
/// densest text, `[0,0,0…`, is four times as large as the text.
struct JSONToken {
  enum Kind: UInt8 {
    case null, `false`, `true`, integer, decimal, string, escapedString, array, object, span
  }

  /// The kind in the low 4 bits, then 30 bits for each number.
  private var bits: UInt64

  /// The largest text that 30 bits can address: 1 GiB, the limit of a snapshot.
  static let limit = 1 << 30

  private static let mask: UInt64 = (1 << 30) - 1

  init(_ kind: Kind, start: Int, value: Int) {
    bits = UInt64(kind.rawValue) | UInt64(truncatingIfNeeded: start) << 4 | UInt64(truncatingIfNeeded: value) << 34
  }

  var kind: Kind {
    // The bits are written only by the initializer. The cases of an enum without payloads are stored as consecutive numbers, like the raw
    // values. `init(rawValue:)` would cost a call.
    @inline(__always) get { unsafeBitCast(UInt8(truncatingIfNeeded: bits & 15), to: Kind.self) }
  }

  /// The offset of the value's first byte; for a span, the offset after the container.
  var start: Int { Int(truncatingIfNeeded: (bits >> 4) & JSONToken.mask) }

  /// The length of a scalar in bytes, the token index after a container's subtree, or the count of a span.
  var value: Int { Int(truncatingIfNeeded: bits >> 34) }

  var valueKind: JSONTape.Kind {
    switch kind {
    case .null: .null
    case .true, .false: .bool
    case .integer, .decimal: .number
    case .string, .escapedString: .string
    case .array: .array
    case .object, .span: .object
    }
  }

  var isContainer: Bool { kind == .object || kind == .array }

  var isString: Bool { kind == .string || kind == .escapedString }

  mutating func increment() { bits &+= 1 << 34 }
}

/// An unowned reference to a validated text and its tokens.
///
/// All indices come from tokens that the scanner has written, so they are in bounds.
struct TokenText {
  let base: UnsafePointer<UInt8>
  let count: Int
  let tokens: UnsafePointer<JSONToken>

  @inline(__always)
  subscript(index: Int) -> JSONToken { tokens[index] }

  @inline(__always)
  func next(after index: Int) -> Int {
    let token = tokens[index]
    return token.isContainer ? token.value : index &+ 1
  }

  func string(_ index: Int) -> String {
    JSONStrings.string(tokens[index], base)
  }

  func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let token = tokens[index]
    let end = token.isContainer ? tokens[index + 1].start : token.start + token.value
    return UnsafeBufferPointer(start: base + token.start, count: end - token.start)
  }
}

extension JSONTape {
  @inline(__always)
  func withText<Result>(_ body: (TokenText) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBufferPointer { bytes in
      try tokens.withUnsafeBufferPointer { tokens in
        // A validated text is not empty and has at least one token, so both buffers have addresses.
        try body(
          TokenText(
            base: bytes.baseAddress.unsafelyUnwrapped, count: bytes.count,
            tokens: tokens.baseAddress.unsafelyUnwrapped))
      }
    }
  }
}

/// Access to the strings of a validated text.
enum JSONStrings {
  static func string(_ token: JSONToken, _ base: UnsafePointer<UInt8>) -> String {
    if token.kind == .string {
      return String(decoding: UnsafeBufferPointer(start: base + token.start + 1, count: token.value - 2), as: UTF8.self)
    }
    return String(decoding: bytes(token, base), as: UTF8.self)
  }

  static func bytes(_ token: JSONToken, _ base: UnsafePointer<UInt8>) -> [UInt8] {
    let raw = UnsafeBufferPointer(start: base + token.start + 1, count: token.value - 2)
    if token.kind == .string { return Array(raw) }
    var result: [UInt8] = []
    result.reserveCapacity(raw.count)
    var index = 0
    while index < raw.count {
      if raw[index] == UInt8(ascii: "\\") {
        appendEscape(raw, &index, to: &result)
      } else {
        result.append(raw[index])
        index += 1
      }
    }
    return result
  }

  private static func appendEscape(_ raw: UnsafeBufferPointer<UInt8>, _ index: inout Int, to result: inout [UInt8]) {
    let letter = raw[index + 1]
    guard letter == UInt8(ascii: "u") else {
      result.append(simpleEscape(letter))
      index += 2
      return
    }
    var scalar = unit(raw, index + 2)
    index += 6
    if scalar & 0xF800 == 0xD800 {
      // The scanner has rejected unpaired surrogates.
      scalar = 0x10000 + (scalar & 0x3FF) << 10 + unit(raw, index + 2) & 0x3FF
      index += 6
    }
    if let scalar = Unicode.Scalar(scalar) {
      result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }

  private static func simpleEscape(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  private static func unit(_ raw: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt32 {
    var unit: UInt32 = 0
    for byte in raw[start..<start + 4] { unit = unit << 4 | UInt32(JSONScanner.hexValue(byte) ?? 0) }
    return unit
  }
}

extension JSONStrings {
  /// The first eight bytes of a string, so that they compare like the string.
  ///
  /// - Parameter limit: The number of readable bytes after the opening quote.
  @inline(__always)
  static func prefix(_ token: JSONToken, _ base: UnsafePointer<UInt8>, limit: Int) -> UInt64 {
    guard token.kind == .string else { return escapedPrefix(token, base) }
    return ByteWord.prefix(base + (token.start &+ 1), count: token.value &- 2, limit: limit)
  }

  private static func escapedPrefix(_ token: JSONToken, _ base: UnsafePointer<UInt8>) -> UInt64 {
    bytes(token, base).withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { ByteWord.prefix($0, count: bytes.count, limit: bytes.count) } ?? 0
    }
  }

  /// Whether the string of a token consists of exactly these bytes.
  @inline(__always)
  static func equals(
    _ token: JSONToken, _ base: UnsafePointer<UInt8>, _ expected: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard token.kind == .string else { return bytes(token, base).elementsEqual(expected) }
    guard token.value - 2 == expected.count else { return false }
    guard let address = expected.baseAddress else { return true }
    return areEqual(base + token.start + 1, address, expected.count)
  }

  /// Whether two byte sequences are equal. Inlined, because a call to `memcmp` costs more than comparing short names.
  @inline(__always)
  private static func areEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    if count >= 8 {
      var index = 0
      while index &+ 8 <= count {
        if ByteWord.load(left + index) != ByteWord.load(right + index) { return false }
        index &+= 8
      }
      // The last eight bytes, which may overlap the preceding ones.
      return ByteWord.load(left + count - 8) == ByteWord.load(right + count - 8)
    }
    for index in 0..<count where left[index] != right[index] { return false }
    return true
  }

  /// Compares the unescaped bytes of two strings: negative if the left one comes first.
  static func order(_ left: JSONToken, _ right: JSONToken, _ base: UnsafePointer<UInt8>) -> Int {
    if left.kind == .string, right.kind == .string {
      let common = min(left.value, right.value) - 2
      let order = Int(memcmp(base + left.start + 1, base + right.start + 1, common))
      return order == 0 ? left.value - right.value : order
    }
    let (left, right) = (bytes(left, base), bytes(right, base))
    if left == right { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
  }
}

/// Validation of non-ASCII scalars, according to table 3-7 of the Unicode Standard, "Well-Formed UTF-8 Byte Sequences".
enum UTF8Scalar {
  /// Returns the length in bytes of the scalar at an address, or 0 if there is no valid scalar.
  ///
  /// - Parameter limit: The number of readable bytes, at least 1.
  static func size(at start: UnsafeRawPointer, limit: Int) -> Int {
    func byte(_ index: Int) -> UInt8 { start.load(fromByteOffset: index, as: UInt8.self) }
    let size: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch byte(0) {
    case 0xC2...0xDF: size = 2
    case 0xE0: (size, second) = (3, 0xA0...0xBF)
    case 0xED: (size, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: size = 3
    case 0xF0: (size, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: size = 4
    case 0xF4: (size, second) = (4, 0x80...0x8F)
    default: return 0
    }
    guard size <= limit, second.contains(byte(1)) else { return 0 }
    if size > 2, byte(2) & 0xC0 != 0x80 { return 0 }
    if size > 3, byte(3) & 0xC0 != 0x80 { return 0 }
    return size
  }
}
