import ActionLog
import ActionLogTesting
import Dispatch
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

/// The calls of a history in an async context: the same answers, on a thread that may block, in the caller's task.
@MainActor @Suite(.timeLimit(.minutes(60))) struct AsyncHistoryTests {
  private let disk = MemoryFileSystem()

  /// Records the numbers 1…`count`.
  private func record(_ count: Int) async throws {
    var configuration = RecordingConfiguration<Tally>()
    configuration.log.durability = .written
    let store = try RecordingStore<Tally>(at: "log", configuration: configuration, fileSystem: disk)
    for number in 1...count { try store.dispatch(action: .add(number)) }
    try await store.close()
  }

  private struct Answers: Equatable {
    var last: Int
    var revision: Int
    var state: TallyState
    var report: ReplayReport
    var actions: [TallyAction?]
    var digests: [StateDigest]
    var canonicalState: [UInt8]
    var provenRevision: Int
    var grade: CompatibilityReport.Grade
    var snapshotRevision: Int
  }

  /// The answers of the blocking forms, which synchronous code gets.
  private func blockingAnswers(of other: History<Tally>) throws -> Answers {
    let history = try other.refreshed()
    return Answers(
      last: try history.lastRevision(),
      revision: try history.revision(at: try history.action(at: 7).time),
      state: try history.state(at: 12),
      report: try history.replay(to: 15).report,
      actions: try history.actions(in: 2...5).map(\.action),
      digests: try history.digests(at: [0, 8]),
      canonicalState: try history.canonicalState(at: 4),
      provenRevision: try history.prove().revision,
      grade: try history.compatibility().grade,
      snapshotRevision: try history.takeSnapshot(at: 20).snapshot.revision)
  }

  @Test func asyncFormsAnswerLikeTheBlockingOnes() async throws {
    try await record(20)
    let opened = try await History<Tally>(at: "log", fileSystem: disk)
    let history = try await opened.refreshed()
    let answers = Answers(
      last: try await history.lastRevision(),
      revision: try await history.revision(at: try await history.action(at: 7).time),
      state: try await history.state(at: 12),
      report: try await history.replay(to: 15).report,
      actions: try await history.actions(in: 2...5).map(\.action),
      digests: try await history.digests(at: [0, 8]),
      canonicalState: try await history.canonicalState(at: 4),
      provenRevision: try await history.prove().revision,
      grade: try await history.compatibility().grade,
      snapshotRevision: try await history.takeSnapshot(at: 20).snapshot.revision)
    #expect(answers == (try blockingAnswers(of: history)))
    #expect(answers.state.sum == 78 && answers.last == 20)

    let (store, report) = try await Store.restored(from: history)
    #expect(store.state.sum == 210 && report.snapshotsLoaded == 1)
    try await history.freezeBase(into: "next", at: 20)
    #expect(try await History<Tally>(at: "next", fileSystem: disk).state().sum == 210)
  }

  @Test func errorsAreThoseOfTheBlockingForms() async throws {
    try await record(3)
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    let error = await #expect(throws: LogError.self) { try await history.state(at: 4) }
    #expect(error?.code == .revisionOutOfRange)
    let missing = await #expect(throws: LogError.self) { try await History<Tally>(at: "none", fileSystem: disk) }
    #expect(missing?.code == .notFound)
  }

  /// More replays than the cooperative pool has threads wait for the file system at once.
  @Test func replaysBlockNoPoolThread() async throws {
    try await record(20)
    let count = 100
    let (arrived, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isHeld = Locked(false)
    // Each task waits at its first read.
    let held = Locked(0)
    let files = FaultyFileSystem(disk) { call in
      guard call.operation == .read, isHeld.withLock({ isHeld in isHeld }) else { return }
      let waits = held.withLock { held in
        held += 1
        return held <= count
      }
      guard waits else { return }
      arrived.signal()
      gate.wait()
    }
    let history = try await History<Tally>(at: "log", fileSystem: files)
    isHeld.withLock { isHeld in isHeld = true }
    let replays = (0..<count).map { _ in Task { try await history.state() } }
    await BlockingWork.run { for _ in 0..<count { arrived.wait() } }
    for _ in 0..<count { gate.signal() }
    for replay in replays { #expect(try await replay.value.sum == 210) }
  }

  @Test func cancelingTheTaskEndsAReplay() async throws {
    try await record(30_000)
    let history = try await History<HeldTally>(at: "log", fileSystem: disk)
    var options = ReplayOptions()
    options.usesSnapshots = false
    let replay = Task { [options] in try await history.state(options: options) }
    await BlockingWork.run { HeldTally.arrived.wait() }
    replay.cancel()
    HeldTally.opened.signal()
    await #expect(throws: CancellationError.self) { try await replay.value }
    #expect(HeldTally.folded.withLock { count in count } <= HeldTally.heldAt + 1_024)
  }

  @Test func canceledTaskReadsNothing() async throws {
    try await record(3)
    let files = FaultyFileSystem(disk)
    let history = try await History<Tally>(at: "log", fileSystem: files)
    files.forgetCalls()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await history.state()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(files.calls.isEmpty)
  }
}

/// A tally whose fold waits at an action, for one test only.
private enum HeldTally: TallyModel {
  static var sourceFingerprint: String? { "" }
  static let heldAt = 5_000
  static let folded = Locked(0)
  static let arrived = DispatchSemaphore(value: 0)
  static let opened = DispatchSemaphore(value: 0)

  static func reduce(into state: inout TallyState, action: TallyAction) throws {
    let count = folded.withLock { count in
      count += 1
      return count
    }
    if count == heldAt {
      arrived.signal()
      opened.wait()
    }
    try Tally.reduce(into: &state, action: action)
  }
}
