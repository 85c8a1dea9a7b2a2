import ActionLog
import EventSourcing
import JSONCoding
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// Each question has the answer of a walk over all revisions, whatever snapshots there are.
@Suite struct QuestionTests {
  private static let conditions = [
    "/items/a/count == 2", "/items/a/count >= 1.0", "/isOpen", "not /isOpen and count(/items) > 2", "/items/b exists",
    "/items/c/note == \"x\"", "/tags contains \"b\" or /items contains \"d\"", "/plain/a < /plain/b",
    "/items/a/count changed", "count(/items) changed and count(/items) == 1", "/tags changed", "'' changed",
    "type == \"open\"", "type like \"*e*\" and data/id == \"b\"", "seq > 20 and /isOpen",
    "data/count == 2 and /items/a exists",
    "time >= \"2026-11-21T09:00:30Z\" and /isOpen", "/items/a == null", "/items/zz != 3 and seq >= 10", "/log/2 > 3",
    "(/isOpen or /items/a exists) and not /items/b exists",
  ]

  @Test(arguments: Seeds.batches) func blameAndChangesMatchAWalk(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 8) {
      let log = try StockLog(seed: seed, actions: 60, snapshots: seed % 3 == 0 ? [] : [7, 20, 21, 44, 60])
      let history = try log.history()
      for text in StockLog.pointers {
        let pointer = try JSONPointer(parsing: text)
        let values = try log.states.map { state in try StateTree(encoding: state)[pointer] }
        let changed = (1...60).filter { revision in values[revision] != values[revision - 1] }
        var found: [Int] = []
        try history.changes(of: [pointer], in: 0...60) { change in
          found.append(change.record.revision)
          #expect(change.old == values[change.record.revision - 1] && change.new == values[change.record.revision])
          return true
        }
        #expect(found == changed, "seed \(seed), \(text)")
        for range in [0...0, 0...20, 1...20, 7...8, 8...8, 21...44, 60...60] {
          var within: [Int] = []
          let work = try history.changes(of: [pointer], in: range) { change in
            within.append(change.record.revision)
            return true
          }
          #expect(within == changed.filter(range.contains), "seed \(seed), \(text) in \(range)")
          #expect(work.statesVisited == range.upperBound - max(0, range.lowerBound - 1) + 1)
        }
        for revision in 0...60 {
          let answer = try history.blame(pointer, at: revision)
          #expect(
            answer.change?.record.revision == changed.last { $0 <= revision }, "seed \(seed), \(text) at \(revision)")
          #expect(answer.value == values[revision])
          #expect(answer.change.map { $0.new == values[revision] } ?? (values[revision] == values[0]))
        }
      }
    }
  }

  @Test(arguments: conditions) func conditionSearchesMatchAWalk(text: String) throws {
    let condition = try Condition(parsing: text)
    for seed: UInt64 in 0..<2 {
      let log = try StockLog(seed: seed, actions: 50, snapshots: seed % 2 == 0 ? [] : [9, 10, 33])
      let history = try log.history()
      let holding = try (0...50).filter { revision in try Self.holds(text, log, revision, history) }
      for revision in 0...50 {
        let next = try history.firstRevision(where: condition, after: revision)
        #expect(next.revision == holding.first { $0 > revision }, "seed \(seed), after \(revision)")
        #expect(next.record?.revision == next.revision)
        let previous = try history.lastRevision(where: condition, before: revision)
        #expect(previous.revision == holding.last { $0 < revision }, "seed \(seed), before \(revision)")
      }
      for (first, last) in [(0, 0), (0, 50), (5, 9), (9, 10), (10, 33), (11, 34), (34, 34), (50, 50)] {
        let within = holding.filter((first...last).contains)
        let next = try history.firstRevision(
          where: condition, after: first == 0 ? nil : first - 1, upTo: last)
        #expect(next.revision == within.first && next.range == first...last, "seed \(seed), \(first)…\(last)")
        let previous = try history.lastRevision(
          where: condition, before: last == 50 ? nil : last + 1, downTo: first)
        #expect(previous.revision == within.last && previous.range == first...last, "seed \(seed), \(first)…\(last)")
        #expect(previous.record?.revision == (previous.revision == 0 ? nil : previous.revision))
      }
      // An empty range is not searched.
      for answer in [
        try history.firstRevision(where: condition, after: 7, upTo: 7),
        try history.firstRevision(where: condition, after: 9, upTo: 3),
        try history.lastRevision(where: condition, before: 7, downTo: 7),
        try history.lastRevision(where: condition, before: 0),
      ] {
        #expect(answer.revision == nil && answer.range == nil && answer.work.statesVisited == 0)
      }
      #expect(try history.firstRevision(where: condition).revision == holding.first)
      #expect(try history.lastRevision(where: condition).revision == holding.last)
      if condition.readsAction || condition.readsChange {
        #expect(throws: TimeTravelError.self) { try history.bisect(condition) }
      } else {
        let answer = try history.bisect(condition)
        // If bisection finds no contradiction, the condition begins to hold at its answer; otherwise the answer is the first
        // revision.
        if answer.wasScanned {
          #expect(answer.revision == holding.first, "seed \(seed)")
        } else {
          let revision = try #require(answer.revision)
          #expect(holding.contains(revision) && (revision == 0 || !holding.contains(revision - 1)))
        }
        #expect(answer.isMonotonic || holding.first.map { first in holding.count < 51 - first } == true)
        #expect(answer.work.actionsFolded <= 50, "seed \(seed)")
      }
    }
  }

  /// Filters find what a walk with both conditions finds, in any range.
  @Test(arguments: [nil] + conditions.map(Optional.some)) func filtersMatchAWalk(text: String?) throws {
    let condition = try text.map { text in try Condition(parsing: text) }
    for seed: UInt64 in 0..<2 {
      let log = try StockLog(seed: seed, actions: 50, snapshots: seed == 0 ? [] : [9, 10, 33])
      let history = try log.history()
      let holding = try Set(
        (1...50).filter { revision in try text.map { try Self.holds($0, log, revision, history) } ?? true })
      for pointers in [[], ["/items/a"], ["/tags/0", "/isOpen"], [""], ["/items/zz"]] {
        let places = try pointers.map { try JSONPointer(parsing: $0) }
        let values = try log.states.map { state in
          let tree = try StateTree(encoding: state)
          return places.map { place in tree[place] }
        }
        for range in [0...50, 1...50, 10...33, 11...34, 50...50, 0...0] {
          var found: [Int] = []
          let work = try history.actions(where: condition, touching: places, in: range) { record in
            found.append(record.revision)
            return true
          }
          let expected = (max(1, range.lowerBound)...max(1, range.upperBound)).filter { revision in
            range.contains(revision) && holding.contains(revision)
              && (places.isEmpty || values[revision] != values[revision - 1])
          }
          #expect(found == expected, "seed \(seed), \(pointers), \(range)")
          #expect(work.statesVisited == range.upperBound - max(0, range.lowerBound - 1) + 1)
          if let second = expected.dropFirst().first {
            var count = 0
            let shorter = try history.actions(where: condition, touching: places, in: range) { _ in
              count += 1
              return count < 2
            }
            #expect(count == 2 && shorter.statesVisited == second - max(0, range.lowerBound - 1) + 1)
          }
        }
      }
    }
  }

  @Test func intermittentConditionIsFoundByAScan() throws {
    // Open from 10 to 19 and from 90 on: bisection over the snapshots alone finds 90.
    let actions = (1...100).map { revision -> Stock.Action in
      (10..<20).contains(revision) || revision >= 90 ? .open : .close
    }
    let history = try StockLog(actions).history()
    let scanned = try history.bisect(try Condition(parsing: "/isOpen"))
    #expect(scanned.revision == 10 && scanned.probes.isEmpty && scanned.wasScanned)
    for revision in [15, 50, 95] { _ = try history.takeSnapshot(at: revision) }
    let answer = try history.bisect(try Condition(parsing: "/isOpen"))
    #expect(answer.revision == 10 && !answer.isMonotonic && answer.wasScanned)
    // Open only in the middle: nothing to bisect.
    let passing = try StockLog(actions.map { $0 } + [.close]).history().bisect(try Condition(parsing: "/isOpen"))
    #expect(passing.revision == 10 && passing.wasScanned)
    let never = try history.bisect(try Condition(parsing: "/items/a exists"))
    #expect(never.revision == nil && never.isMonotonic && never.wasScanned)
  }

  /// The meaning of each condition, written a second time.
  private static func holds(_ text: String, _ log: StockLog, _ revision: Int, _ history: History<Stock>) throws -> Bool
  {
    let state = log.states[revision]
    let before = revision > 0 ? log.states[revision - 1] : nil
    let action = revision > 0 ? log.actions[revision - 1] : nil
    let isSetTo = { (count: Int) in if case .set(_, count)? = action { true } else { false } }
    let names = { (id: String) in
      switch action {
      case .set(id, _)?, .note(id, _)?, .remove(id)?: true
      default: false
      }
    }
    switch text {
    case "/items/a/count == 2": return state.items["a"]?.count == 2
    case "/items/a/count >= 1.0": return state.items["a"].map { $0.count >= 1 } ?? false
    case "/isOpen": return state.isOpen
    case "not /isOpen and count(/items) > 2": return !state.isOpen && state.plain.count > 2
    case "/items/b exists": return state.items["b"] != nil
    case "/items/c/note == \"x\"": return state.items["c"]?.note == "x"
    case "/tags contains \"b\" or /items contains \"d\"": return state.tags.contains("b") || state.items["d"] != nil
    case "/plain/a < /plain/b":
      guard let a = state.plain["a"], let b = state.plain["b"] else { return false }
      return a < b
    case "/items/a/count changed": return before.map { $0.items["a"]?.count != state.items["a"]?.count } ?? false
    case "count(/items) changed and count(/items) == 1":
      return before.map { $0.plain.count != state.plain.count } ?? false && state.plain.count == 1
    case "/tags changed": return before.map { $0.tags != state.tags } ?? false
    case "'' changed": return before.map { $0 != state } ?? false
    case "type == \"open\"": return action == .open
    case "type like \"*e*\" and data/id == \"b\"":
      if case .tag = action { return false }
      return names("b")
    case "seq > 20 and /isOpen": return revision > 20 && state.isOpen
    case "data/count == 2 and /items/a exists": return isSetTo(2) && state.items["a"] != nil
    case "time >= \"2026-11-21T09:00:30Z\" and /isOpen":
      let start = try #require(LogTime(parsing: "2026-11-21T09:00:30.000000Z"))
      return action != nil && LedgerLog.time(of: revision) >= start && state.isOpen
    case "/items/a == null": return false
    case "/items/zz != 3 and seq >= 10": return revision >= 10
    case "/log/2 > 3": return state.log.count > 2 && state.log[2] > 3
    case "(/isOpen or /items/a exists) and not /items/b exists":
      return (state.isOpen || state.items["a"] != nil) && state.items["b"] == nil
    default:
      Issue.record("no second meaning: \(text)")
      return false
    }
  }
}
