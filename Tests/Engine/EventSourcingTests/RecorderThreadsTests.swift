import ActionLog
import EventSourcing
import TestSupport
import Testing

/// Opening a log waits for the disk, and a disk can hang.
@Suite(.timeLimit(.minutes(60))) struct RecorderThreadsTests {
  /// More than the pool of Dispatch has threads, on which tasks run, too.
  private static let count = 300

  @Test func manyRecordersThatWaitForTheDiskHoldUpNobodyElse() async throws {
    let gate = Gate()
    let held = FaultyFileSystem(MemoryFileSystem()) { call in if call.operation == .lock { gate.pass() } }
    gate.close()
    let openings = (0..<Self.count).map { number in
      Task {
        try await Recorder<Tally>.open("log-\(number)", configuration: reproducible(Tally.self), fileSystem: held)
      }
    }
    #expect(try await eventually { gate.waitingCount == Self.count })
    gate.open()
    for opening in openings { await (try opening.value).abandon() }
  }
}
