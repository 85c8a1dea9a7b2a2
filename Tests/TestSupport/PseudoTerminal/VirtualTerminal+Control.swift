import TerminalUI

extension VirtualTerminal.Page {
  mutating func resize(columns: Int, rows: Int) {
    cells = (0..<rows).map { row in
      var line = row < cells.count ? Array(cells[row].prefix(columns)) : []
      line += Array(repeating: .init(), count: columns - line.count)
      return line
    }
    cursor.row = min(cursor.row, rows - 1)
    cursor.column = min(cursor.column, columns - 1)
  }
}

// The effects of characters and control sequences on the screen: ECMA-48, and the private modes of xterm.
extension VirtualTerminal {
  mutating func put(_ character: Character) {
    let width = min(width(character), columns)
    guard width > 0 else { return }
    if isAlternate, !isUpdating { separateCharacters += 1 }
    if page.cursor.isPastEnd || page.cursor.column + width > columns {
      if wraps {
        page.cursor.column = 0
        lineFeed()
      } else {
        page.cursor.column = columns - width
      }
      page.cursor.isPastEnd = false
    }
    let (row, column) = cursor
    let next = column + width
    // A wide character that loses one of its columns is erased.
    for edge in [column, next] where edge < columns && page.cells[row][edge].isContinuation {
      let first = page.cells[row][..<edge].lastIndex { cell in !cell.isContinuation } ?? 0
      let end = page.cells[row][edge...].firstIndex { cell in !cell.isContinuation } ?? columns
      blank(first..<end, row: row)
    }
    page.cells[row][column] = Cell(character: character, codes: page.cursor.codes)
    for place in column + 1..<next {
      page.cells[row][place] = Cell(character: " ", codes: page.cursor.codes, isContinuation: true)
    }
    page.cursor.column = min(next, columns - 1)
    page.cursor.isPastEnd = next >= columns && wraps
  }

  mutating func obey(_ control: UInt8) {
    switch control {
    case 0x08: move(column: page.cursor.column - 1)
    case 0x09: move(column: (page.cursor.column / 8 + 1) * 8)
    case 0x0A, 0x0B, 0x0C: lineFeed()
    case 0x0D: move(column: 0)
    default: break
    }
  }

  mutating func control(_ text: String, _ final: Character) {
    if text.hasPrefix("?") { return setModes(numbers(text.dropFirst()), isOn: final == "h", final) }
    let values = numbers(text[...])
    let first = values.first ?? 0
    let count = max(1, first)
    switch final {
    case "A": move(row: page.cursor.row - count)
    case "B", "e": move(row: page.cursor.row + count)
    case "C", "a": move(column: page.cursor.column + count)
    case "D": move(column: page.cursor.column - count)
    case "E": move(row: page.cursor.row + count, column: 0)
    case "F": move(row: page.cursor.row - count, column: 0)
    case "G", "`": move(column: count - 1)
    case "d": move(row: count - 1)
    case "H", "f": move(row: count - 1, column: max(1, values.count > 1 ? values[1] : 1) - 1)
    case "J": eraseScreen(first)
    case "K": eraseRow(first)
    case "X": blank(page.cursor.column..<min(columns, page.cursor.column + count))
    case "P": deleteCells(count)
    case "@": insertCells(count)
    case "L": insertRows(count, at: page.cursor.row)
    case "M": deleteRows(count, at: page.cursor.row)
    case "S": deleteRows(count, at: scrollRegion.lowerBound)
    case "T": insertRows(count, at: scrollRegion.lowerBound)
    case "r": setRegion(values)
    case "s": page.savedCursor = page.cursor
    case "u": page.cursor = page.savedCursor
    case "m": setStyle(values.isEmpty ? [0] : values)
    default: unknown.append("CSI \(text)\(final)")
    }
  }

  private func numbers(_ text: Substring) -> [Int] {
    text.isEmpty ? [] : text.split(separator: ";", omittingEmptySubsequences: false).map { part in Int(part) ?? 0 }
  }

  private mutating func setModes(_ modes: [Int], isOn: Bool, _ final: Character) {
    guard final == "h" || final == "l" else {
      unknown.append("CSI ?\(modes)\(final)")
      return
    }
    for mode in modes {
      switch mode {
      case 7: wraps = isOn
      case 25: showsCursor = isOn
      case 2004: marksPaste = isOn
      case 2026: isUpdating = isOn
      case 1000, 1006: mouseModes = isOn ? mouseModes.union([mode]) : mouseModes.subtracting([mode])
      case 1049: showAlternate(isOn)
      default: unknown.append("mode \(mode)")
      }
    }
  }

  private mutating func showAlternate(_ isOn: Bool) {
    guard isOn != isAlternate else { return }
    isAlternate = isOn
    swap(&page, &otherPage)
    if isOn {
      page = Page(columns: columns, rows: rows)
      // The current attributes belong to the terminal, not to the page.
      page.cursor.codes = otherPage.cursor.codes
    }
  }

  private mutating func setStyle(_ codes: [Int]) {
    var rest = codes[...]
    while let code = rest.popFirst() {
      switch code {
      case 0: page.cursor.codes = []
      case 38, 48:
        let color = rest.prefix(2)
        rest = rest.dropFirst(2)
        setColor("\(code);" + color.map(String.init).joined(separator: ";"), ground: code / 10)
      case 30...37, 90...97: setColor("\(code)", ground: 3)
      case 40...47, 100...107: setColor("\(code)", ground: 4)
      default: page.cursor.codes.insert("\(code)")
      }
    }
  }

  /// Sets a color, which replaces the previous one of the character (3) or of its background (4).
  private mutating func setColor(_ code: String, ground: Int) {
    let others = ground == 3 ? ["3", "9"] : ["4", "10"]
    page.cursor.codes = page.cursor.codes.filter { present in
      present.count == 1 || !others.contains { prefix in present.hasPrefix(prefix) }
    }
    page.cursor.codes.insert(code)
  }
}

// MARK: - Moving and erasing

extension VirtualTerminal {
  private mutating func move(row: Int? = nil, column: Int? = nil) {
    if let row { page.cursor.row = min(max(0, row), rows - 1) }
    if let column { page.cursor.column = min(max(0, column), columns - 1) }
    page.cursor.isPastEnd = false
  }

  private mutating func lineFeed() {
    if page.cursor.row == scrollRegion.upperBound - 1 {
      deleteRows(1, at: scrollRegion.lowerBound)
    } else {
      page.cursor.row = min(page.cursor.row + 1, rows - 1)
    }
  }

  mutating func reverseIndex() {
    if page.cursor.row == scrollRegion.lowerBound {
      insertRows(1, at: page.cursor.row)
    } else {
      page.cursor.row = max(0, page.cursor.row - 1)
    }
  }

  private mutating func setRegion(_ values: [Int]) {
    let top = max(1, values.first ?? 1) - 1
    let bottom = min(rows, values.count > 1 ? values[1] : rows)
    scrollRegion = top < bottom ? top..<bottom : 0..<rows
    move(row: 0, column: 0)
  }

  private mutating func blank(_ range: Range<Int>, row: Int? = nil) {
    for column in range { page.cells[row ?? page.cursor.row][column] = Cell() }
  }

  private mutating func eraseRow(_ kind: Int) {
    switch kind {
    case 0: blank(page.cursor.column..<columns)
    case 1: blank(0..<page.cursor.column + 1)
    default: blank(0..<columns)
    }
  }

  private mutating func eraseScreen(_ kind: Int) {
    let here = page.cursor.row
    if kind != 1 { for row in (kind == 0 ? here + 1 : 0)..<rows { blank(0..<columns, row: row) } }
    if kind == 1 { for row in 0..<here { blank(0..<columns, row: row) } }
    if kind < 2 { eraseRow(kind) }
  }

  private mutating func deleteCells(_ count: Int) {
    let row = page.cursor.row
    page.cells[row].removeSubrange(page.cursor.column..<min(columns, page.cursor.column + count))
    page.cells[row] += Array(repeating: Cell(), count: columns - page.cells[row].count)
  }

  private mutating func insertCells(_ count: Int) {
    let row = page.cursor.row
    page.cells[row].insert(contentsOf: Array(repeating: Cell(), count: min(count, columns)), at: page.cursor.column)
    page.cells[row].removeLast(page.cells[row].count - columns)
  }

  private mutating func deleteRows(_ count: Int, at row: Int) {
    guard scrollRegion.contains(row) else { return }
    for _ in 0..<min(count, scrollRegion.upperBound - row) {
      page.cells.remove(at: row)
      page.cells.insert(Array(repeating: Cell(), count: columns), at: scrollRegion.upperBound - 1)
    }
  }

  private mutating func insertRows(_ count: Int, at row: Int) {
    guard scrollRegion.contains(row) else { return }
    for _ in 0..<min(count, scrollRegion.upperBound - row) {
      page.cells.remove(at: scrollRegion.upperBound - 1)
      page.cells.insert(Array(repeating: Cell(), count: columns), at: row)
    }
  }
}
