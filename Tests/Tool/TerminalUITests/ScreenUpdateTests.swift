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
          .plain, .bold, .dim, .reversed, .underlined, .color(.red), CellStyle(.orange, on: .blue, [.bold, .italic]),
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
      canvas.write(StyledText("ab", CellStyle(.red, on: .blue)) + StyledText("c", CellStyle(.red, .bold)), row: 0)
    }
    let text = String(decoding: ScreenUpdate.bytes(from: nil, to: screen, usesColor: false), as: UTF8.self)
    #expect(text == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1Hab\u{1B}[1mc\u{1B}[m")
  }
}
