/// A line of comma-separated values (RFC 4180, with a line feed as the end of the line).
///
/// Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula, and a log can hold any text: such a
/// cell begins with an apostrophe here. Numbers of our own are given as numbers.
struct CSVLine {
  private(set) var text = ""
  private var isEmpty = true

  /// Adds a number.
  mutating func append(_ number: Int) { add(String(number)) }

  /// Adds a text.
  mutating func append(_ cell: String) {
    let guarded = cell.unicodeScalars.first.map(Self.isFormula) == true ? "'" + cell : cell
    guard guarded.unicodeScalars.contains(where: Self.needsQuotes) else { return add(guarded) }
    add("\"" + guarded.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\"")
  }

  private mutating func add(_ cell: String) {
    if !isEmpty { text += "," }
    text += cell
    isEmpty = false
  }

  /// A tab or a carriage return before a formula is passed over by some programs.
  private static func isFormula(_ scalar: Unicode.Scalar) -> Bool { "=+-@\t\r".unicodeScalars.contains(scalar) }

  private static func needsQuotes(_ scalar: Unicode.Scalar) -> Bool { ",\"\r\n".unicodeScalars.contains(scalar) }
}
