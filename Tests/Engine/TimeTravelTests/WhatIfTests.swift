import ActionLog
import ActionLogTesting
import EventSourcing
import JSONCoding
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// The answer is that of a fold over the edited actions, whatever snapshots there are.
@Suite struct WhatIfTests {
  @Test(arguments: Seeds.batches) func answerMatchesAFoldOfTheEditedActions(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 200) {
      let log = try StockLog(seed: seed, actions: 40, snapshots: seed % 3 == 0 ? [] : [7, 20, 21, 40])
      let last = seed % 5 == 0 ? 33 : 40
      let edited = try EditedStock(log, upTo: last, seed: seed)
      let expected = edited.outcome(log)
      let answer = try log.history().whatIf(edited.edits, upTo: last == 40 ? nil : last)
      #expect(answer.state == expected.state, "seed \(seed)")
      #expect(answer.firstDivergence == expected.firstDivergence, "seed \(seed)")
      #expect(answer.refusals.map(\.revision) == expected.refused.map(\.revision), "seed \(seed)")
      #expect(answer.refusals.map(\.isEdited) == expected.refused.map(\.isEdited), "seed \(seed)")
      #expect(answer.refusals.map(\.type) == (try expected.refused.map { try ActionCoding.encode($0.action).type }))
      #expect(answer.refusedCount == expected.refused.count)
      #expect(answer.counts.history == last && answer.counts.branch == expected.accepted.count, "seed \(seed)")
      #expect(answer.stem == edited.stem, "seed \(seed)")
      let tree = try answer.difference.jsonPatch().apply(to: StateTree(encoding: log.states[last]).root)
      #expect(tree == (try StateTree(encoding: expected.state).root), "seed \(seed)")
    }
  }

  @Test(arguments: Seeds.batches) func otherModelFoldsEveryAction(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 40) {
      let log = try StockLog(seed: seed, actions: 40, snapshots: [10, 30])
      let edited = try EditedStock(log, upTo: 40, seed: seed)
      let edits = seed % 2 == 0 ? edited.edits : []
      let expected = (seed % 2 == 0 ? edited : EditedStock(log)).outcome(log) { action in
        if case .tag = action { true } else { false }
      }
      let answer = try log.history().whatIf(edits, foldedBy: PlainStock.self)
      #expect(answer.state == expected.state && answer.firstDivergence == expected.firstDivergence, "seed \(seed)")
      #expect(answer.refusals.map(\.revision) == expected.refused.map(\.revision), "seed \(seed)")
    }
  }

  /// The states of a walk through a branch, in any order, are those of the complete fold.
  @Test(arguments: Seeds.batches) func branchWalkOfAnotherModelMatchesTheAnswer(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 20) {
      let log = try StockLog(seed: seed, actions: 40, snapshots: [10, 30])
      let history = try log.history()
      let edits = seed % 2 == 0 ? try EditedStock(log, upTo: 20, seed: seed).edits : []
      let start = try HistoryWalk(history, to: .start)
      var walk = try BranchWalk(edits, of: start, foldedBy: PlainStock.self, upTo: nil)
      var door = try BranchWalk([.skip(3...4)], of: start, foldedBy: Door.self, upTo: nil)
      var random = SeededGenerator(seed: seed)
      var tree: StateTree?
      for _ in 0..<8 {
        let at = Int.random(in: (edits.isEmpty ? 0 : 20)...40, using: &random)
        let wanted = try history.whatIf(edits, foldedBy: PlainStock.self, upTo: at)
        let seen = try walk.move(to: at, comparedWith: at, patching: tree)
        #expect(walk.state == wanted.state && walk.revision == at, "seed \(seed), \(at)")
        #expect(seen.changes.changes == wanted.difference.changes, "seed \(seed), \(at)")
        #expect(try seen.tree == StateTree(encoding: walk.state), "seed \(seed), \(at)")
        tree = seen.tree
        let place = max(at, 4)
        let other = try history.whatIf([.skip(3...4)], foldedBy: Door.self, upTo: place)
        let moved = try door.move(to: place, comparedWith: place, patching: nil)
        #expect(moved.changes.changes == other.difference.changes, "seed \(seed)")
        #expect(door.state == other.state, "seed \(seed), \(place)")
      }
    }
  }

  @Test func differentStateTypesAreComparedAsJSON() throws {
    let history = try StockLog([.open, .set(id: "a", count: 1), .close]).history()
    let answer = try history.whatIf(foldedBy: Door.self)
    #expect(answer.state == Door.State(isOpen: false, moves: 2))
    #expect(answer.firstDivergence == 0)
    #expect(answer.refusals.map(\.revision) == [2] && answer.refusals.map(\.type) == ["set"])
    #expect(answer.refusals[0].error is EventSourcingError, "it has no such action")
    #expect(answer.difference.changes.contains { change in change.pointer.description == "/moves" })
  }

  @Test func ineffectiveEditIsReported() throws {
    // The second `open` changes nothing but the list of sizes, which the third one makes equal again.
    let history = try StockLog([.open, .open, .open, .open, .close]).history()
    let answer = try history.whatIf([.skip(4...4)])
    #expect(answer.firstDivergence == nil && answer.difference.isEmpty && answer.refusals.isEmpty)
    #expect(answer.counts == (history: 5, branch: 4))
    #expect(answer.state == (try history.state()))
    let none = try history.whatIf([])
    #expect(none.stem == 5 && none.difference.isEmpty && none.counts == (history: 5, branch: 5))
  }

  @Test func insertionsHappenInTheOrderOfTheEdits() throws {
    let history = try StockLog([.open]).history()
    let answer = try history.whatIf([
      .inserting(Stock.Action.set(id: "a", count: 1), after: 1),
      .inserting(Stock.Action.set(id: "a", count: 2), after: 1), .inserting(Stock.Action.close, after: 0),
    ])
    #expect(answer.state.items["a"]?.count == 2 && answer.state.isOpen)
    #expect(answer.stem == 0 && answer.counts == (history: 1, branch: 4))
  }

  @Test(
    arguments: [
      ([.skip(0...2)], .revisionOutOfRange, "revision 0 has no action"),
      ([.skip(2...4)], .revisionOutOfRange, "revision 4"),
      ([.move(1, after: 9)], .revisionOutOfRange, "revision 9"),
      ([.move(1, after: -1)], .revisionOutOfRange, "revision -1"),
      ([.insert(ActionForm(type: "open", data: Array("{}".utf8)), after: 4)], .revisionOutOfRange, "revision 4"),
      ([.move(1, after: 2), .skip(1...1)], .invalidEdit, "two edits concern action 1"),
      ([.move(3, after: 2), .move(3, after: 1)], .invalidEdit, "two edits concern action 3"),
      (
        [.replace(2, with: ActionForm(type: "opne", data: Array("{}".utf8)))], .invalidEdit,
        "'opne', replacing action 2, does not decode as an action of 'stock'"
      ),
      (
        [.insert(ActionForm(type: "set", data: Array(#"{"id":"a"}"#.utf8)), after: 0)], .invalidEdit,
        "'set', inserted after revision 0, does not decode as an action of 'stock'"
      ),
    ] as [([HistoryEdit], TimeTravelError.Code, String)])
  func impossibleEditsAreRefused(edits: [HistoryEdit], code: TimeTravelError.Code, message: String) throws {
    let history = try StockLog([.open, .close, .open]).history()
    let error = try #require(throws: TimeTravelError.self) { try history.whatIf(edits) }
    #expect(error.code == code)
    #expect(error.description.contains(message), "\(error)")
    let log = try StockLog([.open, .close, .open])
    #expect(throws: TimeTravelError.self) { try log.history().branch(edits, to: "branch") }
    #expect(try log.disk.names(in: "/") == ["stock"], "nothing was begun")
  }

  @Test func manyRefusalsAreCounted() throws {
    let actions = [Stock.Action.set(id: "a", count: 1)] + (0..<1_500).map { _ in .note(id: "a", "x") }
    let answer = try StockLog(actions).history().whatIf([.skip(1...1)])
    #expect(answer.refusedCount == 1_500)
    #expect(answer.refusals.map(\.revision) == Array(2...1_001))
    #expect(answer.counts.branch == 0)
  }
}
