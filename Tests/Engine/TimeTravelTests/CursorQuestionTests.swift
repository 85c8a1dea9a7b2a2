import ActionLog
import EventSourcing
import JSONCoding
import TestSupport
import Testing
import TimeTravel

/// A cursor answers like its history, with less work, and does not move.
@MainActor @Suite struct CursorQuestionTests {
  private static let count = 100_000

  @Test(arguments: Seeds.batches) func cursorAnswersMatchTheHistory(batch: UInt64) async throws {
    for seed in Seeds.batch(batch, of: 4) {
      let history = try StockLog(seed: seed, actions: 60, snapshots: seed % 2 == 0 ? [] : [7, 20, 44]).history()
      try await history.cursor(at: .revision(Int(seed % 61))).perform { cursor in
        for text in StockLog.pointers {
          let pointer = try JSONPointer(parsing: text)
          for revision in 0...60 {
            let (asked, known) = (try cursor.blame(pointer, at: revision), try history.blame(pointer, at: revision))
            #expect(
              asked.change?.record.revision == known.change?.record.revision, "seed \(seed), \(text) at \(revision)")
            #expect(asked.change?.old == known.change?.old && asked.change?.new == known.change?.new)
            #expect(asked.value == known.value)
          }
          let condition = try Condition(parsing: "\(text.isEmpty ? "''" : text) exists")
          // The existing states differ, so the answers can differ for a condition that comes and goes.
          let asked = try cursor.bisect(condition)
          let first = try history.firstRevision(where: condition).revision
          #expect(
            (asked.revision == nil) == (first == nil)
              && asked.record?.revision == (asked.revision == 0 ? nil : asked.revision)
          )
          if asked.wasScanned { #expect(asked.revision == first, "seed \(seed), \(text)") }
          if let revision = asked.revision {
            #expect(
              try history.firstRevision(where: condition, after: max(0, revision - 1), upTo: revision).revision
                == (revision == 0 ? nil : revision))
            if revision > 0 {
              #expect(
                try history.lastRevision(where: condition, before: revision, downTo: revision - 1).revision == nil)
            }
          }
          for revision in stride(from: 0, through: 60, by: 7) {
            let (next, first) = (
              try cursor.firstRevision(where: condition, after: revision),
              try history.firstRevision(where: condition, after: revision)
            )
            #expect(
              next.revision == first.revision && next.record?.revision == first.record?.revision,
              "seed \(seed), \(text)")
            let (previous, last) = (
              try cursor.lastRevision(where: condition, before: revision),
              try history.lastRevision(where: condition, before: revision)
            )
            #expect(
              previous.revision == last.revision && previous.record?.revision == last.record?.revision,
              "seed \(seed), \(text)")
          }
        }
        #expect(cursor.revision == Int(seed % 61))
      }
    }
  }

  @Test(arguments: Seeds.batches) func differenceIsThatOfTheStates(batch: UInt64) async throws {
    for seed in Seeds.batch(batch, of: 4) {
      let log = try StockLog(seed: seed, actions: 60, snapshots: seed % 2 == 0 ? [] : [7, 20, 44])
      let trees = try log.states.map { state in try StateTree(encoding: state) }
      let cursor = try log.history().cursor(at: .revision(Int(seed % 61)))
      for revision in [0, 1, 30, 59, 60] {
        let patch = try await cursor.difference(from: revision).jsonPatch()
        #expect(
          try patch.apply(to: trees[revision].root) == trees[await cursor.revision].root,
          "seed \(seed), from \(revision)")
      }
      #expect(await cursor.revision == Int(seed % 61))
      #expect(try StateTree(encoding: await cursor.state) == trees[await cursor.revision])
      await #expect(throws: TimeTravelError.self) { try await cursor.difference(from: 61) }
    }
  }

  @Test func bisectFoldsFewActionsForEachState() async throws {
    let cursor = try LedgerLog(actions: Self.count).history().cursor()
    let folded = await cursor.work.actionsFolded
    let answer = try await cursor.bisect(try Condition(parsing: "/count >= 73123"))
    #expect(answer.revision == 73_123 && !answer.wasScanned)
    // Only the actions between the last two kept states.
    #expect(answer.work.actionsFolded <= 255 && answer.probes.count <= 17 + 2 * 17)
    #expect(await cursor.work.actionsFolded - folded == answer.work.actionsFolded)
    #expect(await cursor.revision == Self.count)
  }

  @Test func searchFoldsFromTheNearestKeptState() async throws {
    let cursor = try LedgerLog(actions: Self.count).history().cursor()
    let forward = try await cursor.firstRevision(where: try Condition(parsing: "/count >= 73123"), after: 73_000)
    #expect(forward.revision == 73_123)
    #expect((123...123 + 127).contains(forward.work.actionsFolded))
    let backward = try await cursor.lastRevision(where: try Condition(parsing: "/count <= 90000"))
    #expect(backward.revision == 90_000)
    #expect(backward.work.actionsFolded <= 2 * 10_000 + 1_024, "\(backward.work.actionsFolded)")
    #expect(await cursor.revision == Self.count)
  }

  @Test func statesOfASearchAreKeptForLater() async throws {
    let cursor = try LedgerLog(actions: Self.count).history().cursor(at: .start)
    let condition = try Condition(parsing: "/count >= 60000")
    #expect(try await cursor.firstRevision(where: condition, after: 0).work.actionsFolded == 60_000)
    let again = try await cursor.firstRevision(where: condition, after: 59_000)
    #expect(again.revision == 60_000 && again.work.actionsFolded <= 1_000 + 127)
    let folded = await cursor.work.actionsFolded
    try await cursor.jump(to: 60_000)
    #expect(await cursor.work.actionsFolded - folded <= 127)
    #expect(await cursor.state.count == 60_000)
  }

  @Test func blameSearchesRangesThatDouble() async throws {
    let cursor = try LedgerLog(actions: Self.count).history().cursor()
    let near = try await cursor.blame(try JSONPointer(parsing: "/last"))
    #expect(near.change?.record.revision == Self.count)
    #expect(near.work.actionsFolded <= 2 * 256)
    // No action changed it: every action is folded once, and few more.
    let never = try await cursor.blame(try JSONPointer(parsing: "/nothing"))
    #expect(never.change == nil && never.value == nil)
    #expect((Self.count...Self.count + 4_096).contains(never.work.actionsFolded))
    await #expect(throws: TimeTravelError.self) {
      try await cursor.blame(try JSONPointer(parsing: "/last"), at: Self.count + 1)
    }
    await #expect(throws: TimeTravelError.self) { try await cursor.bisect(try Condition(parsing: "type == \"x\"")) }
    #expect(await cursor.revision == Self.count)
  }
}
