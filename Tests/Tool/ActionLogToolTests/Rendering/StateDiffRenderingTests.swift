import ActionLogTool
import JSONCoding
import Testing
import TimeTravel

@Suite struct StateDiffRenderingTests {
  @Test func differencesAreGroupedByLocation() throws {
    let diff = try diff(
      #"{"animals":{"data":{"Dog":{"name":"Dog","tags":["a","b"]},"Eel":{"name":"Eel"}},"status":"waiting"}}"#,
      #"{"animals":{"data":{"Dog":{"name":"Doggo","tags":["x","a","c"]},"Cat":{"name":"Cat"}},"status":null}}"#)
    #expect(
      diff.rendered() == """
        /animals
          ~ status: "waiting" → null
        /animals/data
          + Cat: {"name": "Cat"}
          - Eel: {"name": "Eel"}
        /animals/data/Dog
          ~ name: "Dog" → "Doggo"
        /animals/data/Dog/tags
          + 0: "x"
          ~ 2 (was 1): "b" → "c"

        """)
  }

  @Test func longValuesGetLinesOfTheirOwn() throws {
    let long = String(repeating: "long ", count: 15)
    let diff = try diff(
      #"{"a":"short","b":{"list":[1,2,3,4],"text":"\#(long)"}}"#, #"{"a":"\#(long)","c":1}"#)
    #expect(
      diff.rendered(characterLimit: 64) == """
        (root)
          ~ a:
            - "short"
            + "long long long long long long long long long long long long long"… 11 more characters
          - b: {
          -   "list": [
          -     1,
          -     2,
          -     3,
          -     4
          -   ],
          -   "text": "long long long long long long long long long long long long long"… 11 more characters
          - }
          + c: 1

        """)
  }

  @Test func theRootHasAName() throws {
    #expect(try diff("1", "2").rendered() == "~ (root): 1 → 2\n")
    #expect(try diff("[1]", "[]").rendered() == "(root)\n  - 0: 1\n")
    #expect(try diff("[1]", "[1]").rendered() == "")
  }

  @Test func movedElementsShowTheirOldIndex() throws {
    let diff = try diff(#"[{"n":1,"id":7}]"#, #"[0,{"n":2,"id":7}]"#)
    #expect(diff.rendered() == "(root)\n  + 0: 0\n/1 (was /0)\n  ~ n: 1 → 2\n")
  }

  @Test func misleadingNamesAreQuotedAndEscaped() throws {
    let diff = StateDiff(
      from: StateTree(["\u{1B}[31m": ["x": 1], "": 1]),
      to: StateTree(["\u{1B}[31m": ["x": "\u{202E}"], "a: b": 1])
    )
    #expect(
      diff.rendered() == """
        (root)
          - "": 1
          + "a: b": 1
        /\\u001b[31m
          ~ x: 1 → "\\u202e"

        """)
  }

  @Test func colorsFollowTheMarks() throws {
    #expect(
      try diff(#"{"a":1,"b":1}"#, #"{"b":2,"c":1}"#).rendered(style: Style(isColored: true))
        == "\u{1B}[36m(root)\u{1B}[0m\n  \u{1B}[31m- a: 1\u{1B}[0m\n  \u{1B}[33m~ b: 1 → 2\u{1B}[0m\n"
        + "  \u{1B}[32m+ c: 1\u{1B}[0m\n")
  }
}
