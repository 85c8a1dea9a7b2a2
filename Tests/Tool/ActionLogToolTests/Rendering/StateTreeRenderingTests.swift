import ActionLogTool
import JSONCoding
import TerminalUI
import TestSupport
import Testing
import TimeTravel

@Suite struct StateTreeRenderingTests {
  @Test func stateIsIndentedAndSorted() throws {
    let text = try tree(#"{"b":{"z":[1,[],{}],"y":"é"},"a":null}"#).rendered()
    #expect(
      text == """
        {
          "a": null,
          "b": {
            "y": "é",
            "z": [
              1,
              [],
              {}
            ]
          }
        }

        """)
  }

  @Test func omittedCharactersAreCounted() throws {
    let tree = try tree(#"{"long":"abcdefg","short":"abcde","text":"abcdef"}"#)
    #expect(
      tree.rendered(characterLimit: 5) == """
        {
          "long": "abcde"… 2 more characters,
          "short": "abcde",
          "text": "abcde"… 1 more character
        }

        """)
    #expect(tree.rendered(characterLimit: 7) == tree.rendered())
  }

  @Test(arguments: ["😀", "é", "a", "👩‍🚀🇩🇪", "\u{301}"]) func longStringsAreCutEarly(part: String) throws {
    let text = String(repeating: part, count: 1 << 18)
    let tree = StateTree(["text": .string(text)])
    let page = tree.rendered(characterLimit: JSONRenderer.pageCharacters)
    #expect(page.unicodeScalars.count <= 16 * 10_000 + 100 && page.contains("more bytes"))
    let old = StateTree(["text": .string(text + "x")])
    let changes = StateDiff(from: old, to: tree).rendered(characterLimit: JSONRenderer.pageCharacters)
    #expect(changes.unicodeScalars.count <= 2 * (16 * 10_000 + 100))
    #expect(try StateTree(parsing: tree.rendered().utf8) == tree)
  }

  @Test func colorsEncloseNamesAndNotes() throws {
    let text = try tree(#"{"a":"bc"}"#).rendered(characterLimit: 1, style: Style(isColored: true))
    #expect(text == "{\n  \u{1B}[36m\"a\"\u{1B}[0m: \"b\"\u{1B}[2m… 1 more character\u{1B}[0m\n}\n")
  }

  @Test func controlCharactersAreEscaped() {
    let tree = StateTree(["\u{1B}]0;x\u{7}": "a\u{9B}b\u{202E}c\u{7F}\"\\\t\u{2028}\u{E0041}é👩‍👩‍👧"])
    #expect(
      tree.rendered() == """
        {
          "\\u001b]0;x\\u0007": "a\\u009bb\\u202ec\\u007f\\"\\\\\\t\\u2028\\udb40\\udc41é👩‍👩‍👧"
        }

        """)
  }

  @Test(arguments: Seeds.batches)
  func unlimitedTextParsesAsTheState(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 500) {
      var generator = JSONGenerator(seed: seed)
      let tree = StateTree(generator.value())
      #expect(try StateTree(parsing: tree.rendered().utf8) == tree, "seed \(seed)")
    }
  }

  @Test func plainTextIsUnchanged() {
    #expect(TerminalText.escaping("plain \"é\" \\ 日本") == "plain \"é\" \\ 日本")
    #expect(TerminalText.escaping("a\nb\u{85}\u{200F}\u{FEFF}") == "a\\nb\\u0085\\u200f\\ufeff")
    #expect(TerminalText.quoting("a\"b\\\r") == "\"a\\\"b\\\\\\r\"")
  }
}
