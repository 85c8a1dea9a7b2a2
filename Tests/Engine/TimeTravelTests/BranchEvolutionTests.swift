import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import JSONCoding
import Testing
import TimeTravel

/// A branch of a log with actions of an older schema.
@Suite struct BranchEvolutionTests {
  @Test func actionsAfterAGivenOneAreUpcast() throws {
    let disk = MemoryFileSystem()
    try write(
      [.enter(1), .wave, .enter(2), .swap(1, with: 3), .wave, .leave(2)], to: disk,
      meta: [5: RecordMeta(cause: 4), 6: RecordMeta(cause: 5)])
    let history = try History<Gate>(at: "gate", fileSystem: disk)
    let edit = try HistoryEdit.inserting(Gate.Action.enter(9), after: 2)
    let report = try history.branch([edit], to: "branch")
    let branch = try History<Gate>(at: "branch", fileSystem: disk)

    var options = ReplayOptions()
    options.checksDigests = true
    let replayed = try branch.replay(options: options)
    #expect(replayed.state == Gate.State(inside: [3, 9]) && report.answer.state == replayed.state)
    #expect(replayed.report.divergences.isEmpty && replayed.report.digestsChecked == 1)
    #expect(report.answer.counts == (history: 6, branch: 7))
    // `swap` is two actions now, and `wave` none: upcast records have the current actions.
    let actions = try branch.actions(in: 1...replayed.revision)
    #expect(
      actions.map(\.record.type) == ["enter", "wave", "enter", "enter", "exit", "enter", "exit"])
    #expect(actions.map(\.record.schema) == [1, 1, 2, 2, 2, 2, 2])
    #expect(actions.map { $0.meta.other["was"] } == [nil, nil, nil, 3, 4, 4, 6])
    #expect(actions[6].meta.cause == nil, "the wave that it followed from is gone")
    #expect(try LogVerifier.verify(at: "branch", fileSystem: disk).verdict == .clean)
  }

  @Test func actionsWithoutAGivenOneKeepTheirSchema() throws {
    let disk = MemoryFileSystem()
    try write([.enter(1), .wave, .enter(2), .swap(1, with: 3)], to: disk)
    let history = try History<Gate>(at: "gate", fileSystem: disk)
    _ = try history.branch([.move(3, after: 1)], to: "branch")
    let branch = try History<Gate>(at: "branch", fileSystem: disk)
    #expect(try branch.state() == history.state())
    #expect(try branch.actions(in: 1...4).map(\.record.type) == ["enter", "enter", "wave", "swap"])
    #expect(try branch.actions(in: 1...4).allSatisfy { $0.record.schema == 1 })
  }

  @Test func bugReportHasTheCurrentSchema() throws {
    let disk = MemoryFileSystem()
    try write(
      [.enter(1), .wave, .enter(2), .swap(1, with: 3), .wave, .leave(2)], to: disk, meta: [6: RecordMeta(cause: 4)])
    let history = try History<Gate>(at: "gate", fileSystem: disk)
    try #require(history.marks).add(Mark("swapped", at: 5, time: LedgerLog.created))
    let report = try history.writeBugReport(of: 2...6, to: "bug.jsonl")
    #expect(report.marks.map(\.revision) == [2])
    let bug = try History<Gate>(at: "bug.jsonl", fileSystem: disk)
    #expect(try bug.state() == history.state() && bug.prove().isProven)
    let actions = try bug.actions(in: 1...4)
    #expect(actions.map(\.record.type) == ["enter", "exit", "enter", "exit"])
    #expect(actions.map { $0.meta.other["was"] } == [3, 4, 4, 6])
    #expect(actions[3].meta.cause == 2)
  }

  @Test func rangeOfANewerSchemaIsRefused() throws {
    let disk = MemoryFileSystem()
    try write([.enter(1), .enter(2)], to: disk)
    let writer = try LogWriter.open(at: "gate", model: OldGate.name, schema: Gate.schema + 1, fileSystem: disk)
    _ = try writer.writeNow([LogDraft(try ActionCoding.encode(Gate.Action.enter(3)))])
    try writer.closeNow()
    let before = disk.filePaths
    let history = try History<Gate>(at: "gate", fileSystem: disk)
    for ask in [
      { _ = try history.writeBugReport(of: 1...3, to: "bug.jsonl") }
    ] as [() throws -> Void] {
      let error = #expect(throws: LogError.self) { try ask() }
      #expect(error?.code == .schemaTooNew)
    }
    #expect(disk.filePaths == before)
  }

  private func write(_ actions: [OldGate.Action], to disk: MemoryFileSystem, meta: [Int: RecordMeta] = [:]) throws {
    let writer = try LogWriter.open(at: "gate", model: OldGate.name, schema: OldGate.schema, fileSystem: disk)
    _ = try writer.writeNow(
      try actions.enumerated().map { index, action in
        let object = meta[index + 1]?.object
        return LogDraft(
          try ActionCoding.encode(action), meta: object.map { object in JSONValue.object(object).bytes() })
      })
    try writer.closeNow()
  }
}

/// The old gate.
private enum OldGate {
  enum Action: Codable, Equatable, Sendable {
    case enter(Int), leave(Int), wave
    case swap(Int, with: Int)
  }

  static let name = "gate"
  static let schema = 1
}

/// The current gate: there is no wave, and a swap is an exit and an entry.
private enum Gate: Model {
  struct State: Codable, Equatable, Sendable {
    var inside: Set<Int> = []
  }

  enum Action: Codable, Equatable, Sendable {
    case enter(Int), exit(Int)
  }

  static let name = "gate"
  static let schema = 2
  static let initialState = State()
  static let sourceFingerprint: String? = ""
  static let evolution = SchemaEvolution(
    SchemaStep(
      from: 1, to: 2,
      [
        .rename("leave", to: "exit"), .drop("wave"),
        .replace("swap") { action in
          [
            StoredAction(type: "exit", data: ["_0": action.data["_0"] ?? .null]),
            StoredAction(type: "enter", data: ["_0": action.data["with"] ?? .null]),
          ]
        },
      ]))

  static func reduce(into state: inout State, action: Action) {
    switch action {
    case .enter(let guest): state.inside.insert(guest)
    case .exit(let guest): state.inside.remove(guest)
    }
  }
}
