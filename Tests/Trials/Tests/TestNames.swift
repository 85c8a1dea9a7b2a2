import Foundation

/// Finds the tests and suites in Swift sources: the names of types and functions after `@Test` and `@Suite`.
struct TestNames {
  /// A test and its enclosing type.
  struct Test: Hashable {
    var suite: String
    var name: String
  }

  private(set) var tests: Set<Test> = []
  private(set) var suites: Set<String> = []

  /// Reads all Swift files in a directory.
  init(under directory: URL) throws {
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) where path.hasSuffix(".swift") {
      add(try String(contentsOf: directory.appendingPathComponent(path), encoding: .utf8))
    }
  }

  /// Reads one source.
  init(of source: String) { add(source) }

  /// Returns the number of tests and suites that match a name: `test`, `Suite/test` or `Suite`.
  func count(of name: String) -> Int {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    switch parts.count {
    case 1: return tests.count { test in test.name == name } + (suites.contains(name) ? 1 : 0)
    case 2: return tests.contains(Test(suite: parts[0], name: parts[1])) ? 1 : 0
    default: return 0
    }
  }

  // MARK: - Reading

  private static let types: Set = ["struct", "class", "enum", "actor", "extension"]

  /// Parses words and brackets. An attribute belongs to the next function or type.
  private mutating func add(_ source: String) {
    var words = SourceWords.words(of: source)[...]
    // The open types; `nil` for other braces.
    var open: [String?] = []
    var attributes: Set<String> = []
    var type: String?
    while let word = words.popFirst() {
      switch word {
      case "@":
        attributes.insert(words.popFirst() ?? "")
        if words.first == "(" { Self.skipParentheses(&words) }
      case "func":
        let name = words.popFirst() ?? ""
        if attributes.contains("Test") {
          tests.insert(Test(suite: open.compactMap { name in name }.last ?? "", name: name))
        }
        attributes = []
      case _ where Self.types.contains(word) && words.first?.first?.isLetter == true && words.first != "func":
        type = words.popFirst()
        while words.first == "." {
          words.removeFirst()
          type = words.popFirst()
        }
        if let type, attributes.contains("Suite") { suites.insert(type) }
        attributes = []
      case "{":
        open.append(type)
        type = nil
      case "}": _ = open.popLast()
      case "var", "let", "init", "case": attributes = []
      default: break
      }
    }
  }

  private static func skipParentheses(_ words: inout ArraySlice<String>) {
    var depth = 0
    repeat {
      let word = words.popFirst()
      if word == "(" { depth += 1 } else if word == ")" { depth -= 1 }
    } while depth > 0 && !words.isEmpty
  }
}

/// Splits Swift source into words and other visible characters, without comments and string literals.
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

  /// Whether a text is at the current position. The first byte is checked first: this is called two million times, in
  /// debug builds as well.
  private func isAt(_ text: String) -> Bool {
    bytes[next] == text.utf8.first && bytes[next...].starts(with: text.utf8)
  }

  private func isAt(byte: Unicode.Scalar) -> Bool { bytes[next] == UInt8(ascii: byte) }

  /// Moves past the next occurrence of a text, or to the end.
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

  /// Moves past a string literal of one or several lines, with any number of `#`.
  ///
  /// - Returns: Whether there was one.
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
        // It was not a string literal, but a quote in a regular expression.
        return true
      } else {
        next += 1
      }
    }
    next = min(next + end.utf8.count, bytes.count)
    return true
  }

  /// Moves past an interpolation in a string literal, beginning at its parenthesis.
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
