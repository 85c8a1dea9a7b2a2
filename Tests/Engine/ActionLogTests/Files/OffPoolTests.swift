import ActionLog
import Dispatch
import Testing

@Suite("OffPool", .timeLimit(.minutes(60))) struct OffPoolTests {
  /// More than the threads of the Dispatch pool, however long one waits.
  private static let count = 300
  /// The timeout of a test, far longer than a busy machine needs.
  private static let patience = DispatchTimeInterval.seconds(3_000)

  @Test("blocking calls run concurrently, and tasks continue")
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
    // All wait at the gate, which opens after the last one has arrived.
    let areAllThere = await OffPool.run {
      let deadline = DispatchTime.now() + Self.patience
      return (0..<Self.count).allSatisfy { _ in arrived.wait(timeout: deadline) == .success }
    }
    #expect(areAllThere)
    for _ in 0..<Self.count { gate.signal() }
    for (number, call) in calls.enumerated() { #expect(await call.value == number) }
  }

  @Test("a call's references are released before its caller resumes")
  func references() async throws {
    let disk = MemoryFileSystem()
    try disk.createDirectory("log")
    // A lock ends with its last reference: the next one can be acquired immediately.
    for _ in 0..<500 {
      let lock = try await OffPool.run { try disk.lock(directory: "log") }
      await OffPool.run { withExtendedLifetime(lock) {} }
    }
  }

  @Test("without a thread the call runs on the caller's")
  func noThread() {
    let done = DispatchSemaphore(value: 0)
    OffPool.start(startingThread: { _ in false }) { done.signal() }
    #expect(done.wait(timeout: .now()) == .success)
  }

  @Test("an error of the call is rethrown")
  func failure() async {
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) { try await OffPool.run { throw Refusal() } }
  }
}
