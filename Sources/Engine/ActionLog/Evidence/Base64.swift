package import Platform

/// Base64 of RFC 4648, without leniency: each byte string has exactly one text.
///
/// Foundation's decoder accepts unused bits that are not zero, so that a changed text could decode to the same bytes.
package enum Base64 {
  package enum Alphabet: Sendable {
    /// With `+` and `/`, and padded with `=` (section 4): notes, tiles and proofs.
    case standard
    /// With `-` and `_`, not padded (section 5): salts and commitments in a line.
    case url
  }

  private static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let url = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let padding = UInt8(ascii: "=")

  package static func append(_ bytes: UnsafeRawBufferPointer, _ alphabet: Alphabet, to output: inout [UInt8]) {
    let digits = alphabet == .standard ? standard : url
    var index = 0
    while index < bytes.count {
      let count = min(3, bytes.count - index)
      var group: UInt32 = 0
      for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(bytes[index + offset]) : 0) }
      for digit in 0...count { output.append(digits[Int(group >> UInt32(18 - 6 * digit) & 63)]) }
      if alphabet == .standard { output.append(contentsOf: repeatElement(padding, count: 3 - count)) }
      index += 3
    }
  }

  package static func text(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> String {
    var output: [UInt8] = []
    bytes.withUnsafeBytes { bytes in append(bytes, alphabet, to: &output) }
    return String(decoding: output, as: UTF8.self)
  }

  package static func text(_ digest: SHA256Digest, _ alphabet: Alphabet = .standard) -> String {
    text(digest.bytes, alphabet)
  }

  /// Returns the bytes of a text; `nil` unless it is exactly the text of these bytes.
  package static func bytes(_ text: some Collection<UInt8>, _ alphabet: Alphabet = .standard) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(text.count / 4 * 3 + 2)
    var (group, bitCount) = (UInt32(0), 0)
    for byte in text where byte != padding {
      guard let value = value(of: byte, alphabet) else { return nil }
      (group, bitCount) = (group << 6 | value, bitCount + 6)
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      output.append(UInt8(truncatingIfNeeded: group >> UInt32(bitCount)))
    }
    // Refuses stray bits, and padding that is missing, in the middle, or not of the alphabet.
    var exact: [UInt8] = []
    output.withUnsafeBytes { bytes in append(bytes, alphabet, to: &exact) }
    return exact.elementsEqual(text) ? output : nil
  }

  /// Returns the digest with a text; `nil` unless it is exactly the text of 32 bytes.
  package static func digest(_ text: some Collection<UInt8>, _ alphabet: Alphabet = .standard) -> SHA256Digest? {
    guard text.count == (alphabet == .standard ? 44 : 43) else { return nil }
    return bytes(text, alphabet).flatMap { bytes in SHA256Digest(bytes) }
  }

  private static func value(of byte: UInt8, _ alphabet: Alphabet) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case alphabet == .standard ? UInt8(ascii: "+") : UInt8(ascii: "-"): 62
    case alphabet == .standard ? UInt8(ascii: "/") : UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
