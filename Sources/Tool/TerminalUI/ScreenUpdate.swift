/// Computes the bytes that change a terminal from one screen to another, by sending changed cells only.
package struct ScreenUpdate {
  /// Moving the cursor over fewer unchanged columns than this costs more bytes than sending them again.
  private static let shortestJump = 5

  /// Whether colors are sent.
  let usesColor: Bool

  private var output = ""
  /// The terminal's current style.
  private var style = CellStyle.plain
  /// The terminal's current position; `nil` if it is not certain.
  private var position: ScreenBuffer.Position?

  init(usesColor: Bool) {
    self.usesColor = usesColor
  }

  /// The bytes that change one screen to another.
  ///
  /// - Parameters:
  ///   - old: The current screen, of the same size as the new one; `nil` if it is unknown, to draw everything.
  ///   - new: The new screen.
  /// - Returns: The bytes; empty if nothing changed.
  /// - Complexity: O(number of cells).
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
    let oldEnd = (old.lastIndex { cell in cell != .blank } ?? -1) + 1
    let clearsRest = oldEnd > end + 3
    let limit = clearsRest ? end : max(end, oldEnd)
    var column = 0
    while column < limit {
      guard hasChanged(column, old, new) else {
        column += 1
        continue
      }
      approach(row: row, column: column, new)
      column += send(new[column], row: row, column: column)
    }
    if clearsRest {
      move(to: .init(row: row, column: end))
      apply(.plain)
      output += "\u{1B}[K"
    }
  }

  /// A wide character has changed if either of its columns has.
  private func hasChanged(_ column: Int, _ old: [ScreenCell], _ new: [ScreenCell]) -> Bool {
    guard new[column].width > 0 else { return false }
    if old[column] != new[column] { return true }
    return new[column].width == 2 && old[column + 1] != new[column + 1]
  }

  /// Moves to a column, either by sending the cells up to it again or by a cursor movement, whichever is shorter.
  private mutating func approach(row: Int, column: Int, _ cells: [ScreenCell]) {
    if let position, position.row == row, position.column < column, column - position.column < Self.shortestJump {
      let between = cells[position.column..<column]
      if between.allSatisfy({ cell in cell.width == 1 && cell.character.isASCII && cell.style == style }) {
        for cell in between { output.append(cell.character) }
        self.position = .init(row: row, column: column)
        return
      }
    }
    move(to: .init(row: row, column: column))
  }

  private mutating func send(_ cell: ScreenCell, row: Int, column: Int) -> Int {
    apply(cell.style)
    output.append(cell.character)
    // Terminals disagree about the width of some characters: after those the position is uncertain. They also disagree about
    // the position after the last column, but nothing is written there.
    let isCertain = cell.width == 1 && cell.character.unicodeScalars.count == 1
    position = isCertain ? .init(row: row, column: column + cell.width) : nil
    return max(1, cell.width)
  }

  private mutating func move(to target: ScreenBuffer.Position) {
    guard position != target else { return }
    if target.column == 0, let position, position.row == target.row {
      output += "\r"
    } else if let position, position.row == target.row, position.column < target.column {
      let distance = target.column - position.column
      output += distance == 1 ? "\u{1B}[C" : "\u{1B}[\(distance)C"
    } else if target.column == 0 {
      output += "\u{1B}[\(target.row + 1)H"
    } else {
      output += "\u{1B}[\(target.row + 1);\(target.column + 1)H"
    }
    position = target
  }
}

// MARK: - Styles

extension ScreenUpdate {
  /// Changes the terminal's style; "select graphic rendition" of ECMA-48.
  private mutating func apply(_ new: CellStyle) {
    var new = new
    if !usesColor { (new.foreground, new.background) = (nil, nil) }
    guard new != style else { return }
    var codes: [String] = []
    // Turning off a single attribute is not portable: reset all of them instead.
    if !style.attributes.isSubset(of: new.attributes) || lost(style.foreground, new.foreground)
      || lost(style.background, new.background)
    {
      codes.append("0")
      style = .plain
    }
    for (attribute, code) in Self.attributeCodes where new.attributes.subtracting(style.attributes).contains(attribute)
    {
      codes.append(code)
    }
    if let color = new.foreground, color != style.foreground { codes.append(Self.code(of: color, base: 30)) }
    if let color = new.background, color != style.background { codes.append(Self.code(of: color, base: 40)) }
    output += "\u{1B}[\(codes == ["0"] ? "" : codes.joined(separator: ";"))m"
    style = new
  }

  private func lost(_ old: TerminalColor?, _ new: TerminalColor?) -> Bool { old != nil && new == nil }

  private static let attributeCodes: [(CellStyle.Attributes, String)] = [
    (.bold, "1"), (.dim, "2"), (.italic, "3"), (.underlined, "4"), (.reversed, "7"),
  ]

  private static func code(of color: TerminalColor, base: Int) -> String {
    switch color.index {
    case 0..<8: String(base + Int(color.index))
    case 8..<16: String(base + 60 + Int(color.index) - 8)
    default: "\(base + 8);5;\(color.index)"
    }
  }
}
