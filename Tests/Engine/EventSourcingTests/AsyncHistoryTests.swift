import ActionLog
import ActionLogTesting
import Dispatch
import EventSourcing
import Platform
import TestSupport
import Testing

/// Calls of a history in an async context: on a thread that may block, in the caller's task.
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

  @Test func readingThrowsTheErrorOfItsBody() async throws {
    try await record(3)
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    let error = await #expect(throws: LogError.self) {
      try await history.reading { history in try history.state(at: 4) }
    }
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
    let replays = (0..<count).map { _ in Task { try await history.reading { history in try history.state() } } }
    await BlockingWork.run { for _ in 0..<count { arrived.wait() } }
    for _ in 0..<count { gate.signal() }
    for replay in replays { #expect(try await replay.value.sum == 210) }
  }

  @Test func cancelingTheTaskEndsAReplay() async throws {
    try await record(30_000)
    let history = try await History<HeldTally>(at: "log", fileSystem: disk)
    var options = ReplayOptions()
    options.usesSnapshots = false
    let replay = Task { [options] in
      try await history.reading { history in try history.state(options: options) }
    }
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
      return try await history.reading { history in try history.state() }
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
