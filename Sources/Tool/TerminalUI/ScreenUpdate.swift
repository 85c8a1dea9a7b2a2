/// Computes the bytes that change a terminal from one screen to another: of each changed row, those from its first changed cell to its
/// last one.
///
/// A changed row that has or had other characters than ASCII and lines is sent completely, because terminals disagree about the
/// width of characters.
package struct ScreenUpdate {
  let usesColor: Bool

  private var output = ""
  private var style = CellStyle.plain
  /// The terminal's current position; `nil` if it is not certain.
  private var position: ScreenBuffer.Position?

  init(usesColor: Bool) {
    self.usesColor = usesColor
  }

  /// The bytes that change a screen to another of the same size; empty if nothing changed. Without the old one, everything is drawn.
  package static func bytes(from old: ScreenBuffer?, to new: ScreenBuffer, usesColor: Bool) -> [UInt8] {
    guard old != new else { return [] }
    var update = ScreenUpdate(usesColor: usesColor)
    // A moving cursor would flicker.
    if old == nil || old?.cursor != nil { update.output += "\u{1B}[?25l" }
    if old == nil { update.output += "\u{1B}[0m\u{1B}[2J" }
    let blank = ScreenBuffer(size: new.size)
    for row in 0..<new.size.rows {
      update.draw(row: row, from: (old ?? blank).cells(inRow: row), to: new.cells(inRow: row))
    }
    update.apply(.plain)
    if let cursor = new.cursor {
      update.move(to: cursor)
      update.output += "\u{1B}[?25h"
    }
    return Array(update.output.utf8)
  }

  private mutating func draw(row: Int, from old: ArraySlice<ScreenCell>, to new: ArraySlice<ScreenCell>) {
    guard old != new else { return }
    let old = Array(old)
    let new = Array(new)
    // If only spaces follow, one short sequence clears the rest of the row.
    let end = (new.lastIndex { cell in cell != .blank } ?? -1) + 1
    guard old.allSatisfy(hasCertainWidth), new.allSatisfy(hasCertainWidth) else {
      return redraw(row: row, new, end: end)
    }
    let oldEnd = (old.lastIndex { cell in cell != .blank } ?? -1) + 1
    let clearsRest = oldEnd > end + 3
    let limit = clearsRest ? end : max(end, oldEnd)
    let changed = (0..<limit).filter { column in old[column] != new[column] }
    if let first = changed.first, let last = changed.last {
      move(to: .init(row: row, column: first))
      for cell in new[first...last] {
        apply(cell.style)
        output.append(cell.character)
      }
      // Terminals disagree about the position after the last column, but nothing is written there.
      position = .init(row: row, column: last + 1)
    }
    if clearsRest {
      move(to: .init(row: row, column: end))
      apply(.plain)
      output += "\u{1B}[K"
    }
  }

  /// Whether a cell is ASCII or a line of a box. A terminal that shows lines as wide characters cannot show boxes anyway.
  private func hasCertainWidth(_ cell: ScreenCell) -> Bool {
    cell.width == 1
      && cell.character.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII || (0x2500...0x257F).contains(scalar.value)
      }
  }

  /// Erases a row and sends its cells.
  ///
  /// No position is absolute, so that text of ambiguous width does not overlap where it is wide. Before a character of disputed
  /// width, the cursor is saved and the character's columns get their style; after it, the cursor moves on from the saved position.
  private mutating func redraw(row: Int, _ cells: [ScreenCell], end: Int) {
    position = nil
    move(to: .init(row: row, column: 0))
    apply(.plain)
    output += "\u{1B}[K"
    var hasDisputed = false
    for cell in cells[..<end] where cell.width > 0 {
      apply(cell.style)
      if TextWidth.isDisputed(cell.character) {
        hasDisputed = true
        let spaces = String(repeating: " ", count: cell.width)
        output += "\u{1B}7\(spaces)\u{1B}8\(cell.character)\u{1B}8\u{1B}[\(cell.width)C"
      } else {
        output.append(cell.character)
      }
    }
    // The last character can be wider than its columns.
    if hasDisputed, end < cells.count {
      apply(.plain)
      output += "\u{1B}[K"
    }
    position = nil
  }

  private mutating func move(to target: ScreenBuffer.Position) {
    guard position != target else { return }
    output += target.column == 0 ? "\u{1B}[\(target.row + 1)H" : "\u{1B}[\(target.row + 1);\(target.column + 1)H"
    position = target
  }
}

// MARK: - Styles

extension ScreenUpdate {
  /// "Select graphic rendition" of ECMA-48.
  private mutating func apply(_ new: CellStyle) {
    var new = new
    if !usesColor { new.foreground = nil }
    guard new != style else { return }
    var codes: [String] = []
    // Turning off a single attribute is not portable: reset all of them instead.
    if !style.attributes.isSubset(of: new.attributes) || style.foreground != nil && new.foreground == nil {
      codes.append("0")
      style = .plain
    }
    for (attribute, code) in Self.attributeCodes where new.attributes.subtracting(style.attributes).contains(attribute)
    {
      codes.append(code)
    }
    if let color = new.foreground, color != style.foreground { codes.append(Self.code(of: color)) }
    output += "\u{1B}[\(codes == ["0"] ? "" : codes.joined(separator: ";"))m"
    style = new
  }

  private static let attributeCodes: [(CellStyle.Attributes, String)] = [
    (.bold, "1"), (.dim, "2"), (.underlined, "4"), (.reversed, "7"),
  ]

  private static func code(of color: TerminalColor) -> String {
    switch color.index {
    case 0..<8: String(30 + Int(color.index))
    case 8..<16: String(90 + Int(color.index) - 8)
    default: "38;5;\(color.index)"
    }
  }
}
