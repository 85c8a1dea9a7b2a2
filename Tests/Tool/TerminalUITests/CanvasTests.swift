import TerminalUI
import Testing

/// A screen drawn by a closure.
@MainActor final class DrawnScreen: TerminalScreen {
  private let body: @MainActor (Canvas) -> Void

  init(_ body: @escaping @MainActor (Canvas) -> Void) {
    self.body = body
  }

  func render(on canvas: Canvas) { body(canvas) }
  func handle(_ key: Key) -> KeyResponse { .ignored }

  /// Returns the screen that a closure draws.
  static func draw(columns: Int, rows: Int, _ body: @escaping @MainActor (Canvas) -> Void) -> ScreenBuffer {
    ScreenDriver(DrawnScreen(body), columns: columns, rows: rows).buffer
  }
}

@Suite("Drawing") @MainActor
struct CanvasTests {
  @Test("text is truncated at the edge with an ellipsis")
  func truncation() {
    let screen = DrawnScreen.draw(columns: 6, rows: 3) { canvas in
      canvas.write("too long", row: 0)
      canvas.write("日本語", row: 1, column: 1)
      canvas.write("nowhere", row: 7)
      canvas.write("nowhere", row: 2, column: 6)
    }
    #expect(screen.lines == ["too l…", " 日本…", ""])
  }

  @Test("control characters are escaped by every drawing function")
  func escaping() {
    let screen = DrawnScreen.draw(columns: 40, rows: 3) { canvas in
      canvas.write("a\u{1B}[2Jb\u{202E}\n", row: 0)
      canvas.paragraph("c\u{7}d\ne", row: 1)
    }
    #expect(screen.lines == ["a\\u001b[2Jb\\u202e\\n", "c\\u0007d", "e"])
  }

  @Test("overwriting half of a wide character blanks the other half")
  func halves() {
    let screen = DrawnScreen.draw(columns: 6, rows: 2) { canvas in
      canvas.write("日本", row: 0)
      canvas.write("x", row: 0, column: 1)
      canvas.write("日本", row: 1)
      canvas.write("x", row: 1, column: 2)
    }
    #expect(screen.lines == [" x本", "日x"])
    #expect(screen[0, 2].width == 2)
    #expect(screen[0, 3].width == 0)
    #expect(screen[1, 3].width == 1)
  }

  @Test("a lone accent does not combine with its neighbor")
  func loneAccent() {
    let screen = DrawnScreen.draw(columns: 6, rows: 1) { canvas in canvas.write("\u{301}x", row: 0) }
    #expect(screen.lines == ["\u{25CC}\u{301}x"])
  }

  @Test("a canvas is divided among fixed and flexible parts")
  func layout() {
    let screen = DrawnScreen.draw(columns: 20, rows: 5) { canvas in
      let rows = canvas.rows(.fixed(1), .flexible(), .fixed(1))
      rows[0].write("top", row: 0)
      rows[2].writeTrailing("bottom", row: 0)
      let columns = rows[1].columns(.fixed(4), .flexible(), .flexible(weight: 2), separator: true)
      for (index, column) in columns.enumerated() { column.write("\(index):\(column.width)", row: 1) }
    }
    #expect(screen.lines == ["top", "     │     │", "0:4  │ 1:3 │ 2:7", "     │     │", "              bottom"])
  }

  @Test("boxes, dialogs and paragraphs fit into a canvas of any size", arguments: 1...9, 1...6)
  func smallScreens(columns: Int, rows: Int) {
    let screen = DrawnScreen.draw(columns: columns, rows: rows) { canvas in
      canvas.box("a title that is long").paragraph("several words here")
      ConfirmDialog("Sure?", message: "It is gone then.", confirmLabel: "Delete").draw(in: canvas)
      StatusLine("left", trailing: "right").draw(in: canvas)
      TextField("some text").draw(in: canvas, label: "Name")
      canvas.columns(.flexible(), .fixed(3), separator: true)[1].placeCursor(row: 0, column: 9)
    }
    #expect(screen.lines.count == rows)
  }

  @Test("text is wrapped between words, and long words inside")
  func wrapping() {
    #expect(TextWrapping.lines("one two three", columns: 7) == ["one two", "three"])
    #expect(TextWrapping.lines("abcdefgh ij", columns: 3) == ["abc", "def", "gh", "ij"])
    #expect(TextWrapping.lines("日本語", columns: 4) == ["日本", "語"])
    #expect(TextWrapping.lines("a\n\nb", columns: 4) == ["a", "", "b"])
    #expect(TextWrapping.lines("a", columns: 0).isEmpty)
  }

  @Test("styled text is truncated and padded by columns")
  func styledText() {
    let text = StyledText("ab", .bold) + "日本" + StyledText("c", .color(.red))
    #expect(text.width == 7)
    #expect(text.truncated(to: 7) == text)
    #expect(text.truncated(to: 6).text == "ab日…")
    #expect(text.truncated(to: 1).text == "…")
    #expect(text.truncated(to: 0).text.isEmpty)
    #expect(text.fitted(to: 9).text == "ab日本c  ")
    #expect(text.fitted(to: 9, trailing: true).text == "  ab日本c")
  }
}
