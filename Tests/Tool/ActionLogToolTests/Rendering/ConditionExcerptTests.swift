import ActionLogTool
import Testing
import TimeTravel

@Suite struct ConditionExcerptTests {
  @Test(arguments: [
    ("/a = 1", 3), ("/a == ", 6), ("type changed", 0),
    // A slash, two characters of two columns, and what follows them.
    ("/温度 == and", 1 + 4 + 4),
  ])
  func caretIsBelowTheCharacter(text: String, column: Int) throws {
    let error = try #require(throws: TimeTravelError.self) { try Condition(parsing: text) }
    let lines = try #require(error.excerpt?.lines)
    #expect(lines == [text, String(repeating: " ", count: column) + "^"])
  }

  @Test func conditionOfSeveralLinesIsShownOnOne() throws {
    let error = try #require(throws: TimeTravelError.self) { try Condition(parsing: "/a == 1\n&\u{1B}") }
    #expect(error.excerpt?.lines == ["/a == 1 &\\u001b", "        ^"])
  }
}
