import ActionLog
import EventSourcing
import JSONCoding
import Testing
import TimeTravel

/// Hints on conditions that cannot hold, as the visited states and actions show them.
@Suite struct ConditionHintTests {
  private static let actions: [Stock.Action] = [
    .set(id: "a", count: 1), .note(id: "a", "Fresh"), .open, .tag("b"), .set(id: "c", count: 2), .close,
  ]

  /// The revisions at which a condition holds, and the hints.
  private func ask(_ text: String) throws -> (revisions: [Int], work: QuestionWork) {
    let history = try StockLog(Self.actions).history()
    var revisions: [Int] = []
    let work = try history.actions(where: try Condition(parsing: text), in: 1...Self.actions.count) { record in
      revisions.append(record.revision)
      return true
    }
    return (revisions, work)
  }

  private static let impossible: [(text: String, message: String, offset: Int)] = [
    (
      #"/items/a/count > "two""#,
      #"/items/a/count was a number wherever it was checked, and "two" is a string: neither is less"#, 17
    ),
    (
      #""Fresh" == /items/a/count"#,
      #"/items/a/count was a number wherever it was checked, and "Fresh" is a string: they are never equal"#, 0
    ),
    (
      "seq > 1 and /items/a/note == 5",
      #"/items/a/note was a string wherever it was checked, and 5 is a number: they are never equal"#, 29
    ),
    (
      #"/isOpen == "true""#,
      #"/isOpen was true or false wherever it was checked, and "true" is a string: they are never equal"#,
      11
    ),
    (
      "/items == /items/a/count",
      "/items was an object wherever it was checked, and /items/a/count was a number: they are never equal", 10
    ),
    (
      "/items/a/note",
      "/items/a/note was a string wherever it was checked, and by itself it holds only where it is true", 0
    ),
    (
      "seq > 2 and /items/a/count",
      "/items/a/count was a number wherever it was checked, and by itself it holds only where it is true", 12
    ),
    (
      "/items",
      "/items was an object wherever it was checked, and by itself it holds only where it is true", 0
    ),
    (
      "/items/a/count contains 1",
      "/items/a/count was a number wherever it was checked, and only strings, arrays and objects contain something", 0
    ),
    (
      #"/items/a/count like "1*""#,
      "/items/a/count was a number wherever it was checked, and 'like' matches strings only", 0
    ),
    (
      "count(/items/a/count) > 0", "/items/a/count was a number wherever it was checked, which has nothing to count",
      0
    ),
    ("count(/isOpen)", "/isOpen was true or false wherever it was checked, which has nothing to count", 0),
    (
      "/items/a/note == null",
      "/items/a/note was a string or missing wherever it was checked, and never null: '/items/a/note exists' tests whether it exists",
      17
    ),
    (
      #"data/count == "one""#,
      #"data/count was a number wherever it was checked, and "one" is a string: they are never equal"#, 14
    ),
    (
      #"seq == "five""#,
      #"seq was a number wherever it was checked, and "five" is a string: they are never equal"#, 7
    ),
    (
      #"/items/a/note == "fresh""#,
      #"/items/a/note was "fresh" in no checked state; case matters. Did you mean "Fresh"?"#, 17
    ),
    (
      #"/items/a/note like "fr*""#,
      #"/items/a/note was like "fr*" in no checked state, but it was "Fresh"; case matters"#, 19
    ),
    (
      #"/items/a/note contains "RES""#,
      #"/items/a/note never contained "RES", but it was "Fresh"; case matters"#, 23
    ),
    (#"/items/a/note == "Fre""#, #"/items/a/note was "Fre" in no checked state. Did you mean "Fresh"?"#, 17),
    (
      #"/items/a/note == "Fresh fish""#,
      #"/items/a/note was "Fresh fish" in no checked state. Did you mean "Fresh"?"#, 17
    ),
    (#"/items/a/note == "Frehs""#, #"/items/a/note was "Frehs" in no checked state. Did you mean "Fresh"?"#, 17),
    (#""Fre" == /items/a/note"#, #"/items/a/note was "Fre" in no checked state. Did you mean "Fresh"?"#, 0),
    (#"type == "Open""#, #"type was "Open" in no checked action; case matters. Did you mean "open"?"#, 8),
    (#"type == "opne""#, #"type was "opne" in no checked action. Did you mean "open"?"#, 8),
    (#"data/idd == "a""#, #"no checked action has data/idd. Did you mean "id"?"#, -1),
  ]

  @Test(arguments: impossible)
  func impossibleConditionGetsAHint(text: String, message: String, offset: Int) throws {
    let (revisions, work) = try ask(text)
    #expect(revisions == [])
    let hint = try #require(work.hints.first)
    #expect(work.hints.count == 1)
    #expect(hint.description.split(separator: "\n")[0] == message)
    #expect(hint.excerpt?.offset ?? -1 == offset)
    if let excerpt = hint.excerpt { #expect(excerpt.text == text) }
  }

  /// A value that differs by a few letters is suggested first. A question about one state claims nothing about others.
  @Test func typingErrorsComeBeforeParts() throws {
    let notes: [Stock.Action] = [.set(id: "a", count: 1), .note(id: "a", "Plum (ripe)"), .note(id: "a", "Plum ")]
    let history = try StockLog(notes).history()
    let typed = try history.firstRevision(where: try Condition(parsing: #"/items/a/note == "Plum (rpie)""#))
    #expect(typed.work.hints.map(\.description).joined().contains(#"Did you mean "Plum (ripe)" or "Plum "?"#))
    let error = try #require(throws: TimeTravelError.self) {
      try history.minimize(try Condition(parsing: #"/items/a/note == "Plum (ripe)""#))
    }
    #expect(error.description.contains(#"was "Plum (ripe)" in no checked state"#), "\(error)")
  }

  @Test func tautologyGetsAHint() throws {
    let (revisions, work) = try ask("/isOpen != 1")
    #expect(revisions == Array(1...Self.actions.count))
    #expect(
      work.hints.map(\.message) == [
        "/isOpen was true or false wherever it was checked, and 1 is a number: they always differ"
      ])
    #expect(try ask(#"not /isOpen == "no""#).work.hints.count == 1)
    // Two tests have two hints, each with its position.
    let two = try ask(#"/isOpen == 1 or /items/a/count == "x""#).work.hints
    #expect(two.map { hint in hint.excerpt?.offset } == [11, 34])
  }

  @Test(
    arguments: [
      "/items/a/count == 1", "/items/a/count > 100", #"/items/a/note == "Fresh""#, #"/items/a/note == "Rotten""#,
      #"/items/a/note != "x""#, #"/items/a/note == "re""#, #"/items/a/note == "Fresh, as it was on the market""#,
      "not /isOpen", "/isOpen == true", "/isOpen != null", #"/tags contains "c""#,
      #"/items contains "z""#, #"/items/a/note like "zz*""#, "count(/items) > 100", "seq > 100", #"data/id == "a""#,
      #"type == "close""#, #"type == "somethingElse""#, "type exists", "/items/a/note changed", "/items/a/note exists",
      #"time > "2026-11-21T09:00:05Z""#, "1 == 1.0", #"/items/a/count > "100""#, #"/items/a/count == "7""#,
      "/items/b == null", #"seq > 100 and /isOpen == "no""#,
      "/log contains 100", "/items/a/count <= 1", "/isOpen >= true",
    ])
  func possibleConditionGetsNoHint(text: String) throws {
    #expect(try ask(text).work.hints == [])
  }

  @Test(
    arguments: [
      ("/items/zz exists", true), ("not /items/zz exists", false), ("not (/isOpen and /items/zz exists)", false),
      ("not not /items/zz exists", true), ("/items/zz == 1", true), ("not /items/zz == 1", true),
      ("not /items/zz exists and not /items/zz == 1", false), ("/items/zz == null", true), ("/items/zz", true),
      ("/items/zz changed", true), ("count(/items/zz) == 0", true), ("not /items/a exists", false),
      ("data/zz exists", true), ("not data/zz exists", false),
    ])
  func missingValueGetsAHint(text: String, isExpected: Bool) throws {
    let work = try ask(text).work
    let hints = try work.allHints()
    #expect(hints.count == (isExpected ? 1 : 0), "\(hints)")
    guard isExpected, text.contains("/items/zz") else { return }
    #expect(work.missingPointers.map(\.description) == ["/items/zz"])
    #expect(
      hints.first?.description
        == #"in every checked state there is nothing at /items/zz: the object at /items has no member "zz""#
    )
  }

  @Test func recordMatcherReportsHints() throws {
    let log = try StockLog(Self.actions)
    let question = try RecordMatcher(try Condition(parsing: #"data/count > "one" or type like "SET""#))
    var records = try log.history().reader.records()
    while let record = try records.next() { #expect(try !question.holds(for: record)) }
    #expect(
      question.hints.map(\.message) == [
        #"data/count was a number wherever it was checked, and "one" is a string: neither is less"#,
        #"type was like "SET" in no checked action, but it was "set"; case matters"#,
      ])
  }

  /// A value that is missing differs from every other one, so the condition holds before the value is there.
  @Test(
    arguments: [
      (#"/items/c/count != 1"#, "/items/c/count"), ("not (/items/c/count == 1)", "/items/c/count"),
      ("not /items/c/count > 1", "/items/c/count"), (#"not /items/a/note like "F*""#, "/items/a/note"),
      ("/isOpen or count(/items/c) != 1", "/items/c"), ("/items/c/count != 1 and /isOpen != 3", "/items/c/count"),
    ])
  func absentValueIsExplained(text: String, path: String) throws {
    let history = try StockLog(Self.actions).history()
    let condition = try Condition(parsing: text)
    let hint =
      "at revision 0 there is no \(path), so the condition holds; to search where it exists, add: and \(path) exists"
    let answers = try [
      (history.firstRevision(where: condition).revision, history.firstRevision(where: condition).work),
      (history.bisect(condition).revision, history.bisect(condition).work),
    ]
    for (revision, work) in answers {
      #expect(revision == 0)
      #expect(work.hints.filter { hint in hint.message.contains("there is no") }.map(\.description) == [hint])
    }
    // With the advice the answer is where the value exists.
    let advised = try history.firstRevision(where: try Condition(parsing: "(\(text)) and \(path) exists"))
    #expect(advised.revision != 0 && !advised.work.hints.contains { hint in hint.message.contains("there is no") })
  }

  @Test(
    arguments: [
      "/items/c/count == 2", "not /items/c exists", "/items/c/count != 1 or not /items/c exists", "/isOpen != true",
      "/isOpen == false or /items/c/count != 1",
    ])
  func presentValueNeedsNoExplanation(text: String) throws {
    let work = try StockLog(Self.actions).history().firstRevision(where: try Condition(parsing: text)).work
    #expect(work.hints == [])
  }

  @Test func explainedPathIsQuotedLikeInConditions() throws {
    let history = try StockLog([.set(id: "a b", count: 1), .open]).history()
    let hint = try history.bisect(try Condition(parsing: "'/items/a b/count' != 3")).work.hints.last
    #expect(hint?.message.hasSuffix("add: and '/items/a b/count' exists") == true, "\(hint?.message ?? "")")
  }

  @Test func allQuestionsReportHints() throws {
    let history = try StockLog(Self.actions).history()
    let condition = try Condition(parsing: #"/items/a/count == "x""#)
    #expect(try history.firstRevision(where: condition).work.hints.count == 1)
    #expect(try history.lastRevision(where: condition).work.hints.count == 1)
    #expect(try history.bisect(condition).work.hints.count == 1)
    let refused = #expect(throws: TimeTravelError.self) { try history.minimize(condition) }
    #expect(
      refused?.message.hasPrefix("'/items/a/count == \"x\"' does not hold at revision 6: /items/a/count was") == true)
    #expect(refused?.excerpt?.offset == 18)
    // The parts of a search share their observations.
    let seen = try Condition(parsing: #"/items/a/note == "Fresh" and /isOpen"#)
    #expect(try history.bisect(seen).work.hints == [])
  }
}
