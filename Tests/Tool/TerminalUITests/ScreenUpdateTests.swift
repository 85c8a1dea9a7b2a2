import TerminalUI
import TestSupport
import Testing

/// Updates of a terminal, verified by a virtual terminal.
@Suite("Updates of the screen") @MainActor
struct ScreenUpdateTests {
  private let size = TerminalSize(columns: 24, rows: 6)

  /// A screen of random texts in random styles; most of them are also on the previous screen.
  private func screen(_ generator: inout SeededGenerator, like seeds: inout [UInt64]) -> ScreenBuffer {
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      seeds[Int.random(in: 0..<seeds.count, using: &generator)] = generator.next()
    }
    let pieces = seeds
    return DrawnScreen.draw(columns: size.columns, rows: size.rows) { canvas in
      for seed in pieces {
        var generator = SeededGenerator(seed: seed)
        let words = ["plain", "日本語", "e\u{301}t\u{301}é", "🐈‍⬛ cat", "     ", "x", "│─┐", "❤\u{FE0F}", "a\u{1B}[2Jb"]
        let styles: [CellStyle] = [
          .plain, .bold, .dim, .reversed, .underlined, .color(.red), CellStyle(.orange, [.bold, .underlined]),
        ]
        let text = words.randomElement(using: &generator) ?? ""
        canvas.write(
          StyledText(text, styles.randomElement(using: &generator) ?? .plain),
          row: Int.random(in: 0..<canvas.height, using: &generator),
          column: Int.random(in: 0..<canvas.width, using: &generator))
        if seed % 5 == 0 {
          canvas.placeCursor(
            row: Int.random(in: 0..<canvas.height, using: &generator),
            column: Int.random(in: 0..<canvas.width, using: &generator))
        }
      }
    }
  }

  /// The codes of a style in a virtual terminal.
  private func codes(_ style: CellStyle, usesColor: Bool) -> Set<String> {
    // A terminal that is drawn from scratch receives the same codes.
    let screen = DrawnScreen.draw(columns: 1, rows: 1) { canvas in canvas.fill(style) }
    var terminal = VirtualTerminal(columns: 1, rows: 1)
    terminal.feed(ScreenUpdate.bytes(from: nil, to: screen, usesColor: usesColor))
    return terminal[0, 0].codes
  }

  @Test(
    "after any number of updates the terminal shows the last screen", arguments: [true, false], [1, 2, 3] as [UInt64]
  )
  func randomScreens(usesColor: Bool, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var seeds = (0..<8).map { _ in generator.next() }
    var terminal = VirtualTerminal(columns: size.columns, rows: size.rows)
    terminal.feed(Array("\u{1B}[?7l".utf8))
    var shown: ScreenBuffer?
    for round in 0..<300 {
      let next = screen(&generator, like: &seeds)
      terminal.feed(ScreenUpdate.bytes(from: shown, to: next, usesColor: usesColor))
      shown = next
      let place: Comment = "seed \(seed), round \(round)"
      try #require(terminal.lines == next.lines, place)
      for row in 0..<size.rows {
        for column in 0..<size.columns where next[row, column].width > 0 {
          let expected = codes(next[row, column].style, usesColor: usesColor)
          try #require(terminal[row, column].codes == expected, place)
        }
      }
      #expect(terminal.showsCursor == (next.cursor != nil), place)
      if let cursor = next.cursor { #expect(terminal.cursor == (cursor.row, cursor.column), place) }
    }
    #expect(terminal.unknown.isEmpty)
  }

  @Test(arguments: DisputedWidths.allCases, [1, 2, 3] as [UInt64])
  func disputedWidthsLeaveNothingBehind(widths: DisputedWidths, seed: UInt64) throws {
    let model = widths.model()
    var generator = SeededGenerator(seed: seed)
    var terminal = VirtualTerminal(columns: size.columns, rows: size.rows, width: model)
    terminal.feed(Array("\u{1B}[?7l".utf8))
    let fresh = terminal
    var shown: ScreenBuffer?
    var rows = Array(repeating: "", count: size.rows)
    for round in 0..<400 {
      for _ in 0...1 {
        rows[Int.random(in: 0..<rows.count, using: &generator)] = DisputedWidths.row(
          columns: size.columns, using: &generator)
      }
      let texts = rows
      let next = DrawnScreen.draw(columns: size.columns, rows: size.rows) { canvas in
        for (row, text) in texts.enumerated() {
          canvas.write(StyledText(text), row: row, style: text.hasPrefix("x") ? .reversed : .plain)
        }
      }
      terminal.feed(ScreenUpdate.bytes(from: shown, to: next, usesColor: true))
      shown = next
      let place: Comment = "seed \(seed), round \(round), \(texts)"
      var drawn = fresh
      drawn.feed(ScreenUpdate.bytes(from: nil, to: next, usesColor: true))
      try #require(terminal.lines == drawn.lines, place)
      if widths != .wider { try #require(terminal.lines == DisputedWidths.lines(of: next, model), place) }
    }
    #expect(terminal.unknown.isEmpty)
  }

  @Test func emojiHidesThePreviousText() {
    func screen(_ text: String) -> ScreenBuffer {
      DrawnScreen.draw(columns: 8, rows: 1) { canvas in canvas.write(StyledText(text), row: 0) }
    }
    var terminal = VirtualTerminal(columns: 8, rows: 1, width: DisputedWidths.narrow.model())
    terminal.feed(ScreenUpdate.bytes(from: nil, to: screen("ABC x"), usesColor: true))
    terminal.feed(ScreenUpdate.bytes(from: screen("ABC x"), to: screen("☺\u{FE0F} x"), usesColor: true))
    #expect(terminal.lines == ["☺\u{FE0F}  x"])
  }

  @Test("an update sends a few bytes for a digit, and clears a row with one sequence")
  func updatesAreShort() {
    func screen(_ text: String) -> ScreenBuffer {
      DrawnScreen.draw(columns: 80, rows: 24) { canvas in canvas.write(StyledText(text), row: 10, column: 20) }
    }
    let old = screen("Value: 41" + String(repeating: " text", count: 9))
    #expect(ScreenUpdate.bytes(from: old, to: old, usesColor: true).isEmpty)
    #expect(
      ScreenUpdate.bytes(from: old, to: screen("Value: 42" + String(repeating: " text", count: 9)), usesColor: true)
        == Array("\u{1B}[11;29H2".utf8))
    #expect(
      ScreenUpdate.bytes(from: old, to: screen("Value: 41"), usesColor: true) == Array("\u{1B}[11;30H\u{1B}[K".utf8))
  }

  @Test("without colors only attributes are sent")
  func attributesOnly() {
    let screen = DrawnScreen.draw(columns: 4, rows: 1) { canvas in
      canvas.write(StyledText("ab", CellStyle(.red)) + StyledText("c", CellStyle(.red, .bold)), row: 0)
    }
    let text = String(decoding: ScreenUpdate.bytes(from: nil, to: screen, usesColor: false), as: UTF8.self)
    #expect(text == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1Hab\u{1B}[1mc\u{1B}[m")
  }
}

/// The width that a terminal gives to characters about whose width terminals disagree.
enum DisputedWidths: CaseIterable {
  /// One column each.
  case narrow
  /// The most columns, also for characters of ambiguous width.
  case wide
  /// More columns than any common terminal.
  case wider
  /// None: the terminal does not know them.
  case unknown

  private static let agreed = ["plain", "x", " ", "    ", "日", "語", "│─┐", "a\tb"]
  private static let ambiguous = ["°", "…", "я", "●"]
  /// Texts of one character, some of them shown on a dotted circle.
  private static let disputed = [
    "☺\u{FE0F}", "❤\u{FE0F}", "1\u{FE0F}\u{20E3}", "©\u{FE0F}", "👨‍👩‍👧", "👍🏽", "🇩🇪", "🇩", "🐈‍⬛", "⌚", "⌚\u{FE0E}", "e\u{301}",
    "कि", "स्त्र", "กำ", "\u{1112}\u{1161}\u{11AB}", "ﾊﾞ", "\u{600}١", "\u{AD}", "\u{1FAE9}", "\u{1FAFF}", "\u{378}", "☰",
    "\u{301}", "\u{93F}", "\u{200B}", "\u{200D}", "\u{FE0F}", "\u{FF9E}", "\u{E33}", "🏽", "\u{1161}",
  ]

  /// A row that fits, with a column to spare, even if characters of ambiguous width are wide; at the left or the right edge.
  static func row(columns: Int, using generator: inout SeededGenerator) -> String {
    var text = ""
    var used = 0
    let limit = Int.random(in: 0...columns, using: &generator)
    while let list = [agreed, ambiguous, disputed].randomElement(using: &generator),
      var piece = list.randomElement(using: &generator)
    {
      // A space separates what would combine.
      if (text + piece).count < text.count + piece.count { piece = " " }
      used += StyledText(piece).width + (ambiguous.contains(piece) ? 2 : 0)
      if used > limit { break }
      text += piece
    }
    return Bool.random(using: &generator) ? text : String(repeating: " ", count: columns - min(used, columns)) + text
  }

  /// The width of a character as shown.
  @MainActor func model() -> @Sendable (Character) -> Int {
    // Invisible characters are shown as their escapes, whose width nobody disputes.
    let shown = Self.disputed.filter { text in TerminalText.escaping(text) == text }
    let cells = shown.map { text in
      DrawnScreen.draw(columns: 8, rows: 1) { canvas in canvas.write(StyledText(text), row: 0) }[0, 0]
    }
    let disputed = Dictionary(uniqueKeysWithValues: cells.map { cell in (cell.character, cell.width) })
    let ambiguous = Set(Self.ambiguous.map { text in Character(text) })
    return { [self] character in
      if let most = disputed[character] {
        switch self {
        case .narrow: return 1
        case .wide: return most
        case .wider: return most + 3
        case .unknown: return 0
        }
      }
      return TextWidth.of(character) + (self == .wide && ambiguous.contains(character) ? 1 : 0)
    }
  }

  /// The expected lines: each character, and the columns reserved for it that the terminal does not use.
  static func lines(of screen: ScreenBuffer, _ width: (Character) -> Int) -> [String] {
    (0..<screen.size.rows).map { row in
      var line = ""
      for column in 0..<screen.size.columns where screen[row, column].width > 0 {
        let cell = screen[row, column]
        let used = width(cell.character)
        if used > 0 { line.append(cell.character) }
        line += String(repeating: " ", count: max(0, cell.width - used))
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
