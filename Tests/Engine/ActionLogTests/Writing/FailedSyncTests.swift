import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Dispatch
import Platform
import TestSupport
import Testing

/// The worker's sync of action 1 fails while another thread has begun to write action 2.
@Suite("A sync that fails during a write", .timeLimit(.minutes(60)))
struct FailedSyncTests {
  /// The timeout of a test, far longer than a busy machine needs.
  private static let patience = DispatchTimeInterval.seconds(3_000)

  /// A timeout.
  private struct Absent: Error {
    var what: String
  }

  private static func wait(_ semaphore: DispatchSemaphore, for what: String) throws(Absent) {
    if semaphore.wait(timeout: .now() + patience) == .timedOut { throw Absent(what: what) }
  }

  /// Blocks the next call of each requested operation, once.
  private struct Scene: Sendable {
    let held = Locked<Set<String>>([])
    let arrived = DispatchSemaphore(value: 0)
    let synchronizing = DispatchSemaphore(value: 0)
    let appending = DispatchSemaphore(value: 0)

    func hold(_ operation: FileCall.Operation) {
      held.withLock { held in _ = held.insert(operation.rawValue) }
    }

    func willCall(_ call: FileCall) {
      guard held.withLock({ held in held.remove(call.operation.rawValue) }) != nil else { return }
      arrived.signal()
      if call.operation == .sync { _ = synchronizing.wait(timeout: .now() + patience) }
      if call.operation == .append { _ = appending.wait(timeout: .now() + patience) }
    }
  }

  /// - Returns: The outcome of the write, the writer, and the calls since the sync.
  private func writeBesideFailure(
    _ story: inout LogStory, rolls: Bool
  ) throws -> (outcome: Result<LogTicket, any Error>, writer: LogWriter, calls: [FileCall]) {
    let scene = Scene()
    let disk = FaultyFileSystem(story.files) { call in scene.willCall(call) }
    story.door = disk
    let writer = try story.open()
    disk.forgetCalls()
    disk.add(FileFault(.sync))
    scene.hold(.sync)
    _ = try writer.writeNow([.numbered(1)])
    try Self.wait(scene.arrived, for: "the sync")

    scene.hold(rolls ? .size : .append)
    let outcome = Locked<Result<LogTicket, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    BlockingWork.start {
      let result = Result { try writer.writeNow([.numbered(2)]) }
      outcome.withLock { outcome in outcome = result }
      done.signal()
    }
    // The batch of action 2 is about to roll or to be appended.
    try Self.wait(scene.arrived, for: "the batch of action 2")
    scene.synchronizing.signal()
    if !rolls {
      let deadline = DispatchTime.now() + Self.patience
      while writer.status.failure == nil {
        guard DispatchTime.now() < deadline else { throw Absent(what: "the failure") }
      }
      scene.appending.signal()
    }
    try Self.wait(done, for: "the write")
    return (try #require(outcome.withLock { outcome in outcome }), writer, disk.calls)
  }

  @Test func aRollDoesNotRepeatAFailedSync() throws {
    var story = LogStory(segmentLimitBytes: 1)
    let (outcome, writer, calls) = try writeBesideFailure(&story, rolls: true)
    let error = try #require(throws: LogError.self) { try outcome.get() }
    #expect(error.code == .failed)
    #expect(calls.count { call in call.operation == .sync } == 1)
    #expect(!calls.contains { call in call.operation == .write }, "HEAD says nothing of what may be lost")
    #expect(writer.status.syncedRevision == 0)
    writer.abandon()
    // The device does not have action 1, and nothing records that it does.
    let after = story.files.crash(.onlySyncedSurvives)
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: after).verdict == .clean)
  }

  @Test func aFailedSyncLeavesACorrectStatus() throws {
    var story = LogStory()
    let (outcome, writer, _) = try writeBesideFailure(&story, rolls: false)
    writer.abandon()
    #expect(try outcome.get().revision == 2)
    #expect(writer.status.failure?.code == .failed)
    #expect(writer.status.writtenRevision == 2)
    #expect(writer.status.lastRevision == 2)
  }
}
