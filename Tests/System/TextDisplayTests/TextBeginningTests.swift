import Testing
import TextDisplay

/// The work for a line does not depend on the length of the text that it is the beginning of.
@Suite struct TextBeginningTests {
  /// Long texts of characters of every kind; the last two are one character each.
  private static let texts = [
    String(repeating: "a", count: 1 << 20), String(repeating: "é", count: 1 << 19),
    String(repeating: "日本", count: 1 << 17),
    String(repeating: "😀", count: 1 << 18), String(repeating: "👩‍🚀🎉🇩🇪", count: 1 << 15),
    String(repeating: "\u{1B}[2J", count: 1 << 18),
    "a" + String(repeating: "\u{301}", count: 1 << 19), String(repeating: "\u{200D}", count: 1 << 18),
  ]

  @Test(arguments: texts.indices) func onlyTheBeginningIsRead(index: Int) {
    let text = Self.texts[index]
    for limit in [0, 1, 80, 400] {
      let beginning = TerminalText.beginning(of: text, characters: limit)
      #expect(!beginning.isComplete && beginning.text.count <= limit)
      #expect(beginning.scalarsRead <= 16 * limit)
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
