/// Makes the bytes that turn one screen into another on a terminal: only the cells that changed are sent.
package struct ScreenUpdate {
  /// Jumping over fewer unchanged columns than this costs more bytes than sending them again.
  private static let shortestJump = 5

  /// Whether colours are sent.
  let isColoured: Bool

  private var output = ""
  /// The style that the terminal writes in.
  private var style = CellStyle.plain
  /// Where the terminal writes next; `nil` when that is not certain.
  private var place: ScreenBuffer.Position?

  init(isColoured: Bool) {
    self.isColoured = isColoured
  }

  /// The bytes from one screen to the next.
  ///
  /// - Parameters:
  ///   - old: What the terminal shows; `nil` when that is not known, then everything is drawn. It must have the size of
  ///     the new one.
  ///   - new: What it shall show.
  /// - Returns: The bytes; none when nothing changed.
  /// - Complexity: O(number of cells).
  package static func bytes(from old: ScreenBuffer?, to new: ScreenBuffer, isColoured: Bool) -> [UInt8] {
    guard old != new else { return [] }
    var update = ScreenUpdate(isColoured: isColoured)
    // Hidden while it wanders about, which would flicker.
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
    // Where nothing but spaces follows, one short sequence wipes the rest of the row.
    let end = (new.lastIndex { cell in cell != .blank } ?? -1) + 1
    let oldEnd = (old.lastIndex { cell in cell != .blank } ?? -1) + 1
    let wipes = oldEnd > end + 3
    let limit = wipes ? end : max(end, oldEnd)
    var column = 0
    while column < limit {
      guard hasChanged(column, old, new) else {
        column += 1
        continue
      }
      approach(row: row, column: column, new)
      column += send(new[column], row: row, column: column)
    }
    if wipes {
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

  /// Goes to a column: by writing what is between again when that is shorter, else by a jump.
  private mutating func approach(row: Int, column: Int, _ cells: [ScreenCell]) {
    if let place, place.row == row, place.column < column, column - place.column < Self.shortestJump {
      let between = cells[place.column..<column]
      if between.allSatisfy({ cell in cell.width == 1 && cell.character.isASCII && cell.style == style }) {
        for cell in between { output.append(cell.character) }
        self.place = .init(row: row, column: column)
        return
      }
    }
    move(to: .init(row: row, column: column))
  }

  private mutating func send(_ cell: ScreenCell, row: Int, column: Int) -> Int {
    apply(cell.style)
    output.append(cell.character)
    // Terminals differ in the width of some characters: after those the place is set anew. After the last column some
    // terminals wait with the step to the right, others are there already; nothing is written from there on, because the
    // row has no more columns.
    let isCertain = cell.width == 1 && cell.character.unicodeScalars.count == 1
    place = isCertain ? .init(row: row, column: column + cell.width) : nil
    return max(1, cell.width)
  }

  private mutating func move(to target: ScreenBuffer.Position) {
    guard place != target else { return }
    if target.column == 0, let place, place.row == target.row {
      output += "\r"
    } else if let place, place.row == target.row, place.column < target.column {
      let distance = target.column - place.column
      output += distance == 1 ? "\u{1B}[C" : "\u{1B}[\(distance)C"
    } else if target.column == 0 {
      output += "\u{1B}[\(target.row + 1)H"
    } else {
      output += "\u{1B}[\(target.row + 1);\(target.column + 1)H"
    }
    place = target
  }
}

// MARK: - Styles

extension ScreenUpdate {
  /// Changes the style that the terminal writes in; "select graphic rendition" of ECMA-48.
  private mutating func apply(_ new: CellStyle) {
    var new = new
    if !isColoured { (new.foreground, new.background) = (nil, nil) }
    guard new != style else { return }
    var codes: [String] = []
    // Single attributes can be taken back, but not by the same codes on every terminal.
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
