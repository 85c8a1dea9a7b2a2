import ActionLog
import Dispatch
import Testing

@Suite("OffPool", .timeLimit(.minutes(60))) struct OffPoolTests {
  /// More than the pool of Dispatch has threads: as many as are ever under way there at once, however long one waits.
  private static let count = 300
  /// How long anything here may take before the test gives up: far longer than a busy machine needs.
  private static let patience = DispatchTimeInterval.seconds(3_000)

  @Test("calls that block are all under way at once, and tasks go on beside them")
  func manyBlockedCalls() async {
    let (arrived, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let calls = (0..<Self.count).map { number in
      Task {
        await OffPool.run {
          arrived.signal()
          gate.wait()
          return number
        }
      }
    }
    // All wait at the gate, which nobody opens before the last one has come.
    let areAllThere = await OffPool.run {
      let deadline = DispatchTime.now() + Self.patience
      return (0..<Self.count).allSatisfy { _ in arrived.wait(timeout: deadline) == .success }
    }
    #expect(areAllThere)
    for _ in 0..<Self.count { gate.signal() }
    for (number, call) in calls.enumerated() { #expect(await call.value == number) }
  }

  @Test("what a call holds is let go of before its caller goes on")
  func references() async throws {
    let disk = MemoryFileSystem()
    try disk.createDirectory("log")
    // A lock ends with its last reference: the next one can be taken at once.
    for _ in 0..<500 {
      let lock = try await OffPool.run { try disk.lock(directory: "log") }
      await OffPool.run { withExtendedLifetime(lock) {} }
    }
  }

  @Test("where there is no thread, the caller's does it")
  func noThread() {
    let done = DispatchSemaphore(value: 0)
    OffPool.start(startingThread: { _ in false }) { done.signal() }
    #expect(done.wait(timeout: .now()) == .success)
  }

  @Test("what a call throws comes back")
  func failure() async {
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) { try await OffPool.run { throw Refusal() } }
  }
}
