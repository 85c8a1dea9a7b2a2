import JSONCoding
import Testing
import TimeTravel

/// What a condition means and what is said of one that means nothing. Evaluation is tested on histories, in the suites of the
/// questions.
@Suite struct ConditionTests {
  @Test(arguments: [
    ("/a == ", "expected a value before the end", 6),
    ("/a = 1", "write '==' to compare", 3),
    ("/a == 01", "the number is not as JSON writes one", 6),
    ("time > 2026-01-01T10:00:00Z", "a time is written in double quotes: \"2026-01-01T10:00:00Z\"", 7),
    ("time > 2026-01-01", "a time is written in double quotes: \"2026-01-01\"", 7),
    ("time > 2026", "a time is compared with a time in double quotes, \"2026-11-21T09:00:05Z\"", 7),
    ("time > \"2026-02-30\"", "2026-02-30 is not on the calendar", 7),
    ("/a > 1 adn /b < 2", "expected 'and', 'or' or the end before this. Did you mean \"and\"?", 7),
    ("(/a == 1", "expected ')'", 8),
    ("/a == 1)", "there is no '(' for this ')'", 7),
    ("/a == \"Dog", "the closing \" is missing", 6),
    ("/a && /b", "write 'and', not '&'", 3),
    (
      "typ == \"x\"",
      "\"typ\" is no value: write a place of the state as /typ, a string as \"typ\". Did you mean \"type\"?", 0
    ),
    ("type changed", "only a value of the state can have changed", 0),
    ("'a b' exists", "single quotes hold a JSON Pointer, which begins with '/'; write strings in double quotes", 0),
    ("/a~2 exists", "'~' is written '~0' and '/' within a name '~1' in a JSON Pointer", 0),
    ("time > 5", "a time is compared with a time in double quotes, \"2026-11-21T09:00:05Z\"", 7),
    ("time > \"noon\"", "write the time as \"2026-11-21T09:00:05Z\"", 7),
    ("/a like /b", "expected a pattern in double quotes, for instance \"ui.*\"", 8),
    ("12", "expected a comparison behind a value", 2),
    ("", "the condition is empty: write for instance /counter/value > 10", 0),
    ("count(count(/a)) > 1", "a count has no elements to be counted", 15),
  ])
  func errorsPointAtTheCharacter(text: String, message: String, offset: Int) throws {
    let error = try #require(throws: TimeTravelError.self) { try Condition(parsing: text) }
    #expect(error.code == .invalidCondition)
    #expect(error.description.split(separator: "\n")[0] == message)
    let excerpt = try #require(error.excerpt)
    #expect(excerpt.offset == offset)
    #expect(excerpt.lines[1] == String(repeating: " ", count: offset) + "^")
  }

  @Test func theMarkStandsBelowTheCharacterAlsoBehindWideOnes() throws {
    let error = try #require(throws: TimeTravelError.self) { try Condition(parsing: "/温度 == and") }
    let excerpt = try #require(error.excerpt)
    #expect(excerpt.offset == 7)
    // A slash, two characters of two columns, and what follows them.
    #expect(excerpt.lines[1] == String(repeating: " ", count: 1 + 4 + 4) + "^")
  }

  @Test func aTooDeepConditionIsRefusedAndDoesNotOverflowTheStack() throws {
    let text = String(repeating: "(", count: 5_000) + "/a" + String(repeating: ")", count: 5_000)
    #expect(throws: TimeTravelError.self) { try Condition(parsing: text) }
    #expect(throws: TimeTravelError.self) { try Condition(parsing: String(repeating: "not ", count: 4_000) + "/a") }
    #expect(throws: TimeTravelError.self) { try Condition(parsing: String(repeating: "x", count: 1_000_000)) }
  }

  @Test func itTellsWhatItLooksAt() throws {
    let condition = try Condition(parsing: "/a == 1 and (not /b/c exists or count(/a) > '/d e')")
    #expect(condition.pointers.map(\.description) == ["/a", "/b/c", "/d e"])
    #expect(!condition.asksForAction && !condition.asksForChange)
    #expect(try Condition(parsing: "type like \"ui.*\"").asksForAction)
    #expect(try Condition(parsing: "time >= \"2026-11-21T09:00:05Z\"").asksForAction)
    #expect(try Condition(parsing: "count(/a) changed").asksForChange)
  }
}
