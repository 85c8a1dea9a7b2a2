import Foundation
import JSONCoding
import Testing
import TimeTravel
import TreeCollections

/// The syntax of conditions and its errors. The suites of the questions test the evaluation.
@Suite struct ConditionTests {
  @Test(arguments: [
    ("/a == ", "expected a value before the end", 6),
    ("/a = 1", "write '==' to compare", 3),
    ("/a == 01", "the number is not valid JSON", 6),
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
      "\"typ\" is not a value: write a value of the state as /typ, a string as \"typ\". Did you mean \"type\"?", 0
    ),
    ("type changed", "only a value of the state can have changed", 0),
    ("'a b' exists", "single quotes hold a JSON Pointer, which begins with '/'; write strings in double quotes", 0),
    ("/a~2 exists", "'~' is written '~0' and '/' within a name '~1' in a JSON Pointer", 0),
    ("time > 5", "a time is compared with a time in double quotes, \"2026-11-21T09:00:05Z\"", 7),
    ("time > \"noon\"", "write the time as \"2026-11-21T09:00:05Z\"", 7),
    ("/a like /b", "expected a pattern in double quotes, for instance \"ui.*\"", 8),
    ("12", "expected a comparison after a value", 2),
    ("", "the condition is empty: write for instance /counter/value > 10", 0),
    ("count(count(/a)) > 1", "a count has no elements to be counted", 15),
  ])
  func errorsPointAtTheCharacter(text: String, message: String, offset: Int) throws {
    let error = try #require(throws: TimeTravelError.self) { try Condition(parsing: text) }
    #expect(error.code == .invalidCondition)
    #expect(error.description.split(separator: "\n")[0] == message)
    let excerpt = try #require(error.excerpt)
    #expect(excerpt.text == text && excerpt.offset == offset)
  }

  @Test func deepConditionDoesNotOverflowTheStack() throws {
    let text = String(repeating: "(", count: 5_000) + "/a" + String(repeating: ")", count: 5_000)
    #expect(throws: TimeTravelError.self) { try Condition(parsing: text) }
    #expect(throws: TimeTravelError.self) { try Condition(parsing: String(repeating: "not ", count: 4_000) + "/a") }
    #expect(throws: TimeTravelError.self) { try Condition(parsing: String(repeating: "x", count: 1_000_000)) }
  }

  @Test func conditionListsItsInputs() throws {
    let condition = try Condition(parsing: "/a == 1 and (not /b/c exists or count(/a) > '/d e')")
    #expect(condition.pointers.map(\.description) == ["/a", "/b/c", "/d e"])
    #expect(!condition.readsAction && !condition.readsChange)
    #expect(try Condition(parsing: "type like \"ui.*\"").readsAction)
    #expect(try Condition(parsing: "time >= \"2026-11-21T09:00:05Z\"").readsAction)
    #expect(try Condition(parsing: "count(/a) changed").readsChange)
  }

  private struct Till: Codable, Sendable {
    struct Order: Codable, Equatable, Sendable {
      var status: String
      var total: Decimal
    }

    var turnover: [String: Decimal] = [
      "eur": Decimal(string: "1103.15") ?? 0, "usd": -20, "none": .nan,
    ]
    var version = "1.10"
    var count = 12
    var orders: [UUID: Order] = [:]
    var shared = TreeDictionary<UUID, Order>()
    var tags: Set<String> = ["a", "b"]
    var names: [UUID: String] = [:]
  }

  @Test(arguments: [
    ("/turnover/eur > 1000000", false), ("/turnover/eur < 1000000", true), ("/turnover/eur > 999.5", true),
    ("/turnover/eur == 1103.15", true), ("/turnover/eur == 1103.150", true), ("/turnover/eur != 1103.15", false),
    ("/turnover/eur >= 1103.15", true), ("1000 < /turnover/eur", true), ("/turnover/usd < -3", true),
    ("/turnover/none > 0", false), ("/turnover/none != 0", true), ("/turnover/eur > /count", true),
    // Quoted numbers are ordered as numbers, but a text equals only itself.
    ("/turnover/eur > \"1000000\"", false), ("/turnover/eur > \"200\"", true), ("/count > \"9\"", true),
    ("/count == \"12\"", true), ("/version == \"1.10\"", true), ("/version == \"1.1\"", false),
    ("/version > \"1.9\"", false), ("/version < \"b\"", true), ("\"b\" > \"a10\"", true), ("\"10\" > \"9\"", true),
  ])
  func decimalsCompareAsNumbers(text: String, holds: Bool) throws {
    #expect(try Condition(parsing: text).holds(in: Till()) == holds)
  }

  @Test func dictionaryEntriesAreFoundByKey() throws {
    let ids = (0..<3).map { number in UUID(uuid: (UInt8(40 * number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)) }
    var till = Till()
    for (number, id) in ids.enumerated() {
      till.orders[id] = Till.Order(status: "open \(number)", total: Decimal(number))
      till.shared[id] = till.orders[id]
      till.names[id] = "name \(number)"
    }
    let pointers = try [
      "/orders/\(ids[1])/status", "/shared/\(ids[1])/status", "/orders/\(ids[1])", "/shared/\(ids[2])/total",
      "/orders/3/status", "/shared/3/status", "/orders/\(UUID())", "/shared/\(UUID())", "/orders/x", "/tags/a",
      "/orders/\(ids[1].uuidString.lowercased())", "/names/\(ids[1])", "/orders/6", "/orders/-", "/orders/00",
    ].map { text in try JSONPointer(parsing: text) }
    let probes = pointers.map { pointer in StateProbe<Till>(pointer) }
    func expectSame(_ comment: Comment) throws {
      let tree = try StateTree(encoding: till)
      for probe in probes {
        #expect(try probe.value(in: till) == tree[probe.pointer], "\(probe.pointer), \(comment)")
        let exists = try Condition(parsing: "\(probe.pointer) exists")
        #expect(try exists.holds(in: till) == (tree[probe.pointer] != nil), "\(probe.pointer), \(comment)")
      }
    }
    try expectSame("at first")
    #expect(try probes[0].value(in: till) == "open 1" && probes[4].value(in: till) == "open 1")
    // A new entry before it moves the element, but not the entry.
    till.orders[UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))] = Till.Order(status: "new", total: 1)
    till.shared[UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))] = Till.Order(status: "new", total: 1)
    try expectSame("with another entry")
    #expect(try probes[0].value(in: till) == "open 1" && probes[4].value(in: till) == "new")
    till.orders[ids[1]] = nil
    till.shared[ids[1]]?.status = "paid"
    try expectSame("after a removal")
    #expect(try probes[0].value(in: till) == nil && probes[1].value(in: till) == "paid")
    #expect(try StateTree(encoding: till)[pointers[9]] == nil, "a list of strings has no keys")
  }

  @Test func conditionHoldsInAState() throws {
    let log = try StockLog(seed: 3, actions: 40)
    let condition = try Condition(parsing: "count(/items) > 1 and not /isOpen")
    for state in log.states { #expect(try condition.holds(in: state) == (state.items.count > 1 && !state.isOpen)) }
  }

  @Test(arguments: ["type == \"x\"", "/isOpen changed"]) func conditionOverTheActionNeedsARecord(text: String) throws {
    let condition = try Condition(parsing: text)
    let error = #expect(throws: TimeTravelError.self) { try condition.holds(in: Stock.initialState) }
    #expect(error?.code == .unanswerable)
  }
}
