/// Takes Swift source apart into words and other visible characters, and leaves out comments and what stands in quotes.
struct SourceWords {
  private let bytes: [UInt8]
  private var next = 0
  private var words: [String] = []

  static func words(of source: String) -> [String] {
    var scanner = SourceWords(bytes: Array(source.utf8))
    while scanner.next < scanner.bytes.count { scanner.step() }
    return scanner.words
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Whether a text stands here. Its first byte is looked at first: this is asked for at two million bytes, in debug builds too.
  private func isAt(_ text: String) -> Bool {
    bytes[next] == text.utf8.first && bytes[next...].starts(with: text.utf8)
  }

  private func isAt(byte: Unicode.Scalar) -> Bool { bytes[next] == UInt8(ascii: byte) }

  /// Goes on behind the next place where a text stands, or to the end.
  private mutating func skip(past text: String) {
    while next < bytes.count, !isAt(text) { next += 1 }
    next = min(next + text.utf8.count, bytes.count)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...,
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private mutating func step() {
    let start = next
    if isAt(byte: "/"), isAt("//") {
      skip(past: "\n")
    } else if isAt(byte: "/"), isAt("/*") {
      skip(past: "*/")
    } else if !skipString() {
      while next < bytes.count, Self.isWord(bytes[next]) { next += 1 }
      if next == start { next += 1 }
      // No white space.
      if bytes[start] > 0x20 { words.append(String(decoding: bytes[start..<next], as: UTF8.self)) }
    }
  }

  /// Goes on behind a text in quotes, of one line or of several, and between any number of `#`.
  ///
  /// - Returns: Whether one begins here.
  private mutating func skipString() -> Bool {
    guard isAt(byte: "#") || isAt(byte: "\"") else { return false }
    let hashes = String(repeating: "#", count: bytes[next...].prefix { byte in byte == UInt8(ascii: "#") }.count)
    guard bytes[next...].dropFirst(hashes.count).first == UInt8(ascii: "\"") else { return false }
    next += hashes.count
    let quotes = isAt("\"\"\"") ? "\"\"\"" : "\""
    next += quotes.count
    let (end, escape) = (quotes + hashes, "\\" + hashes)
    while next < bytes.count, !isAt(end) {
      if isAt(byte: "\\"), isAt(escape) {
        next += escape.utf8.count
        if next < bytes.count, isAt(byte: "(") { skipInterpolation() } else { next += 1 }
      } else if quotes.count == 1, isAt(byte: "\n") {
        // It was no text: a quote in a regular expression.
        return true
      } else {
        next += 1
      }
    }
    next = min(next + end.utf8.count, bytes.count)
    return true
  }

  /// Goes on behind the code in a text, from its parenthesis on.
  private mutating func skipInterpolation() {
    var depth = 0
    repeat {
      if skipString() { continue }
      if isAt(byte: "(") { depth += 1 }
      if isAt(byte: ")") { depth -= 1 }
      next += 1
    } while depth > 0 && next < bytes.count
  }
}
