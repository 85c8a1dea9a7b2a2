import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import JSONCoding
import TestSupport
import Testing
import TimeTravel

/// A branch is a separate log with the edited actions. The original log does not change.
@Suite struct BranchTests {
  @Test(arguments: Seeds.batches) func branchHasTheEditedActions(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 80) {
      let log = try StockLog(seed: seed, actions: 40, snapshots: seed % 3 == 0 ? [] : [7, 20, 21, 40])
      let last = seed % 5 == 0 ? 33 : 40
      let edited = try EditedStock(log, upTo: last, seed: seed)
      let expected = edited.outcome(log)
      let before = try contents(of: log.disk)
      let report = try log.history().branch(edited.edits, to: "branch", upTo: last)

      let branch = try History<Stock>(at: "branch", fileSystem: log.disk)
      var options = ReplayOptions()
      options.checksDigests = true
      let replayed = try branch.replay(options: options)
      #expect(replayed.state == expected.state && report.answer.state == expected.state, "seed \(seed)")
      #expect(replayed.report.digestsChecked == 1 && replayed.report.divergences.isEmpty)
      #expect(replayed.revision == expected.accepted.count && report.lastRevision == replayed.revision)
      let actions = replayed.revision > 0 ? try branch.actions(in: 1...replayed.revision) : []
      #expect(actions.map(\.action) == expected.accepted.map(\.action), "seed \(seed)")
      for (recorded, happening) in zip(actions, expected.accepted) { check(recorded, happening, "seed \(seed)") }

      #expect(branch.reader.header.parent == report.parent)
      #expect(report.parent.log == (try log.history().reader.header.log) && report.parent.revision == edited.stem)
      let verified = try LogVerifier.verify(at: "branch", fileSystem: log.disk)
      #expect(verified.verdict == .clean && verified.isClosed && verified.lastRevision == replayed.revision)
      #expect(try contents(of: log.disk).filter { path, _ in path.hasPrefix("/stock/") } == before, "seed \(seed)")
      #expect(try log.disk.names(in: "/") == ["branch", "stock"])
    }
  }

  /// The metadata of an action in the branch.
  private func check(
    _ recorded: RecordedAction<Stock.Action>, _ happening: EditedStock.Happening, _ comment: Comment
  ) {
    if let was = happening.was {
      #expect(recorded.time == LedgerLog.time(of: was), comment)
      #expect(recorded.meta.other["was"] == (was == recorded.revision ? nil : .number(JSONNumber(was))), comment)
      #expect(recorded.meta.other["whatIf"] == (happening.isEdited ? "moved" : nil), comment)
    } else {
      let time = happening.revision == 0 ? LedgerLog.created : LedgerLog.time(of: happening.revision)
      #expect(recorded.time == time, comment)
      #expect([.string("inserted"), .string("replaced")].contains(recorded.meta.other["whatIf"]), comment)
    }
  }

  private func contents(of disk: MemoryFileSystem) throws -> [String: [UInt8]] {
    try Dictionary(uniqueKeysWithValues: disk.filePaths.map { path in (path, try disk.contents(of: path)) })
  }

  @Test func metadataIsKeptAndCausesAreRenumbered() throws {
    let disk = MemoryFileSystem()
    let metas: [RecordMeta] = [
      .init(actor: "ann"), .init(actor: "bob", cause: 1), .init(cause: 2), .init(cause: 3, other: ["x": 1]),
    ]
    try write(metas, to: disk)
    let history = try History<Stock>(at: "stock", fileSystem: disk)
    _ = try history.branch([.skip(2...2)], to: "branch")
    let actions = try History<Stock>(at: "branch", fileSystem: disk).actions(in: 1...3)
    #expect(
      actions.map(\.meta) == [
        .init(actor: "ann"), .init(other: ["was": 3]), .init(cause: 2, other: ["was": 4, "x": 1]),
      ], "what followed from action 2 follows from nothing now, and what followed from 3 follows from its new number")
    _ = try history.branch([.replacing(2, with: Stock.Action.tag("z")), .move(1, after: 3)], to: "other")
    #expect(
      try History<Stock>(at: "other", fileSystem: disk).actions(in: 1...4).map(\.meta) == [
        .init(other: ["was": 2, "whatIf": "replaced"]), .init(cause: 1, other: ["was": 3]),
        .init(actor: "ann", other: ["was": 1, "whatIf": "moved"]), .init(cause: 2, other: ["x": 1]),
      ])
  }

  private func write(_ metas: [RecordMeta], to disk: MemoryFileSystem) throws {
    let writer = try LogWriter.open(at: "stock", model: Stock.name, schema: Stock.schema, fileSystem: disk)
    _ = try writer.writeNow(
      try metas.map { meta in
        LogDraft(try ActionCoding.encode(Stock.Action.tag("a")), meta: JSONValue.object(meta.object).bytes())
      })
    try writer.closeNow()
  }

  @Test func branchOfAnotherModelIsALogOfThatModel() throws {
    let log = try StockLog([.open, .tag("a"), .set(id: "a", count: 1), .tag("b"), .close])
    let report = try log.history().branch(to: "branch", foldedBy: PlainStock.self)
    #expect(report.answer.refusals.map(\.revision) == [2, 4])
    #expect(report.parent.revision == 1, "what comes before the first refusal is in both")
    let branch = try History<PlainStock>(at: "branch", fileSystem: log.disk)
    #expect(try branch.state() == report.answer.state)
    #expect(try branch.actions(in: 1...3).map(\.action) == [.open, .set(id: "a", count: 1), .close])
    #expect(try branch.actions(in: 1...3).map { $0.meta.other["was"] } == [nil, 3, 5])
  }

  @Test(arguments: [0, 1]) func branchBeginsWithTheBaseStateOfTheLog(skipped: Int) throws {
    let disk = MemoryFileSystem()
    let writer = try LogWriter.open(at: "stock", model: Stock.name, schema: Stock.schema, fileSystem: disk)
    let base: JSONValue = [
      "state": ["items": [:], "plain": ["x": 7], "tags": [], "log": [], "isOpen": true]
    ]
    _ = try writer.writeNow([LogDraft(type: "@base", data: base.bytes())])
    _ = try writer.writeNow(try [Stock.Action.tag("a"), .tag("b")].map { LogDraft(try ActionCoding.encode($0)) })
    try writer.closeNow()
    let history = try History<Stock>(at: "stock", fileSystem: disk)
    let edits: [HistoryEdit] = skipped == 0 ? [] : [.skip(1...1)]
    let own = try history.branch(edits, to: "own")
    #expect(own.answer.state.plain == ["x": 7] && own.answer.state.tags == (skipped == 0 ? ["a", "b"] : ["b"]))
    #expect(try History<Stock>(at: "own", fileSystem: disk).state() == own.answer.state)
    let other = try history.branch(edits, to: "other", foldedBy: PlainStock.self)
    #expect(other.answer.state.plain == ["x": 7] && other.lastRevision == 0)
    #expect(try History<PlainStock>(at: "other", fileSystem: disk).state() == other.answer.state)
  }

  @Test func branchKeepsWhatExistsAtThePath() throws {
    let log = try StockLog([.open, .close])
    try log.disk.setContents([1], of: "taken/file")
    for (path, code) in [("taken", .exists), ("stock", .exists), ("stock/branch", .invalidArgument)]
      as [(String, LogError.Code)]
    {
      let error = #expect(throws: LogError.self) { try log.history().branch([.skip(1...1)], to: path) }
      #expect(error?.code == code, "\(path)")
    }
    #expect(try log.disk.names(in: "/") == ["stock", "taken"])
    #expect(try log.disk.contents(of: "taken/file") == [1])
  }

  /// Whatever call fails, there is a complete branch at the path or nothing, and the next attempt succeeds.
  @Test func failedCallLeavesNoPartialBranch() throws {
    var number = 1
    var isWhole = false
    while true {
      let log = try StockLog(seed: 3, actions: 30)
      let before = try contents(of: log.disk)
      let files = FaultyFileSystem(log.disk, faults: [FileFault(number: number, partialWrite: .half)])
      let report = Result {
        try History<Stock>(at: "stock", fileSystem: files).branch([.skip(5...6)], to: "branch")
      }
      #expect(try contents(of: log.disk).filter { path, _ in path.hasPrefix("/stock/") } == before)
      if files.firedCount == 0 {
        #expect(throws: Never.self) { try report.get() }
        break
      }
      isWhole = try log.disk.status(of: "branch") != nil
      if !isWhole { _ = try log.history().branch([.skip(5...6)], to: "branch") }
      let branch = try History<Stock>(at: "branch", fileSystem: log.disk)
      #expect(try branch.state() == log.history().whatIf([.skip(5...6)]).state, "call \(number)")
      #expect(try LogVerifier.verify(at: "branch", fileSystem: log.disk).isClosed, "call \(number)")
      number += 1
    }
    #expect(number > 20)
  }
}
