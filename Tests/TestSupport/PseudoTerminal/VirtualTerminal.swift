import TerminalUI

/// A small terminal emulator, which applies a program's output to a screen.
///
/// It supports the sequences of full-screen programs: cursor movement, colors and attributes, erasing, the alternate
/// screen, scrolling regions, wrapping. Other sequences are collected in ``unknown``, so that a test can require that
/// there are none.
package struct VirtualTerminal: Sendable {
  /// A character and its attributes: the codes of "select graphic rendition", as written: `1`, `38;5;208`.
  package struct Cell: Hashable, Sendable {
    package var character: Character = " "
    package var codes: Set<String> = []
    /// A column of a wide character after its first one.
    var isContinuation = false
  }

  struct Cursor: Sendable {
    var row = 0
    var column = 0
    var codes: Set<String> = []
    /// Whether a character was written to the last column, so that the next one wraps.
    var isPastEnd = false
  }

  struct Page: Sendable {
    var cells: [[Cell]]
    var cursor = Cursor()
    var savedCursor = Cursor()

    init(columns: Int, rows: Int) {
      cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
    }
  }

  package private(set) var columns: Int
  package private(set) var rows: Int
  /// Whether the alternate screen is shown.
  package internal(set) var isAlternate = false
  /// Whether the cursor is shown.
  package internal(set) var showsCursor = true
  /// Whether long text wraps.
  package internal(set) var wraps = true
  /// Whether pasted text is marked.
  package internal(set) var marksPaste = false
  /// Whether only a part of the next screen has arrived: a program began to send it, and has not ended yet.
  package internal(set) var isUpdating = false
  /// The number of characters on the alternate screen that were shown by themselves and not as a part of an update.
  package internal(set) var separateCharacters = 0
  /// The modes in which programs get mouse events.
  package internal(set) var mouseModes: Set<Int> = []
  /// The texts that programs copied, in base64.
  package internal(set) var copied: [String] = []
  /// The unsupported sequences.
  package internal(set) var unknown: [String] = []
  /// The number of received bytes.
  package private(set) var byteCount = 0
  var scrollRegion: Range<Int>
  var page: Page
  var otherPage: Page
  private var pending: [UInt8] = []
  /// The width of a character; characters of width 0 are not shown.
  let width: @Sendable (Character) -> Int

  package init(
    columns: Int, rows: Int, width: @escaping @Sendable (Character) -> Int = { character in TextWidth.of(character) }
  ) {
    self.width = width
    self.columns = columns
    self.rows = rows
    page = Page(columns: columns, rows: rows)
    otherPage = page
    scrollRegion = 0..<rows
  }

  /// The rows as text, without trailing spaces.
  package var lines: [String] {
    page.cells.map { row in
      var line = String(row.filter { cell in !cell.isContinuation }.map(\.character))
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// The screen as text: its lines, each with a line feed, without empty lines at the end.
  package var text: String {
    var lines = lines
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { line in line + "\n" }.joined()
  }

  /// The position of the cursor.
  package var cursor: (row: Int, column: Int) { (page.cursor.row, page.cursor.column) }

  package subscript(row: Int, column: Int) -> Cell { page.cells[row][column] }

  /// Resizes the screen: rows and columns are removed or added at the end.
  package mutating func resize(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    scrollRegion = 0..<rows
    page.resize(columns: columns, rows: rows)
    otherPage.resize(columns: columns, rows: rows)
  }

  /// Processes output of a program, in chunks of any length.
  package mutating func feed(_ bytes: [UInt8]) {
    byteCount += bytes.count
    pending += bytes
    var rest = pending[...]
    while let first = rest.first {
      let before = rest
      let isComplete = first == 0x1B ? takeEscape(&rest) : takeText(&rest)
      if !isComplete {
        rest = before
        break
      }
    }
    pending = Array(rest)
  }

  // MARK: Parsing

  /// - Returns: Whether a complete element was processed.
  private mutating func takeText(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if let control = rest.first, control < 0x20 || control == 0x7F {
      rest.removeFirst()
      obey(control)
      return true
    }
    var text = rest.prefix { byte in byte >= 0x20 && byte != 0x7F }
    if text.endIndex == rest.endIndex {
      // The last character may continue in the next chunk.
      let start = text.lastIndex { byte in byte & 0xC0 != 0x80 } ?? text.startIndex
      let lead = text[start]
      let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1
      if text.endIndex - start < length { text = text[..<start] }
    }
    guard !text.isEmpty else { return false }
    rest = rest.dropFirst(text.count)
    for character in String(decoding: text, as: UTF8.self) { put(character) }
    return true
  }

  private mutating func takeEscape(_ rest: inout ArraySlice<UInt8>) -> Bool {
    rest.removeFirst()
    guard let kind = rest.popFirst() else { return false }
    switch kind {
    case UInt8(ascii: "["):
      let parameters = rest.prefix { byte in (0x20...0x3F).contains(byte) }
      rest = rest.dropFirst(parameters.count)
      guard let final = rest.popFirst() else { return false }
      control(String(decoding: parameters, as: UTF8.self), Character(Unicode.Scalar(final)))
    case UInt8(ascii: "]"):
      guard let end = rest.firstIndex(where: { byte in byte == 0x07 || byte == 0x5C }) else { return false }
      let text = String(decoding: rest[..<end], as: UTF8.self)
      if text.hasPrefix("52;c;") { copied.append(String(text.dropFirst(5))) }
      rest = rest[(end + 1)...]
    case UInt8(ascii: "7"): page.savedCursor = page.cursor
    case UInt8(ascii: "8"): page.cursor = page.savedCursor
    case UInt8(ascii: "M"): reverseIndex()
    case UInt8(ascii: "="), UInt8(ascii: ">"): break
    case UInt8(ascii: "("): return rest.popFirst() != nil
    default: unknown.append("ESC \(Character(Unicode.Scalar(kind)))")
    }
    return true
  }
}
