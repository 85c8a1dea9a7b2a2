import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import JSONCoding
import TestSupport
import Testing
import TimeTravel

@Suite struct BugReportTests {
  private static let environment = LogEnvironment(
    now: { LedgerLog.created }, makeLogID: { "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11" }, processID: 1, hostName: "mac",
    program: "test")

  @discardableResult
  private static func report(
    _ log: StockLog, _ range: ClosedRange<Int>, to path: String = "bug.jsonl", remark: String? = nil
  ) throws -> BugReport {
    try log.history().writeBugReport(of: range, to: path, remark: remark, environment: environment)
  }

  private static func unpack(_ file: String, to log: String, _ disk: MemoryFileSystem) throws {
    try disk.createDirectory(log)
    try disk.setContents(disk.contents(of: file), of: log + "/0000000000000001.jsonl")
  }

  /// Every state of the range is a state of the report, in the file and in a directory with the file as its only segment.
  @Test(arguments: [UInt64](0..<4)) func reportHasTheStatesOfTheLog(seed: UInt64) throws {
    let log = try StockLog(seed: seed, actions: 60, snapshots: seed % 2 == 0 ? [] : [7, 20])
    for (index, range) in [0...60, 0...1, 13...47, 59...60, 60...60, 0...0].enumerated() {
      try Self.report(log, range, to: "bug\(index).jsonl")
      try Self.unpack("bug\(index).jsonl", to: "bug\(index)", log.disk)
      for path in ["bug\(index).jsonl", "bug\(index)"] {
        #expect(try LogVerifier.verify(at: path, fileSystem: log.disk).verdict == .clean)
        let history = try History<Stock>(at: path, fileSystem: log.disk)
        #expect(try history.lastRevision() == range.count - 1)
        for revision in range {
          #expect(try history.state(at: revision - range.lowerBound) == log.states[revision], "\(range)")
        }
        #expect(try history.prove().isProven)
        for revision in range.dropFirst() {
          let action = try history.action(at: revision - range.lowerBound)
          #expect(action.action == log.actions[revision - 1])
          #expect(action.meta.other["was"] == (range.lowerBound == 0 ? nil : .number(.init(revision))))
          #expect(action.time == LedgerLog.time(of: revision))
        }
      }
    }
    #expect(!log.disk.filePaths.contains { path in path.contains("unfinished") })
  }

  @Test func reportAnswersQuestions() throws {
    let log = try StockLog([.open, .set(id: "a", count: 1), .set(id: "a", count: 2), .close, .tag("x")])
    try Self.report(log, 1...4)
    let history = try History<Stock>(at: "bug.jsonl", fileSystem: log.disk)
    #expect(try history.blame(.init(parsing: "/items/a/count")).change?.record.revision == 2)
    #expect(try history.bisect(Condition(parsing: "not /isOpen")).revision == 3)
    #expect(try history.whatIf([.skip(3...3)]).state.isOpen)
    #expect(try history.minimize(Condition(parsing: "/items/a exists")).actions.map(\.revision) == [1])
  }

  @Test func reportHasMarksAndFindings() throws {
    let log = try StockLog([.open, .close, .open, .close])
    let marks = try #require(try log.history().marks)
    for (name, revision) in [("first", 1), ("second", 2), ("third", 3)] {
      try marks.add(Mark(name, at: revision, remark: name == "second" ? "here" : nil, time: LedgerLog.created))
    }
    let report = try Self.report(log, 2...4, remark: "it opens twice")
    #expect(report.verification == .init(isSound: true, verdict: "clean"))
    #expect(report.replay.isSound && report.replay.verdict == "proved")
    let read = try BugReport(reading: "bug.jsonl", fileSystem: log.disk)
    #expect(read.first == 2 && read.last == 4 && read.remark == "it opens twice")
    #expect(read.log == (try log.history().reader.header.log))
    #expect(read.marks.map(\.name) == ["second", "third"] && read.marks.map(\.revision) == [0, 1])
  }

  @Test func causesAreRenumberedInTheReport() throws {
    let disk = MemoryFileSystem()
    let writer = try LogWriter.open(at: "log", model: Ledger.name, schema: Ledger.schema, fileSystem: disk)
    _ = try writer.writeNow(
      (1...4).map { amount in
        let meta = amount == 1 ? nil : Array(#"{"actor":"ann","cause":\#(amount - 1)}"#.utf8)
        return LogDraft(type: "enter", data: Array(#"{"_0":\#(amount)}"#.utf8), meta: meta, time: LedgerLog.created)
      })
    try writer.closeNow()
    try History<Ledger>(at: "log", fileSystem: disk).writeBugReport(
      of: 2...4, to: "bug.jsonl", environment: Self.environment)
    let metas = try History<Ledger>(at: "bug.jsonl", fileSystem: disk).actions(in: 1...2).map(\.meta)
    #expect(metas[0] == RecordMeta(actor: "ann", other: ["was": 3]))
    #expect(metas[1] == RecordMeta(actor: "ann", cause: 1, other: ["was": 4]))
  }

  /// A refusing reducer is the bug to report, not a reason to have no report.
  @Test func rangeThatCannotBeFoldedIsReported() throws {
    let log = try LedgerLog(actions: 210)
    let report = try log.history(StrictLedger.self).writeBugReport(
      of: 195...205, to: "bug.jsonl", environment: Self.environment)
    #expect(!report.replay.isSound && report.replay.verdict == "cannot be folded")
    #expect(report.replay.remarks.first?.contains("refused") == true)
    let history = try History<StrictLedger>(at: "bug.jsonl", fileSystem: log.disk)
    #expect(try history.state(at: 4) == log.states[199])
    #expect(try history.lastRevision() == 10)
  }

  @Test func damageAfterTheRangeIsReported() throws {
    let log = try StockLog(seed: 1, actions: 60)
    let segment = try #require(log.disk.filePaths.first { path in path.hasSuffix("1.jsonl") })
    let bytes = try log.disk.contents(of: segment)
    try log.disk.flipBit(0, ofByte: bytes.count * 2 / 3, in: segment)
    let report = try Self.report(log, 0...4)
    #expect(!report.verification.isSound && report.verification.verdict == "damaged")
    #expect(!report.verification.remarks.isEmpty)
    #expect(try History<Stock>(at: "bug.jsonl", fileSystem: log.disk).state() == log.states[4])
  }

  @Test(arguments: [(0...61, TimeTravelError.Code.revisionOutOfRange), (-1...3, .revisionOutOfRange)])
  func rangeMustBeWithinTheLog(range: ClosedRange<Int>, code: TimeTravelError.Code) throws {
    let log = try StockLog(seed: 1, actions: 60)
    let error = #expect(throws: TimeTravelError.self) { try Self.report(log, range) }
    #expect(error?.code == code)
  }

  @Test func existingFileIsNotOverwritten() throws {
    let log = try StockLog(seed: 1, actions: 20)
    try Self.report(log, 0...20)
    let before = try log.disk.contents(of: "bug.jsonl")
    let error = #expect(throws: LogError.self) { try Self.report(log, 0...3) }
    #expect(error?.code == .exists)
    #expect(try log.disk.contents(of: "bug.jsonl") == before)
  }

  /// Wherever the disk fails, there is a complete report or none, and the log is unchanged.
  @Test func failingDiskLeavesNoPartialReport() throws {
    var failed = 0
    for number in 1... {
      let log = try StockLog(seed: 2, actions: 20)
      let before = log.disk.filePaths
      let files = FaultyFileSystem(
        log.disk, faults: [.init(.append, number: number, code: .noSpace, partialWrite: .half)])
      do {
        _ = try History<Stock>(at: "stock", fileSystem: files).writeBugReport(
          of: 3...20, to: "bug.jsonl", environment: Self.environment)
        break
      } catch let error as LogError {
        #expect(error.code == .noSpace)
        failed += 1
      }
      #expect(log.disk.filePaths == before, "append \(number)")
    }
    #expect(failed > 0)
  }

  /// A change is reported by `verify` or by reading the report.
  @Test(arguments: [UInt64](0..<3)) func changedReportIsRefused(seed: UInt64) throws {
    let log = try StockLog(seed: seed, actions: 20)
    try Self.report(log, 3...20, remark: "x")
    let whole = try log.disk.contents(of: "bug.jsonl")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<120 {
      var bytes = whole
      let place = Int.random(in: 0..<bytes.count, using: &random)
      if Bool.random(using: &random) {
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      } else {
        bytes.removeSubrange(place...)
      }
      try log.disk.setContents(bytes, of: "bug.jsonl")
      do {
        _ = try BugReport(reading: "bug.jsonl", fileSystem: log.disk)
        let verified = try LogVerifier.verify(at: "bug.jsonl", fileSystem: log.disk)
        #expect(verified.verdict != .clean || !verified.isClosed, "seed \(seed), byte \(place)")
      } catch is LogError {
      } catch is TimeTravelError {
      }
    }
  }

  @Test(arguments: [
    #"{}"#, #"{"log":1,"from":0,"to":1}"#, #"{"log":"x","from":-1,"to":1}"#, #"{"log":"x","from":2,"to":1}"#,
    #"{"log":"x","from":0,"to":1e99}"#, #"{"log":"x","from":0,"to":1,"marks":{}}"#,
    #"{"log":"x","from":0,"to":1,"verify":{"sound":true,"verdict":"clean","remarks":[1]}}"#,
    #"{"log":"x","from":0,"to":1,"verify":{"sound":true,"verdict":"","remarks":[]},"replay":{"sound":true,"verdict":"","remarks":[]},"marks":[{"name":"../../etc/passwd"}]}"#,
    #"{"log":"x","from":0,"to":1,"verify":{"sound":true,"verdict":"","remarks":[]},"replay":{"sound":true,"verdict":"","remarks":[]},"marks":[{"name":"end","seq":1,"time":"2026-11-21T09:00:00.000000Z"}]}"#,
  ])
  func invalidReportIsRefused(data: String) throws {
    let disk = MemoryFileSystem()
    let writer = try LogWriter.open(at: "log", model: Ledger.name, schema: Ledger.schema, fileSystem: disk)
    _ = try writer.writeNow([LogDraft(type: "@report", data: Array(data.utf8))])
    try writer.closeNow()
    let file = "log/0000000000000001.jsonl"
    let error = #expect(throws: TimeTravelError.self) { try BugReport(reading: file, fileSystem: disk) }
    #expect([.invalidReport, .invalidMark].contains(error?.code))
  }

  @Test func logIsNotABugReport() throws {
    let log = try StockLog(seed: 1, actions: 5)
    for path in ["stock", "stock/0000000000000001.jsonl"] {
      let error = #expect(throws: TimeTravelError.self) { try BugReport(reading: path, fileSystem: log.disk) }
      #expect(error?.code == .invalidReport)
    }
    // Actions after the report make the file another log.
    try Self.report(log, 0...5)
    try Self.unpack("bug.jsonl", to: "bug", log.disk)
    let writer = try LogWriter.open(at: "bug", model: Stock.name, schema: Stock.schema, fileSystem: log.disk)
    _ = try writer.writeNow([LogDraft(try ActionCoding.encode(Stock.Action.open))])
    try writer.closeNow()
    #expect(throws: TimeTravelError.self) {
      try BugReport(reading: "bug/0000000000000001.jsonl", fileSystem: log.disk)
    }
  }
}
