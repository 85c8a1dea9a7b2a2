/// Source that is being written, with its indentation.
struct SourceText {
  private(set) var lines: [String] = []
  private var depth = 0

  /// Adds lines that open and close blocks by their last and first characters.
  mutating func add(_ line: String) {
    if line.hasPrefix("}") { depth -= 1 }
    // A case stands as far out as its switch.
    let indentation = line.hasPrefix("case ") ? depth - 1 : depth
    lines.append(line.isEmpty ? "" : String(repeating: "  ", count: indentation) + line)
    if line.hasSuffix("{") { depth += 1 }
  }

  mutating func add(_ lines: [String]) {
    for line in lines { add(line) }
  }

  var text: String { lines.joined(separator: "\n") + "\n" }
}
