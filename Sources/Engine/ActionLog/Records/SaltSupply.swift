internal import CSystem

/// The text of a salt in a line: 16 random bytes as 22 characters of the base64url alphabet, without padding.
///
/// Salts are encoded when they are taken from a ``SaltSupply``, with a table of twelve bits, so that a line costs eleven
/// lookups (benchmark `append, no sync, direct, salted`).
package struct SaltText: Equatable, Sendable {
  static let sizeBytes = 16
  static let textSizeBytes = 22

  /// The characters as little-endian words; the last word has six of them.
  let words: (UInt64, UInt64, UInt64)

  @inline(__always)
  init(_ bytes: UnsafeRawPointer) {
    let high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    self = SaltText.pairs.withUnsafeBufferPointer { pairs in
      /// Returns the two characters of twelve bits.
      func pair(_ bits: UInt64) -> UInt64 { UInt64(pairs[Int(truncatingIfNeeded: bits & 0xFFF)]) }
      let first = pair(high >> 52) | pair(high >> 40) << 16 | pair(high >> 28) << 32 | pair(high >> 16) << 48
      let second =
        pair(high >> 4) | pair(high << 8 | low >> 56) << 16 | pair(low >> 44) << 32 | pair(low >> 32) << 48
      // The last eight bits are followed by four zeros.
      let third = pair(low >> 20) | pair(low >> 8) << 16 | pair(low << 4) << 32
      return SaltText(words: (first, second, third))
    }
  }

  package init(_ bytes: [UInt8]) {
    precondition(bytes.count == SaltText.sizeBytes, "a salt has 16 bytes")
    self = bytes.withUnsafeBytes { bytes in SaltText(bytes.baseAddress.unsafelyUnwrapped) }
  }

  private init(words: (UInt64, UInt64, UInt64)) {
    self.words = words
  }

  package static func == (left: SaltText, right: SaltText) -> Bool { left.words == right.words }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The two characters of every twelve bits, the first one in the lower byte.
  private static let pairs: [UInt16] = (0..<4_096).map { bits in
    UInt16(alphabet[bits >> 6]) | UInt16(alphabet[bits & 63]) << 8
  }
}

extension SaltText {
  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highs: UInt64 { 0x8080_8080_8080_8080 }

  /// Whether the text of a salt is at an address: 22 characters of the base64url alphabet, of which the last one has no
  /// bits beyond the 16 bytes. The caller has checked the length.
  @inline(__always)
  static func isText(at start: UnsafeRawPointer) -> Bool {
    let first = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    let second = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    // The words overlap by two characters.
    let third = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 14, as: UInt64.self))
    guard isAlphabet(first) & isAlphabet(second) & isAlphabet(third) & highs == highs else { return false }
    switch UInt8(truncatingIfNeeded: third >> 56) {
    case UInt8(ascii: "A"), UInt8(ascii: "Q"), UInt8(ascii: "g"), UInt8(ascii: "w"): return true
    default: return false
    }
  }

  /// Returns a word whose high bits mark the characters of the base64url alphabet. The other bits have no meaning.
  @inline(__always)
  private static func isAlphabet(_ word: UInt64) -> UInt64 {
    let text = word & ~highs
    /// Marks the bytes that are at least a character. No byte of `text` has its high bit, so no sum carries.
    func least(_ text: UInt64, _ character: UInt8) -> UInt64 { text &+ ones &* UInt64(0x80 - character) }
    let folded = text | ones &* 0x20
    let letters = least(folded, UInt8(ascii: "a")) & ~least(folded, UInt8(ascii: "z") + 1)
    let digits = least(text, UInt8(ascii: "0")) & ~least(text, UInt8(ascii: "9") + 1)
    let hyphens = least(text, UInt8(ascii: "-")) & ~least(text, UInt8(ascii: "-") + 1)
    let underscores = least(text, UInt8(ascii: "_")) & ~least(text, UInt8(ascii: "_") + 1)
    return (letters | digits | hyphens | underscores) & ~word
  }
}

/// Random bytes for the salts of the next lines, generated in advance.
///
/// A writer's thread adds bytes while it writes a batch, so that appending usually only takes them. If they are used up
/// before that, they are generated on the appending thread.
struct SaltSupply: Sendable {
  /// Generates random bytes; see ``LogEnvironment/makeSalts``.
  typealias Source = @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// 64 KiB: 4,096 salts, about as many as lines fit in a buffer of a writer.
  static let refillBytes = 1 << 16
  /// 1 KiB: the first portion, enough for a writer of few actions.
  private static let firstBytes = 1 << 10

  private var bytes: [UInt8] = []
  private var used = 0
  /// The next portion; empty until one was added.
  private var next: [UInt8] = []
  private var portionBytes = SaltSupply.firstBytes

  /// Whether the next portion should be generated now. False for a writer that has used few salts.
  var needsRefill: Bool { next.isEmpty && bytes.count == SaltSupply.refillBytes }

  @inline(__always)
  mutating func take(from source: Source) -> SaltText {
    if used == bytes.count { advance(source) }
    defer { used &+= SaltText.sizeBytes }
    return bytes.withUnsafeBytes { bytes in
      // `advance` has provided at least one portion.
      SaltText(bytes.baseAddress.unsafelyUnwrapped + used)
    }
  }

  /// Adds a portion that was generated in advance.
  mutating func add(_ portion: [UInt8]) {
    if next.isEmpty { next = portion }
  }

  /// Discards all random bytes. They are generated again when they are needed.
  mutating func releaseMemory() { self = SaltSupply() }

  @inline(never)
  private mutating func advance(_ source: Source) {
    bytes = next.isEmpty ? SaltSupply.portion(portionBytes, source) : next
    used = 0
    next = []
    portionBytes = SaltSupply.refillBytes
  }

  static func portion(_ count: Int, _ source: Source) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let memory = UnsafeMutableRawBufferPointer(buffer)
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      source(memory)
      initialized = count
    }
  }

  /// Fills memory with random bytes of the system.
  static func fillFromSystem(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress, csystem_fill_random(start, bytes.count) != 0 else { return }
    // Swift's generator has other sources, and ends the process if none works.
    var generator = SystemRandomNumberGenerator()
    for index in bytes.indices { bytes[index] = UInt8.random(in: .min ... .max, using: &generator) }
  }
}

/// The exact layout of a line with a salt or a redaction: the members in the order of the writer, no others, and no white space.
///
/// The tree of a log has the commitment to `data` and `meta` in place of their bytes. What the commitment does not cover
/// must therefore be determined by the rest of the line.
enum SaltedLine {
  /// Checks a line whose sixth member is a salt or a commitment. Other lines have any layout.
  ///
  /// - Parameter line: A line that is strict JSON, without its line feed.
  /// - Returns: What the line states about its redaction; `nil` if it is not redacted.
  static func check(_ line: UnsafeRawBufferPointer) throws(LineFault) -> LineRedaction? {
    let form: LineForm
    do throws(LineForm.Fault) { form = try LineForm(line) } catch { throw .invalidForm(error.message) }
    guard form.kind != .plain else { return nil }
    for range in [form.data, form.meta].compactMap(\.self) where hasWhiteSpace(Array(line[range])[...]) {
      throw .invalidForm("its content has white space")
    }
    guard case .redacted(let redaction) = form.kind else { return nil }
    var computer = Commitment()
    do throws(LineForm.Fault) { _ = try form.commitment(in: line, with: &computer) } catch {
      throw .wrongCommitment(error.message)
    }
    return redaction
  }

  /// Returns an object without the white space between its tokens. The bytes of strings and numbers are unchanged.
  static func compacted(_ object: [UInt8]) -> [UInt8] {
    guard hasWhiteSpace(object[...]) else { return object }
    var compact: [UInt8] = []
    compact.reserveCapacity(object.count)
    var text = TokenText()
    for byte in object where !text.isWhiteSpace(byte) { compact.append(byte) }
    return compact
  }

  /// Whether there is white space between the tokens of a JSON text.
  static func hasWhiteSpace(_ json: ArraySlice<UInt8>) -> Bool {
    var text = TokenText()
    for byte in json where text.isWhiteSpace(byte) { return true }
    return false
  }

  /// A position in a JSON text: inside or outside of a string.
  private struct TokenText {
    private var isInString = false
    private var isEscaped = false

    /// Advances by a byte, and returns whether it is white space between tokens.
    mutating func isWhiteSpace(_ byte: UInt8) -> Bool {
      guard isInString else {
        if byte == UInt8(ascii: "\"") { isInString = true }
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): return true
        default: return false
        }
      }
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
      return false
    }
  }
}
