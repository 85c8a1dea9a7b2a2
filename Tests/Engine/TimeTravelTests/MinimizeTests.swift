import ActionLog
import EventSourcing
import JSONCoding
import TestSupport
import Testing
import TimeTravel

@Suite struct MinimizeTests {
  @Test func fewOfManyActionsRemain() throws {
    var random = SeededGenerator(seed: 7)
    var actions = (0..<20_000).map { _ in
      Stock.Action.set(
        id: "row\(Int.random(in: 0..<500, using: &random))", count: Int.random(in: 0...9, using: &random))
    }
    actions[3_141] = .set(id: "bad", count: 13)
    actions[6_283] = .note(id: "bad", "x")
    actions[9_000] = .open
    let history = try StockLog(actions).history()
    let minimized = try history.minimize(try Condition(parsing: "/items/bad/note == \"x\" and /isOpen"))
    #expect(minimized.actions.map(\.revision) == [3_142, 6_284, 9_001])
    #expect(minimized.isMinimal && minimized.originalCount == 20_000)
    #expect(minimized.work.actionsFolded < 40 * 20_000)
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func noRemainingActionCanBeRemoved(seed: UInt64) throws {
    let log = try StockLog(seed: seed, actions: 80)
    let history = try log.history()
    for text in [
      "count(/items) >= 2", "/items/a/note exists and /tags contains \"c\"", "/items/b/count == 2 and /isOpen",
    ] {
      let condition = try Condition(parsing: text)
      guard let last = try history.lastRevision(where: condition).revision, last > 0 else { continue }
      let minimized = try history.minimize(condition, at: last)
      let kept = minimized.actions.flatMap(\.actions)
      #expect(try Self.holds(condition, kept), "seed \(seed): \(text)")
      #expect(minimized.isMinimal)
      for index in kept.indices {
        var fewer = kept
        fewer.remove(at: index)
        #expect(try !Self.holds(condition, fewer), "seed \(seed): \(text) without \(index)")
      }
    }
  }

  @Test func unsuitableConditionIsExplained() throws {
    let history = try StockLog([.open, .close]).history()
    let error = try #require(throws: TimeTravelError.self) { try history.minimize(try Condition(parsing: "/isOpen")) }
    #expect(error.description == "'/isOpen' does not hold at revision 2")
    let needless = try #require(throws: TimeTravelError.self) {
      try history.minimize(try Condition(parsing: "not /isOpen"))
    }
    #expect(
      needless.description
        == "'not /isOpen' holds before any action, so no action is needed for it; write a condition that does not hold there, "
        + "for instance with a value that an action set")
    let absent = try #require(throws: TimeTravelError.self) {
      try history.minimize(try Condition(parsing: "/items/a/count != 5"))
    }
    #expect(
      absent.description
        == "'/items/a/count != 5' holds before any action, so no action is needed for it; there is no /items/a/count yet, so "
        + "add: and /items/a/count exists")
    #expect(throws: TimeTravelError.self) { try history.minimize(try Condition(parsing: "/isOpen changed")) }
    #expect(try history.minimize(try Condition(parsing: "/isOpen"), at: 1).actions.map(\.revision) == [1])
  }

  @Test func trialLimitEndsTheSearch() throws {
    let actions = (0..<400).map { index in Stock.Action.set(id: "row\(index)", count: 1) }
    let minimized = try StockLog(actions).history().minimize(
      try Condition(parsing: "count(/items) >= 150"), trialLimit: 20)
    #expect(!minimized.isMinimal && minimized.trials <= 20)
    #expect(minimized.actions.count >= 150 && minimized.actions.count <= 400)
  }

  /// Folds a selection without the refused actions, in the simplest way.
  private static func holds(_ condition: Condition, _ actions: [Stock.Action]) throws -> Bool {
    var state = Stock.initialState
    var accepted: [Stock.Action] = []
    for action in actions {
      var next = state
      guard (try? Stock.reduce(into: &next, action: action)) != nil else { continue }
      state = next
      accepted.append(action)
    }
    return try StockLog(accepted).history().lastRevision(where: condition).revision == accepted.count
  }
}
