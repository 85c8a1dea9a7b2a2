import Testing
import TextDisplay

@Suite("The width of text")
struct TextWidthTests {
  @Test(
    "characters take the columns that terminals give them",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2), ("\u{FF21}", 2), ("🐈", 2), ("👩‍👩‍👧", 2),
      ("🇪🇺", 2),
      ("❤\u{FE0F}", 2), ("❤", 1), ("☎", 1), ("⌚", 2), ("\u{301}", 0), ("\u{200D}", 0), ("─│┌", 3), ("→", 1), ("…", 1),
      ("½", 1), ("1\u{FE0F}\u{20E3}", 2),
    ])
  func columns(text: String, expected: Int) {
    #expect(TextWidth.of(text) == expected)
  }

  @Test("a text is cut to columns, not to characters")
  func truncation() {
    #expect(TextWidth.truncated("hello", toColumns: 5) == "hello")
    #expect(TextWidth.truncated("hello", toColumns: 4) == "hel…")
    #expect(TextWidth.truncated("日本語", toColumns: 4) == "日…")
    #expect(TextWidth.truncated("hello", toColumns: 1) == "…")
    #expect(TextWidth.truncated("hello", toColumns: 0).isEmpty)
    #expect(TextWidth.truncatedHead("hello", toColumns: 5) == "hello")
    #expect(TextWidth.truncatedHead("hello", toColumns: 4) == "…llo")
    #expect(TextWidth.truncatedHead("日本語", toColumns: 4) == "…語")
    #expect(TextWidth.truncatedHead("hello", toColumns: 0).isEmpty)
  }

  @Test("a cut text is the longest that fits, with an ellipsis")
  func longestThatFits() {
    let characters: [Character] = ["a", "é", "e\u{301}", "日", "🐈", "👩‍👩‍👧", "🇪🇺", "\u{301}", "…"]
    for length in 0..<9 {
      for start in characters.indices {
        let text = String((0..<length).map { index in characters[(start + index * 2) % characters.count] })
        for limit in 0...12 {
          var expected = text
          while TextWidth.of(expected) > limit - 1, !expected.isEmpty { expected.removeLast() }
          let cut = limit > 0 ? expected + "…" : ""
          #expect(
            TextWidth.truncated(text, toColumns: limit) == (TextWidth.of(text) <= limit ? text : cut),
            "\(text) \(limit)")
          #expect(TextWidth.of(TextWidth.truncatedHead(text, toColumns: limit)) <= limit, "\(text) \(limit)")
        }
      }
    }
  }

  @Test("what a terminal would obey is escaped, and line feeds between lines are kept")
  func escaping() {
    #expect(TerminalText.escapingLines("a\u{1B}[2J\nb\tc\n") == "a\\u001b[2J\nb\\tc\n")
  }
}
