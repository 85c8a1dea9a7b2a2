internal import Platform
internal import TestSupport
internal import Testing

@Suite("ThreadPool", .timeLimit(.minutes(60))) struct ThreadPoolTests {
  /// The results of work that runs on several threads.
  private final class Journal: Sendable {
    private let entries = Locked<[String]>([])

    var all: [String] { entries.withLock { entries in entries } }

    func note(_ entry: String) { entries.withLock { entries in entries.append(entry) } }
  }

  /// A queue whose first work item blocks until the gate opens.
  private struct BlockedQueue {
    let queue: SerialQueue
    let gate = Signal()

    /// Returns when a thread is blocked.
    init(on pool: ThreadPool, priority: SerialQueue.Priority = .standard) async {
      queue = SerialQueue(on: pool, priority: priority)
      let begun = Signal()
      queue.async { [gate] in
        begun.give()
        #expect(gate.comes())
      }
      await expectOffPool { begun.comes() }
    }
  }

  // MARK: - Sharing

  @Test func threadsAreSharedUpToTheLimit() async {
    let threads = CountedThreads()
    let pool = ThreadPool(threadLimit: 3, start: threads.start)
    let queues = (0..<100).map { _ in SerialQueue(on: pool) }
    let (running, peak, end) = (Locked([Int](repeating: 0, count: 100)), Locked(0), Signal())
    for _ in 0..<20 {
      for (number, queue) in queues.enumerated() {
        queue.async {
          let (own, all) = running.withLock { running in
            running[number] += 1
            return (running[number], running.reduce(0, +))
          }
          #expect(own == 1, "a queue is served by one thread at a time")
          peak.withLock { peak in peak = max(peak, all) }
          running.withLock { running in running[number] -= 1 }
          end.give()
        }
      }
    }
    await expectOffPool { (0..<2_000).allSatisfy { _ in end.comes() } }
    #expect(peak.withLock { peak in peak } <= 3)
    #expect(threads.count <= 3)
    #expect(pool.threadCount <= 3)
  }

  @Test func aBlockedQueueDoesNotDelayOthers() async {
    let pool = ThreadPool(threadLimit: 2)
    let blocked = await BlockedQueue(on: pool)
    let (other, end) = (SerialQueue(on: pool), Signal())
    for _ in 0..<10 { other.async { end.give() } }
    await expectOffPool { (0..<10).allSatisfy { _ in end.comes() } }
    blocked.gate.give()
  }

  @Test func queuesTakeTurns() async {
    let pool = ThreadPool(threadLimit: 1)
    let (journal, end) = (Journal(), Signal())
    let busy = await BlockedQueue(on: pool)
    for number in 1...3 { busy.queue.async { journal.note("busy \(number)") } }
    let other = SerialQueue(on: pool)
    for number in 1...2 { other.async { journal.note("other \(number)") } }
    busy.queue.async { end.give() }
    #expect(busy.queue.hasCompetition)
    busy.gate.give()
    await expectOffPool { end.comes() }
    #expect(journal.all == ["other 1", "busy 1", "other 2", "busy 2", "busy 3"])
    #expect(!busy.queue.hasCompetition)
  }

  @Test func aSingleWorkItemNeedsNoQueue() async {
    let pool = ThreadPool(threadLimit: 1)
    let end = Signal()
    for _ in 0..<3 { pool.async { end.give() } }
    await expectOffPool { (0..<3).allSatisfy { _ in end.comes() } }
  }

  // MARK: - Priorities

  @Test func utilityWorkUsesOnlySomeThreads() async {
    let threads = CountedThreads()
    let pool = ThreadPool(threadLimit: 3, utilityLimit: 1, start: threads.start)
    let blocked = await BlockedQueue(on: pool, priority: .utility)
    let (journal, end) = (Journal(), Signal())
    pool.async(priority: .utility) {
      journal.note("utility")
      end.give()
    }
    #expect(threads.count == 1, "no thread is started for work that must wait")
    for _ in 0..<5 {
      pool.async {
        journal.note("standard")
        end.give()
      }
    }
    await expectOffPool { (0..<5).allSatisfy { _ in end.comes() } }
    #expect(journal.all == Array(repeating: "standard", count: 5))
    blocked.gate.give()
    await expectOffPool { end.comes() }
    #expect(journal.all.last == "utility")
  }

  @Test func theTwoPrioritiesTakeTurns() async {
    let pool = ThreadPool(threadLimit: 1)
    let (journal, end) = (Journal(), Signal())
    let blocked = await BlockedQueue(on: pool)
    for (priority, name) in [(SerialQueue.Priority.standard, "standard"), (.utility, "utility")] {
      for _ in 0..<2 {
        pool.async(priority: priority) {
          journal.note(name)
          end.give()
        }
      }
    }
    blocked.gate.give()
    await expectOffPool { (0..<4).allSatisfy { _ in end.comes() } }
    #expect(journal.all == ["utility", "standard", "utility", "standard"], "the one before was standard")
  }

  // MARK: - Refused threads

  @Test func oneThreadOfSeveralIsEnough() async {
    let threads = CountedThreads { number in number == 1 }
    let pool = ThreadPool(threadLimit: 4, start: threads.start)
    let blocked = await BlockedQueue(on: pool)
    let (journal, end) = (Journal(), Signal())
    pool.async {
      journal.note("other")
      end.give()
    }
    #expect(journal.all.isEmpty, "the caller does not run it: there is a thread")
    blocked.gate.give()
    await expectOffPool { end.comes() }
    #expect(threads.count == 2)
  }

  @Test func withoutThreadsTheCallerRunsEveryQueue() {
    let threads = CountedThreads { _ in false }
    let pool = ThreadPool(threadLimit: 4, start: threads.start)
    let (one, other, journal) = (SerialQueue(on: pool), SerialQueue(on: pool), Journal())
    one.async {
      other.async { journal.note("other") }
      journal.note("one")
    }
    #expect(journal.all == ["one", "other"])
    #expect(pool.threadCount == 0)
  }

  // MARK: - Ends

  @Test func idleThreadsEndAndTheLastBusyOneStays() async {
    let threads = CountedThreads()
    let pool = ThreadPool(threadLimit: 4, patienceMilliseconds: 0, start: threads.start)
    var blocked: [BlockedQueue] = []
    for _ in 0..<4 { blocked.append(await BlockedQueue(on: pool)) }
    #expect(pool.threadCount == 4)
    for queue in blocked.dropLast() { queue.gate.give() }
    await expectOffPool { (0..<3).allSatisfy { _ in threads.oneEnds() } }
    #expect(pool.threadCount == 1)
    blocked.last?.gate.give()
    await expectOffPool { threads.oneEnds() }
    #expect(pool.threadCount == 0)
  }
}
