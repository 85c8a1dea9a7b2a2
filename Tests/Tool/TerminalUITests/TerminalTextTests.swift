import TerminalUI
import Testing

@Suite("The width of text")
struct TextWidthTests {
  @Test(
    "characters have the most columns that a terminal gives them",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
      ("\u{FF21}", 2),
      ("🐈", 2), ("👩‍👩‍👧", 6), ("👍🏽", 4), ("x🏽", 3), ("🇪🇺", 2), ("🇪", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("☎", 1), ("⌚", 2),
      ("⌚\u{FE0E}", 2), ("👁\u{FE0F}\u{200D}🗨\u{FE0F}", 4), ("1\u{FE0F}\u{20E3}", 2), ("©\u{FE0F}", 2), ("\u{1FAE9}", 2),
      ("\u{1FAFF}", 2), ("\u{378}", 2), ("☰", 2), ("〈", 2), ("🈂", 2), ("\u{17000}", 2), ("─│┌", 3), ("→", 1), ("…", 1),
      ("½", 1),
      ("я", 1), ("कि", 2), ("स्त्र", 3), ("ที่", 1), ("กำ", 2), ("ﾊﾞ", 2), ("か\u{3099}", 2), ("\u{600}١", 2), ("\u{AD}", 1),
      ("\u{301}", 1), ("\u{93F}", 2), ("\u{200D}", 1), ("\u{200B}", 1), ("🏽", 3), ("\u{1161}", 1),
    ])
  func columns(text: String, expected: Int) {
    #expect(TextWidth.of(text) == expected)
  }

  @Test("text is truncated by columns, not by characters")
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

  @Test("truncated text is the longest that fits, with an ellipsis")
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

  @Test("control characters are escaped, and line feeds between lines are kept")
  func escaping() {
    #expect(TerminalText.escapingLines("a\u{1B}[2J\nb\tc\n") == "a\\u001b[2J\nb\\tc\n")
  }

  /// The time is linear in the length of the text. If every escape copied the text before it, this test would take minutes.
  @Test func longControlTextIsEscapedInLinearTime() {
    let count = 400_000
    let text = String(repeating: "\u{1B}", count: count)
    let escaped = String(repeating: "\\u001b", count: count)
    #expect(TerminalText.escaping(text) == escaped)
    #expect(TerminalText.quoting(text) == "\"" + escaped + "\"")
  }
}

/// The work for a line does not depend on the length of the text.
@Suite struct TextBeginningTests {
  /// Long texts of all kinds of characters. The last two are one character each.
  private static let texts = [
    String(repeating: "a", count: 1 << 20), String(repeating: "é", count: 1 << 19),
    String(repeating: "日本", count: 1 << 17),
    String(repeating: "😀", count: 1 << 18), String(repeating: "👩‍🚀🎉🇩🇪", count: 1 << 15),
    String(repeating: "\u{1B}[2J", count: 1 << 18),
    "a" + String(repeating: "\u{301}", count: 1 << 19), String(repeating: "\u{200D}", count: 1 << 18),
  ]

  @Test(arguments: texts.indices) func onlyThePrefixIsRead(index: Int) {
    let text = Self.texts[index]
    for limit in [0, 1, 80, 400] {
      let beginning = TerminalText.beginning(of: text, characters: limit)
      #expect(!beginning.isComplete && beginning.text.count <= limit)
      #expect(beginning.text.unicodeScalars.count <= 16 * limit)
      #expect(text.unicodeScalars.starts(with: beginning.text.unicodeScalars))
      let line = TerminalText.escaping(text, columns: limit)
      #expect(TextWidth.of(line) <= limit)
      // An escape takes six characters for one.
      #expect(line.unicodeScalars.count <= 6 * 16 * (limit + 1))
    }
  }

  @Test func shortTextsAreComplete() {
    for text in ["", "a", "👩‍👩‍👧", "日本語"] {
      let beginning = TerminalText.beginning(of: text, characters: 3)
      #expect(beginning.isComplete && beginning.text == text[...])
    }
    #expect(TerminalText.beginning(of: "abcd", characters: 3).text == "abc")
    #expect(TerminalText.beginning(of: "日本語文", characters: 3).text == "日本語")
    #expect(TerminalText.beginning(of: "abc", characters: .max).isComplete)
    #expect(
      TerminalText.escaping("a\tb", columns: 9) == "a\\tb" && TerminalText.escaping("abcdef", columns: 4) == "abc…")
  }
}
