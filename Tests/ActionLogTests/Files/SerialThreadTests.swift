import ActionLog
import Dispatch
import Locking
import Testing
import Threading

@Suite("SerialThread", .timeLimit(.minutes(60))) struct SerialThreadTests {
  /// Counts the threads that are asked for, and gives them if it is told so.
  private final class Threads: Sendable {
    private let counted = Locked(0)
    private let areGiven: Bool
    var count: Int { counted.withLock { count in count } }

    init(areGiven: Bool = true) { self.areGiven = areGiven }

    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
      counted.withLock { count in count += 1 }
      return areGiven && SystemThread.start(body)
    }
  }

  @Test func whatManyBringIsDoneOneAfterTheOtherAndNothingTwice() async {
    let threads = Threads()
    let thread = SerialThread(start: threads.start)
    let (done, running) = (Locked<[Int]>([]), Locked(0))
    let ended = DispatchSemaphore(value: 0)
    DispatchQueue.concurrentPerform(iterations: 8) { producer in
      for number in 0..<500 {
        thread.async {
          let together = running.withLock { running in
            running += 1
            return running
          }
          done.withLock { done in done.append(together == 1 ? producer * 500 + number : -1) }
          running.withLock { running in running -= 1 }
          ended.signal()
        }
      }
    }
    await OffPool.run { for _ in 0..<4_000 { ended.wait() } }
    let numbers = done.withLock { done in done }
    #expect(numbers.sorted() == Array(0..<4_000))
    for producer in 0..<8 {
      let own = numbers.filter { number in number / 500 == producer }
      #expect(own == own.sorted(), "in the order in which each was brought")
    }
  }

  @Test func aThreadThatHasNothingToDoWaitsForMore() async {
    let threads = Threads()
    let thread = SerialThread(patienceMilliseconds: 60_000, start: threads.start)
    await OffPool.run {
      for _ in 0..<200 {
        let ended = DispatchSemaphore(value: 0)
        thread.async { ended.signal() }
        ended.wait()
      }
    }
    #expect(threads.count == 1)
  }

  @Test func aThreadThatFoundNothingToDoForItsTimeGoes() async {
    let threads = Threads()
    let thread = SerialThread(patienceMilliseconds: 0, start: threads.start)
    await OffPool.run {
      // It goes at once, but for the moment in which the next piece comes too soon.
      while threads.count < 3 {
        let ended = DispatchSemaphore(value: 0)
        thread.async { ended.signal() }
        ended.wait()
      }
    }
    #expect(threads.count == 3)
  }

  @Test func whatWasBroughtIsDoneAlthoughNobodyHoldsTheThreadAnyMore() async {
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<50 { SerialThread().async { ended.signal() } }
    await OffPool.run { for _ in 0..<50 { ended.wait() } }
  }

  @Test func whereThereIsNoThreadTheCallersDoesItInOrder() {
    let threads = Threads(areGiven: false)
    let thread = SerialThread(start: threads.start)
    let done = Locked<[Int]>([])
    for number in 0..<3 {
      thread.async {
        done.withLock { done in done.append(number) }
        thread.async { done.withLock { done in done.append(number + 10) } }
      }
    }
    #expect(done.withLock { done in done } == [0, 10, 1, 11, 2, 12])
    #expect(threads.count == 3, "it asks again each time")
  }
}
