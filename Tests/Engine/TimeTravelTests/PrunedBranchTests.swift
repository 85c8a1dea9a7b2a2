import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import JSONCoding
import TestSupport
import Testing
import TimeTravel

/// A branch of a pruned log begins with the same base, and its revisions keep their numbers.
@Suite struct PrunedBranchTests {
  /// A log of 30 actions that begins after some of them.
  private func pruned() throws -> (log: LedgerLog, first: Int) {
    let log = try LedgerLog(actions: 30)
    try log.append(20, segmentLimitBytes: 1)
    let report = try log.history(Ledger.self).prune(before: 32, reason: "test", archive: nil)
    #expect(report.firstRevision == 30)
    return (log, report.firstRevision)
  }

  private func expectClean(_ path: String, _ log: LedgerLog) throws {
    let report = try LogVerifier.verify(at: path, fileSystem: log.disk)
    #expect(report.verdict == .clean, "\(report.problems)")
    // A moved action keeps its time.
    let warnings = report.warnings.filter { warning in warning.kind != .clockWentBack }
    #expect(warnings.isEmpty, "\(warnings)")
  }

  @Test func anEditedBranchBeginsWithTheBase() throws {
    let (log, first) = try pruned()
    let history = try log.history(Ledger.self)
    let before = try log.contents
    let report = try history.branch([.skip(35...36), .move(40, after: first)], to: "branch")
    #expect(try log.contents.filter { path, _ in !path.hasPrefix("/branch") } == before)
    #expect(report.parent.revision == first)
    #expect(report.lastRevision == 48)
    try expectClean("branch", log)
    let branch = try History<Ledger>(at: "branch", fileSystem: log.disk)
    #expect(branch.reader.base?.revision == first)
    #expect(branch.reader.base?.log == branch.reader.header.log)
    #expect(try branch.state(at: first) == log.states[first])
    var state = log.states[first]
    for amount in [40] + Array(first + 1...34) + Array(37...39) + Array(41...50) {
      Ledger.reduce(into: &state, action: .enter(amount))
    }
    var options = ReplayOptions()
    options.checksDigests = true
    let replayed = try branch.replay(options: options)
    #expect(replayed.state == state && report.answer.state == state)
    #expect(replayed.report.divergences.isEmpty && replayed.report.digestsChecked > 0)
    #expect(try branch.actions(in: first + 1...first + 1).map { $0.meta.other["was"] } == [40])
  }

  @Test func aShorterBranchKeepsTheNumbers() throws {
    let (log, first) = try pruned()
    let report = try log.history(Ledger.self).branch(to: "branch", upTo: 42)
    #expect((report.parent.revision, report.lastRevision) == (42, 42))
    try expectClean("branch", log)
    let branch = try History<Ledger>(at: "branch", fileSystem: log.disk)
    for revision in first...42 { #expect(try branch.state(at: revision) == log.states[revision]) }
    // Even at the base itself.
    #expect(try log.history(Ledger.self).branch(to: "empty", upTo: first).lastRevision == first)
    try expectClean("empty", log)
    #expect(try History<Ledger>(at: "empty", fileSystem: log.disk).state() == log.states[first])
  }

  @Test func aBranchOfAnotherModelBeginsWithTheBase() throws {
    let (log, first) = try pruned()
    let report = try log.history(Ledger.self).branch(to: "branch", foldedBy: OddLedger.self)
    let branch = try History<OddLedger>(at: "branch", fileSystem: log.disk)
    #expect(branch.reader.base?.model == OddLedger.name)
    #expect(try branch.state(at: first) == log.states[first])
    #expect(try branch.state() == report.answer.state)
    #expect(report.lastRevision == first + (first + 1...50).count { amount in amount % 2 == 1 })
    try expectClean("branch", log)
  }

  @Test func editsBeforeTheBaseNameTheRange() throws {
    let (log, first) = try pruned()
    let history = try log.history(Ledger.self)
    for edits in [
      [.skip(3...4)], [.skip(first...first + 1)], [.move(first, after: first + 1)], [.move(first + 2, after: 3)],
    ] as [[HistoryEdit]] {
      let error = #expect(throws: TimeTravelError.self) { try history.branch(edits, to: "branch") }
      #expect(error?.code == .pruned, "\(edits)")
      #expect(error?.availableRevisions == first...50, "\(edits)")
    }
    let end = #expect(throws: TimeTravelError.self) { try history.branch(to: "branch", upTo: 3) }
    #expect(end?.code == .pruned)
    #expect(try !log.disk.names(in: "/").contains("branch"))
  }

  @Test func aFrozenLogBeginsWithItsOwnState() throws {
    let (log, first) = try pruned()
    for (name, revision) in [("end", nil), ("base", first), ("between", 40)] as [(String, Int?)] {
      let report = try log.history(Ledger.self).freezeBase(into: name, at: revision)
      #expect(report.startRevision + report.actionsFolded == revision ?? 50)
      let frozen = try History<Ledger>(at: name, fileSystem: log.disk)
      #expect(try frozen.state() == log.states[revision ?? 50])
      #expect(frozen.reader.header.parent?.revision == revision ?? 50)
      #expect(try frozen.lastRevision() == 0)
      try expectClean(name, log)
    }
    let error = #expect(throws: LogError.self) { try log.history(Ledger.self).freezeBase(into: "early", at: 3) }
    #expect(error?.code == .pruned)
  }

  @Test func aBugReportBeginsWithTheBase() throws {
    let (log, first) = try pruned()
    let report = try log.history(Ledger.self).writeBugReport(of: first...40, to: "bug.jsonl")
    #expect(report.verification.isSound && report.replay.isSound, "\(report)")
    #expect(try History<Ledger>(at: "bug.jsonl", fileSystem: log.disk).state() == log.states[40])
    let error = #expect(throws: TimeTravelError.self) {
      try log.history(Ledger.self).writeBugReport(of: 3...40, to: "early.jsonl")
    }
    #expect(error?.code == .pruned)
  }
}

/// A ledger that refuses even amounts.
private enum OddLedger: Model {
  struct Refusal: Error {}

  static let name = "odd ledger"
  static let schema = 1
  static let initialState = Ledger.State()
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout Ledger.State, action: Ledger.Action) throws {
    if case .enter(let amount) = action, amount % 2 == 0 { throw Refusal() }
    Ledger.reduce(into: &state, action: action)
  }
}
