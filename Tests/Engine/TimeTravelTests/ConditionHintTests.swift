import ActionLog
import EventSourcing
import JSONCoding
import Testing
import TimeTravel

/// Hints on names in conditions that no visited state or action has.
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

  @Test(
    arguments: [
      (#"type == "Open""#, #"no checked action has the type "Open". Did you mean "open"?"#),
      (#"type == "opne""#, #"no checked action has the type "opne". Did you mean "open"?"#),
      (#""opne" == type and seq > 1"#, #"no checked action has the type "opne". Did you mean "open"?"#),
      (#"data/idd == "a""#, #"no checked action has data/idd. Did you mean "id"?"#),
    ])
  func unknownNameGetsAHint(text: String, message: String) throws {
    let (revisions, work) = try ask(text)
    #expect(revisions == [])
    #expect(work.hints.map(\.description) == [message])
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
    let question = try RecordMatcher(try Condition(parsing: #"data/cuont > 1 or type == "SET""#))
    var records = try log.history().reader.records()
    while let record = try records.next() { #expect(try !question.holds(for: record)) }
    #expect(
      question.hints.map(\.description) == [
        #"no checked action has data/cuont. Did you mean "count"?"#,
        #"no checked action has the type "SET". Did you mean "set"?"#,
      ])
  }

  @Test func allQuestionsReportHints() throws {
    let history = try StockLog(Self.actions).history()
    let condition = try Condition(parsing: #"type == "opne""#)
    #expect(try history.firstRevision(where: condition).work.hints.count == 1)
    #expect(try history.lastRevision(where: condition).work.hints.count == 1)
    let missing = try Condition(parsing: "/items/aa/count == 1")
    let refused = #expect(throws: TimeTravelError.self) { try history.minimize(missing) }
    #expect(refused?.message.contains("does not hold at revision 6: there is nothing at /items/aa/count") == true)
    // The parts of a search share their observations.
    let seen = try Condition(parsing: #"type == "open" and /isOpen"#)
    #expect(try history.firstRevision(where: seen).work.hints == [])
  }
}
