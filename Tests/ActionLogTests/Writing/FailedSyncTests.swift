import ActionLog
import Dispatch
import Locking
import TestSupport
import Testing

/// The worker synchronises action 1, which fails; meanwhile another thread has begun to write action 2.
@Suite("A synchronisation that fails beside a write", .timeLimit(.minutes(60)))
struct FailedSyncTests {
  /// Holds up the next call of each operation that it is told of, once.
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
      if call.operation == .synchronize { synchronizing.wait() }
      if call.operation == .append { appending.wait() }
    }
  }

  /// - Returns: How the write ended, the writer, and the calls from the synchronisation on.
  private func writeBesideFailure(
    _ story: inout LogStory, rolls: Bool
  ) throws -> (outcome: Result<LogTicket, any Error>, writer: LogWriter, calls: [FileCall]) {
    let scene = Scene()
    let disk = FaultyFileSystem(story.files) { call in scene.willCall(call) }
    story.door = disk
    let writer = try story.open()
    disk.forgetCalls()
    disk.add(Fault(.synchronize))
    scene.hold(.synchronize)
    _ = try writer.write([.numbered(1)])
    scene.arrived.wait()

    scene.hold(rolls ? .size : .append)
    let outcome = Locked<Result<LogTicket, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      let result = Result { try writer.write([.numbered(2)]) }
      outcome.withLock { outcome in outcome = result }
      done.signal()
    }
    // The batch of action 2 is on its way: it is about to roll, or to be appended.
    scene.arrived.wait()
    scene.synchronizing.signal()
    if !rolls {
      while writer.status.failure == nil {}
      scene.appending.signal()
    }
    done.wait()
    return (try #require(outcome.withLock { outcome in outcome }), writer, disk.calls)
  }

  @Test func isNotTriedAgainByARoll() throws {
    var story = LogStory(segmentLimitBytes: 1)
    let (outcome, writer, calls) = try writeBesideFailure(&story, rolls: true)
    let error = try #require(throws: LogError.self) { try outcome.get() }
    #expect(error.code == .failed)
    #expect(calls.count { call in call.operation == .synchronize } == 1)
    #expect(!calls.contains { call in call.operation == .write }, "HEAD says nothing of what may be lost")
    #expect(writer.status.syncedSeq == 0)
    writer.abandon()
    // The device never got action 1, and nothing claims that it did.
    let after = story.files.crash(.onlySynchronizedSurvives)
    #expect(try LogVerifier.verify(LogStory.path, fileSystem: after).verdict == .clean)
  }

  @Test func leavesAStatusThatAgreesWithWhatWasWritten() throws {
    var story = LogStory()
    let (outcome, writer, _) = try writeBesideFailure(&story, rolls: false)
    writer.abandon()
    #expect(try outcome.get().seq == 2)
    #expect(writer.status.failure?.code == .failed)
    #expect(writer.status.writtenSeq == 2)
    #expect(writer.status.lastSeq == 2)
  }
}
