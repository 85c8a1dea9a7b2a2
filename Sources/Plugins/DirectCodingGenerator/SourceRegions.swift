/// Finds conditional compilation in a source file.
///
/// Neither of the generator's inputs contains members that the current build excludes. A type with `#if` in or around
/// it therefore uses `Codable`. A minimal scanner of Swift skips strings and comments.
struct SourceRegions {
  /// The ranges from `#if` to its `#endif`, as lines counted from 0.
  private var conditions: [ClosedRange<Int>] = []
  /// The ranges from `{` to its `}`, as lines.
  private var braces: [ClosedRange<Int>] = []

  init(_ source: String) {
    var scanner = Scanner(bytes: Array(source.utf8))
    scanner.scan()
    conditions = scanner.conditions
    braces = scanner.braces
  }

  /// Whether there is conditional compilation in or around a declaration.
  ///
  /// - Parameter line: The line of the declaration's name, counted from 0.
  func hasCondition(around line: Int) -> Bool {
    let body = braces.filter { $0.lowerBound >= line }.min { $0.lowerBound < $1.lowerBound } ?? line...line
    let declaration = line...max(line, body.upperBound)
    return conditions.contains { $0.overlaps(declaration) }
  }

  private struct Scanner {
    let bytes: [UInt8]
    var index = 0
    var line = 0
    var conditions: [ClosedRange<Int>] = []
    var braces: [ClosedRange<Int>] = []
    private var openConditions: [Int] = []
    private var openBraces: [Int] = []

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    mutating func scan() {
      scanCode(isInterpolation: false)
      // An unclosed region extends to the end.
      conditions += openConditions.map { $0...max($0, line) }
      braces += openBraces.map { $0...max($0, line) }
    }

    private func has(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard index + count <= bytes.count else { return false }
      return (0..<count).allSatisfy { bytes[index + $0] == text.utf8Start[$0] }
    }

    /// Scans code, up to the parenthesis that ends an interpolation.
    private mutating func scanCode(isInterpolation: Bool) {
      var parentheses = 0
      while index < bytes.count {
        if has("//") {
          while index < bytes.count, bytes[index] != 0x0A { index += 1 }
        } else if has("/*") {
          scanComment()
        } else if has("\"") || has("#\"") || has("##") {
          scanString()
        } else {
          switch bytes[index] {
          case 0x0A: line += 1
          case UInt8(ascii: "{"): openBraces.append(line)
          case UInt8(ascii: "}"):
            if let open = openBraces.popLast() { braces.append(open...line) }
          case UInt8(ascii: "("): parentheses += 1
          case UInt8(ascii: ")"):
            if isInterpolation, parentheses == 0 { return }
            parentheses -= 1
          case UInt8(ascii: "#"):
            if has("#if") { openConditions.append(line) }
            if has("#endif"), let open = openConditions.popLast() { conditions.append(open...line) }
          default: break
          }
          index += 1
        }
      }
    }

    private mutating func scanComment() {
      var depth = 0
      repeat {
        if has("/*") {
          depth += 1
          index += 2
        } else if has("*/") {
          depth -= 1
          index += 2
        } else {
          if bytes[index] == 0x0A { line += 1 }
          index += 1
        }
      } while depth > 0 && index < bytes.count
    }

    /// Scans a string with any number of `#`, on one line or on several.
    private mutating func scanString() {
      var hashes = 0
      while index < bytes.count, bytes[index] == UInt8(ascii: "#") {
        hashes += 1
        index += 1
      }
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return }
      let quotes = has("\"\"\"") ? 3 : 1
      index += quotes
      while index < bytes.count {
        if isRun(UInt8(ascii: "\""), quotes, then: hashes) {
          index += quotes + hashes
          return
        }
        if bytes[index] == UInt8(ascii: "\\"), isHashes(at: index + 1, hashes) {
          index += 1 + hashes
          if index < bytes.count, bytes[index] == UInt8(ascii: "(") {
            index += 1
            scanCode(isInterpolation: true)
          }
        }
        if index < bytes.count, bytes[index] == 0x0A {
          line += 1
          if quotes == 1 { return }
        }
        index += 1
      }
    }

    private func isRun(_ byte: UInt8, _ count: Int, then hashes: Int) -> Bool {
      guard index + count + hashes <= bytes.count else { return false }
      return (0..<count).allSatisfy { bytes[index + $0] == byte } && isHashes(at: index + count, hashes)
    }

    private func isHashes(at place: Int, _ count: Int) -> Bool {
      guard place + count <= bytes.count else { return false }
      return (0..<count).allSatisfy { bytes[place + $0] == UInt8(ascii: "#") }
    }
  }
}
