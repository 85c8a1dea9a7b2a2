#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the string tokens of a checked text stand for.
enum JSONStrings {
  /// The string of a token.
  ///
  /// - Complexity: O(length).
  static func string(_ token: JSONToken, _ base: UnsafePointer<UInt8>) -> String {
    if token.kind == .string {
      return String(decoding: UnsafeBufferPointer(start: base + token.start + 1, count: token.value - 2), as: UTF8.self)
    }
    return String(decoding: bytes(token, base), as: UTF8.self)
  }

  /// The bytes of the string of a token, in UTF-8.
  ///
  /// - Complexity: O(length).
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
      // The scanner lets no high surrogate pass without its partner.
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
  /// Whether the string of a token has exactly these bytes.
  ///
  /// - Complexity: O(length), without allocation unless the string is written with escapes.
  @inline(__always)
  static func equals(
    _ token: JSONToken, _ base: UnsafePointer<UInt8>, _ expected: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard token.kind == .string else { return bytes(token, base).elementsEqual(expected) }
    guard token.value - 2 == expected.count else { return false }
    guard let address = expected.baseAddress else { return true }
    return areEqual(base + token.start + 1, address, expected.count)
  }

  /// Whether two runs of bytes are equal: names are short, so that a call would cost more than the comparison.
  @inline(__always)
  private static func areEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    if count >= 8 {
      var index = 0
      while index &+ 8 <= count {
        if ByteWord.load(left + index) != ByteWord.load(right + index) { return false }
        index &+= 8
      }
      // The last eight bytes, some of which are compared once more.
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
