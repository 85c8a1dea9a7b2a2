import ActionLog
import ActionLogTesting
import Dispatch
import Foundation
import Platform
import Testing

@Suite("BlockingWork", .timeLimit(.minutes(60))) struct BlockingWorkTests {
  /// More than the threads of the Dispatch pool, however long one waits.
  private static let count = 300
  /// The timeout of a test, far longer than a busy machine needs.
  private static let patience = DispatchTimeInterval.seconds(3_000)

  @Test("blocking calls run concurrently, and tasks continue")
  func manyBlockedCalls() async {
    let (arrived, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let calls = (0..<Self.count).map { number in
      Task {
        await BlockingWork.run {
          arrived.signal()
          gate.wait()
          return number
        }
      }
    }
    // All wait at the gate, which opens after the last one has arrived.
    let areAllThere = await BlockingWork.run {
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
      let lock = try await BlockingWork.run { try disk.lock(directory: "log") }
      await BlockingWork.run { withExtendedLifetime(lock) {} }
    }
  }

  @Test("without a thread the call runs on the caller's")
  func noThread() async {
    let done = Locked(false)
    BlockingWork.start(startingThread: { _ in false }) { done.withLock { done in done = true } }
    #expect(done.withLock { done in done })
    for number in 0..<1_000 {
      #expect(await BlockingWork.run(startingThread: { _ in false }, { number }) == number)
    }
  }

  @Test("a call notices that its task is canceled")
  func cancellation() async {
    let begun = DispatchSemaphore(value: 0)
    let task = Task {
      await BlockingWork.run {
        begun.signal()
        // Without the task's cancellation, this would not end.
        while !Task.isCancelled { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1)) }
        return true
      }
    }
    await BlockingWork.run { begun.wait() }
    task.cancel()
    #expect(await task.value)
  }

  @Test("a canceled task's call still runs, to close a file for instance")
  func canceledBefore() async {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await BlockingWork.run { Task.isCancelled }
    }
    task.cancel()
    #expect(await task.value)
  }

  @Test("a call has the local values of its task")
  func localValues() async {
    let seen = await Self.$value.withValue(7) { await BlockingWork.run { Self.value } }
    #expect(seen == 7)
  }

  @TaskLocal private static var value = 0

  @Test("an error of the call is rethrown")
  func failure() async {
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) { try await BlockingWork.run { throw Refusal() } }
  }

  /// Reports whether it ends on another thread than the one that made it.
  private final class Watched: Sendable {
    private let ended: @Sendable (_ isOnOtherThread: Bool) -> Void
    private let owner = ObjectIdentifier(Thread.current)

    init(_ ended: @escaping @Sendable (Bool) -> Void) { self.ended = ended }

    deinit { ended(owner != ObjectIdentifier(Thread.current)) }
  }

  @Test("a released value ends on another thread")
  func release() async {
    let isOnOtherThread = await BlockingWork.run {
      let (end, place) = (DispatchSemaphore(value: 0), Locked<Bool?>(nil))
      BlockingWork.release(
        [
          Watched { isOnOtherThread in
            place.withLock { place in place = isOnOtherThread }
            end.signal()
          }
        ])
      return end.wait(timeout: .now() + Self.patience) == .success ? place.withLock { place in place } : nil
    }
    #expect(isOnOtherThread == true)
  }

  #if os(Linux)
  /// The module of the C library hides calls that are not POSIX.
  private typealias AffinityCall = @convention(c) (Int32, Int, UnsafeMutableRawPointer) -> Int32

  @Test("the processors of a thread are those of its mask")
  func processors() async throws {
    let all = try #require(SystemThread.processorCount)
    #expect(all >= 1)
    let one = await BlockingWork.run {
      // The thread ends with this call.
      var mask = cpu_set_t()
      guard let get = dlsym(nil, "sched_getaffinity"), let set = dlsym(nil, "sched_setaffinity") else { return 0 }
      let size = MemoryLayout<cpu_set_t>.size
      guard unsafeBitCast(get, to: AffinityCall.self)(0, size, &mask) == 0 else { return 0 }
      withUnsafeMutableBytes(of: &mask) { bytes in
        guard let first = bytes.firstIndex(where: { byte in byte != 0 }) else { return }
        let lowest = bytes[first] & (0 &- bytes[first])
        for index in bytes.indices { bytes[index] = index == first ? lowest : 0 }
      }
      guard unsafeBitCast(set, to: AffinityCall.self)(0, size, &mask) == 0 else { return 0 }
      return SystemThread.processorCount ?? 0
    }
    #expect(one == 1)
  }
  #endif
}

@Suite(.timeLimit(.minutes(60))) struct BlockingExecutorTests {
  /// An actor whose methods block.
  private actor Blocked {
    private let executor: BlockingExecutor
    private(set) var numbers: [Int] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ thread: SerialQueue = SerialQueue()) { executor = BlockingExecutor(thread) }

    func wait(for gate: DispatchSemaphore, _ arrived: DispatchSemaphore) {
      arrived.signal()
      gate.wait()
    }

    func add(_ number: Int) { numbers.append(number) }
  }

  /// More than the threads of the Dispatch pool.
  private static let count = 300

  @Test func blockedActorsOccupyNoPoolThread() async {
    let (arrived, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let tasks = (0..<Self.count).map { _ in
      Task { await Blocked().wait(for: gate, arrived) }
    }
    // All wait at the gate, which opens after the last one has arrived.
    await BlockingWork.run { for _ in 0..<Self.count { arrived.wait() } }
    for _ in 0..<Self.count { gate.signal() }
    for task in tasks { await task.value }
  }

  @Test func unusedActorHasNoThread() async {
    let starts = Locked(0)
    let actors = (0..<100).map { _ in
      Blocked(
        SerialQueue(start: { run in
          starts.withLock { starts in starts += 1 }
          return SystemThread.start(run)
        }))
    }
    #expect(starts.withLock { starts in starts } == 0)
    await actors[0].add(1)
    #expect(starts.withLock { starts in starts } == 1)
    #expect(await actors[0].numbers == [1])
  }

  @Test func actorWithoutAThreadStillWorks() async {
    let actor = Blocked(SerialQueue(start: { _ in false }))
    for number in 0..<100 { await actor.add(number) }
    #expect(await actor.numbers == Array(0..<100))
  }
}
