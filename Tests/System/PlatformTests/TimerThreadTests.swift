import Dispatch
import Platform
import TestSupport
import Testing

@Suite("TimerThread", .timeLimit(.minutes(60))) struct TimerThreadTests {
  private let clock = HandClock()
  private let done = Locked<[Int]>([])

  /// A timer whose thread runs the calls itself, so that their order is visible, and ends when none is left.
  private func timerWithOneThread(patience: Duration = .zero) -> (TimerThread, CountedThreads) {
    let threads = CountedThreads { number in number == 1 }
    return (TimerThread(clock: clock, patience: patience, start: threads.start), threads)
  }

  private func schedule(_ number: Int, after delay: Duration, by timer: TimerThread) -> @Sendable () -> Void {
    timer.schedule(after: delay) { [done] in done.withLock { done in done.append(number) } }
  }

  // MARK: - Order

  @Test func callsRunInTheOrderOfTheirTimes() async {
    let (timer, threads) = timerWithOneThread()
    for (number, seconds) in [50, 10, 30, 10, 40, 10, 20].enumerated() {
      _ = schedule(number, after: .seconds(seconds), by: timer)
    }
    await expectOffPool { [clock] in clock.isSleptOn(until: .seconds(10)) }
    #expect(done.withLock { done in done.isEmpty })
    clock.advance(by: .seconds(9))
    clock.advance(by: .seconds(1))
    await expectOffPool { [clock] in clock.isSleptOn(until: .seconds(20)) }
    #expect(done.withLock { done in done } == [1, 3, 5], "of the same time, in the order in which they came")
    clock.advance(by: .seconds(25))
    await expectOffPool { [clock] in clock.isSleptOn(until: .seconds(40)) }
    #expect(done.withLock { done in done } == [1, 3, 5, 6, 2])
    clock.advance(by: .seconds(100))
    await expectOffPool { threads.oneEnds() }
    #expect(done.withLock { done in done } == [1, 3, 5, 6, 2, 4, 0])
    #expect(timer.count == 0)
  }

  @Test func anEarlierCallWakesTheThread() async {
    let threads = CountedThreads()
    let timer = TimerThread(clock: clock, patience: .zero, start: threads.start)
    let last = schedule(0, after: .seconds(3_600), by: timer)
    await expectOffPool { [clock] in clock.isSleptOn(until: .seconds(3_600)) }
    let sooner = schedule(1, after: .seconds(1), by: timer)
    await expectOffPool { [clock] in clock.isSleptOn(until: .seconds(1)) }
    #expect(threads.count == 1)
    last()
    sooner()
  }

  @Test func aSlowCallDelaysNoOther() async {
    let timer = TimerThread(clock: clock, patience: .zero)
    let (other, end) = (Signal(), Signal())
    for _ in 0..<3 { _ = timer.schedule(after: .seconds(1)) { if other.comes() { end.give() } } }
    _ = timer.schedule(after: .seconds(1)) { for _ in 0..<3 { other.give() } }
    clock.advance(by: .seconds(1))
    await expectOffPool { (0..<3).allSatisfy { _ in end.comes() } }
  }

  @Test func extremeDelaysAreAccepted() {
    let timer = TimerThread(clock: clock, patience: .zero)
    let cancel = schedule(0, after: .seconds(Int64.max), by: timer)
    let never = schedule(1, after: .nanoseconds(Int64.max), by: timer)
    let end = Signal()
    _ = timer.schedule(after: .seconds(Int64.min)) { end.give() }
    #expect(end.comes())
    #expect(timer.count == 2)
    cancel()
    never()
  }

  // MARK: - Canceling

  @Test func aCanceledCallDoesNotRun() async {
    let (timer, threads) = timerWithOneThread()
    let cancels = (0..<10).map { number in schedule(number, after: .seconds(10), by: timer) }
    for number in [0, 9, 4, 4] { cancels[number]() }
    #expect(timer.count == 7)
    clock.advance(by: .seconds(10))
    await expectOffPool { threads.oneEnds() }
    #expect(done.withLock { done in done } == [1, 2, 3, 5, 6, 7, 8])
    cancels[1]()
  }

  @Test func anIdleTimerThreadEndsAndIsReplaced() async {
    let threads = CountedThreads()
    let timer = TimerThread(clock: clock, start: threads.start)
    for round in 1...3 {
      let cancel = schedule(0, after: .seconds(3_600), by: timer)
      await expectOffPool { [clock] in clock.isSleptOn(until: clock.now + .seconds(3_600)) }
      cancel()
      await expectOffPool("it waits a second for more") { [clock] in clock.isSleptOn(until: clock.now + .seconds(1)) }
      clock.advance(by: .seconds(1))
      await expectOffPool { threads.oneEnds() }
      #expect(threads.count == round)
    }
    #expect(done.withLock { done in done.isEmpty })
  }

  @Test func aWaitingThreadRunsTheNextCall() async {
    let (timer, threads) = timerWithOneThread(patience: .seconds(1))
    _ = schedule(1, after: .zero, by: timer)
    await expectOffPool { [clock] in clock.isSleptOn(until: .seconds(1)) }
    _ = schedule(2, after: .seconds(2), by: timer)
    await expectOffPool { [clock] in clock.isSleptOn(until: .seconds(2)) }
    clock.advance(by: .seconds(2))
    await expectOffPool("the second for more starts again") { [clock] in clock.isSleptOn(until: .seconds(3)) }
    #expect(done.withLock { done in done } == [1, 2])
    #expect(threads.count == 3, "once for itself, and once for each that was due")
    clock.advance(by: .seconds(1))
  }

  @Test func finishedAndCanceledCallsAreReleased() async {
    final class Thing: Sendable {}
    let (timer, threads) = timerWithOneThread()
    weak var called: Thing?
    weak var cancelled: Thing?
    var cancels: [@Sendable () -> Void] = []
    do {
      let things = [Thing(), Thing()]
      (called, cancelled) = (things[0], things[1])
      for (thing, seconds) in zip(things, [1, 2]) {
        cancels.append(timer.schedule(after: .seconds(seconds)) { withExtendedLifetime(thing) {} })
      }
    }
    #expect(called != nil && cancelled != nil)
    cancels[1]()
    #expect(cancelled == nil)
    clock.advance(by: .seconds(1))
    await expectOffPool { threads.oneEnds() }
    #expect(called == nil)
  }

  // MARK: - Without threads

  @Test func withoutAThreadTheCallRunsAtOnce() {
    let threads = CountedThreads { _ in false }
    let timer = TimerThread(clock: clock, start: threads.start)
    for number in 1...3 {
      let cancel = schedule(number, after: .seconds(3_600), by: timer)
      #expect(done.withLock { done in done } == Array(1...number))
      cancel()
    }
    #expect(timer.count == 0)
    #expect(threads.count == 3, "it asks again each time")
  }

  @Test func callsDuringAThreadFailureRunToo() {
    let held = Locked<TimerThread?>(nil)
    let timer = TimerThread(
      clock: clock,
      start: { [done] _ in
        _ = held.withLock { held in held }?.schedule(after: .seconds(1)) { done.withLock { done in done.append(1) } }
        return false
      })
    held.withLock { held in held = timer }
    _ = schedule(2, after: .seconds(3_600), by: timer)
    #expect(done.withLock { done in done } == [1, 2])
    held.withLock { held in held = nil }
  }

  // MARK: - The system's clock

  @Test func eachOfManyCallsRunsOnceAndNotEarly() async {
    let clock = SystemTimerClock()
    let timer = TimerThread(clock: clock)
    let end = Signal()
    let (called, early) = (Locked<[Int]>([]), Locked(0))
    DispatchQueue.concurrentPerform(iterations: 8) { producer in
      for number in 0..<100 {
        let delay = Duration.microseconds((number * 37) % 20 * 500)
        let deadline = clock.now + delay
        _ = timer.schedule(after: delay) {
          if clock.now < deadline { early.withLock { early in early += 1 } }
          called.withLock { called in called.append(producer * 100 + number) }
          end.give()
        }
      }
    }
    await expectOffPool { (0..<800).allSatisfy { _ in end.comes() } }
    #expect(called.withLock { called in called.sorted() } == Array(0..<800))
    #expect(early.withLock { early in early } == 0)
  }

  @Test func aWakeupBeforeTheSleepIsNotLost() {
    let clock = SystemTimerClock()
    clock.wake()
    clock.sleep(until: clock.now + .seconds(100_000_000))
    clock.sleep(until: .zero)
    #expect(clock.now >= .zero)
  }
}
