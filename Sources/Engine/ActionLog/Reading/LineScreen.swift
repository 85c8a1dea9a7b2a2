/// A test of the raw bytes of an action's line, which excludes lines before their values are parsed.
///
/// An excluded line is checked like any other, except for the JSON of its values: its checksum, its other members, and that it follows the
/// line before it. Do not share an instance between threads.
package final class LineScreen {
  /// A text that occurs in every line that is not excluded.
  package struct RequiredText: Sendable {
    let text: ByteText
    /// Whether JSON can write the text in another way, with an escape. A line with a backslash is then not excluded.
    let isEscapable: Bool

    package init(_ text: ByteText, isEscapable: Bool) {
      (self.text, self.isEscapable) = (text, isEscapable)
    }

    /// Creates a text in a JSON string; `nil` if JSON writes it with escapes only, or if it is empty.
    package init?(json text: String) {
      let isPlain = text.utf8.allSatisfy { byte in
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      }
      guard isPlain, !text.isEmpty else { return nil }
      self.init(ByteText(text), isEscapable: true)
    }

    /// Creates a complete JSON string; `nil` if JSON writes it with escapes only.
    package init?(jsonString text: String) {
      guard RequiredText(json: text) != nil else { return nil }
      self.init(ByteText("\"\(text)\""), isEscapable: true)
    }
  }

  private let last: Int
  private let excludesType: ((UnsafeRawBufferPointer) -> Bool)?
  private let requiredTexts: () -> [RequiredText]
  private var currentTexts: [RequiredText] = []
  /// The number of lines that were excluded, for tests that count work.
  package private(set) var excludedCount = 0

  /// - Parameters:
  ///   - last: The last action that can be excluded, so that the reader of a range finds its end.
  ///   - excludesType: Whether the type of an action excludes it, called for every line with a type without escapes; `nil` if none does.
  ///   - requiredTexts: The texts, requested before each chunk of lines, because hints need lines that a filter excludes until
  ///     something is found.
  package init(
    upTo last: Int = .max, excludingType excludesType: ((UnsafeRawBufferPointer) -> Bool)? = nil,
    requiring requiredTexts: @escaping () -> [RequiredText]
  ) {
    (self.last, self.excludesType, self.requiredTexts) = (last, excludesType, requiredTexts)
  }

  func beginChunk() { currentTexts = requiredTexts() }

  func excludes(_ line: UnsafeRawBufferPointer, _ parsed: ParsedLine) -> Bool {
    guard !parsed.isControl, parsed.revision <= last else { return false }
    let type = parsed.type.lowerBound &+ 1..<parsed.type.upperBound &- 1
    let isExcluded =
      excludesType?(UnsafeRawBufferPointer(rebasing: line[type])) == true
      || currentTexts.contains { required in
        !required.text.isFound(in: line)
          && !(required.isEscapable && ByteSearch.first(UInt8(ascii: "\\"), in: line, from: 0) != nil)
      }
    if isExcluded { excludedCount += 1 }
    return isExcluded
  }
}

/// A text to find in bytes, with the letters of ASCII in the same case or in either one.
package struct ByteText: Sendable {
  private let bytes: [UInt8]
  /// For each byte, the bit that distinguishes the cases of a letter that is found in both.
  private let caseBits: [UInt8]

  package init(_ text: String, ignoringCase ignoresCase: Bool = false) {
    let lowercased = text.utf8.map { byte in (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    bytes = ignoresCase ? lowercased : Array(text.utf8)
    caseBits = bytes.map { byte in ignoresCase && (0x61...0x7A).contains(byte) ? 0x20 : 0 }
  }

  /// Whether the text occurs in bytes. The first and the last byte of the text are compared at sixteen places at once.
  package func isFound(in whole: UnsafeRawBufferPointer) -> Bool {
    guard let last = bytes.indices.last else { return true }
    guard let base = whole.baseAddress, whole.count > last else { return false }
    let end = whole.count - last
    let lanes = SIMD16<UInt8>.scalarCount
    let first = (byte: SIMD16(repeating: bytes[0]), bit: SIMD16(repeating: caseBits[0]))
    let final = (byte: SIMD16(repeating: bytes[last]), bit: SIMD16(repeating: caseBits[last]))
    var start = 0
    while start < end {
      if end >= lanes {
        // The last places are compared again, rather than one by one.
        start = min(start, end - lanes)
        let heads = base.loadUnaligned(fromByteOffset: start, as: SIMD16<UInt8>.self) | first.bit
        let tails = base.loadUnaligned(fromByteOffset: start + last, as: SIMD16<UInt8>.self) | final.bit
        let matches = unsafeBitCast((heads .== first.byte) .& (tails .== final.byte), to: SIMD2<UInt64>.self)
        if matches[0] | matches[1] == 0 {
          start += lanes
          continue
        }
      }
      let next = min(start + lanes, end)
      while start < next {
        if isAt(base + start) { return true }
        start += 1
      }
    }
    return false
  }

  private func isAt(_ place: UnsafeRawPointer) -> Bool {
    for index in bytes.indices
    where place.load(fromByteOffset: index, as: UInt8.self) | caseBits[index] != bytes[index] {
      return false
    }
    return true
  }
}
