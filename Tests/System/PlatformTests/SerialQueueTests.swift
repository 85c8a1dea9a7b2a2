internal import Dispatch
internal import Platform
internal import TestSupport
internal import Testing

@Suite("SerialQueue", .timeLimit(.minutes(60))) struct SerialQueueTests {
  /// A wait long enough that no thread ends because of it.
  private static let forever = 100_000_000

  // MARK: - Order

  @Test func workFromManyThreadsRunsSeriallyAndOnce() async {
    let threads = CountedThreads()
    let queue = SerialQueue(start: threads.start)
    let (done, running) = (Locked<[Int]>([]), Locked(0))
    let end = Signal()
    DispatchQueue.concurrentPerform(iterations: 8) { producer in
      for number in 0..<500 {
        queue.async {
          let together = running.withLock { running in
            running += 1
            return running
          }
          done.withLock { done in done.append(together == 1 ? producer * 500 + number : -1) }
          running.withLock { running in running -= 1 }
          end.give()
        }
      }
    }
    await expectOffPool { (0..<4_000).allSatisfy { _ in end.comes() } }
    let numbers = done.withLock { done in done }
    #expect(numbers.sorted() == Array(0..<4_000))
    for producer in 0..<8 {
      let own = numbers.filter { number in number / 500 == producer }
      #expect(own == own.sorted(), "in the order in which each was brought")
    }
  }

  @Test func workForABusyThreadWaitsInOrder() async {
    let threads = CountedThreads()
    let queue = SerialQueue(start: threads.start)
    let (begun, gate, end) = (Signal(), Signal(), Signal())
    let done = Locked<[Int]>([])
    queue.async {
      begun.give()
      done.withLock { [isOpen = gate.comes()] done in done.append(isOpen ? 0 : -1) }
    }
    await expectOffPool { begun.comes() }
    for number in 1...100 { queue.async { done.withLock { done in done.append(number) } } }
    queue.async { end.give() }
    #expect(done.withLock { done in done.isEmpty })
    #expect(threads.count == 1, "one that is busy is not helped by another")
    gate.give()
    await expectOffPool { end.comes() }
    #expect(done.withLock { done in done } == Array(0...100))
    #expect(threads.count == 1)
  }

  // MARK: - Waking

  @Test func aWaitingThreadIsWokenEachTime() async {
    let threads = CountedThreads()
    let queue = SerialQueue(patienceMilliseconds: Self.forever, start: threads.start)
    await expectOffPool {
      (0..<200).allSatisfy { _ in
        let end = Signal()
        queue.async { end.give() }
        return end.comes()
      }
    }
    #expect(threads.count == 1)
  }

  /// The thread has announced that it waits, and has not begun: it must not miss work that arrives now.
  @Test func workJustBeforeTheThreadWaitsRuns() async {
    let threads = CountedThreads()
    let end = Signal()
    let isFirst = Locked(true)
    let held = Locked<SerialQueue?>(nil)
    let queue = SerialQueue(patienceMilliseconds: Self.forever, start: threads.start) { wait in
      let mustBring = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if mustBring { held.withLock { held in held }?.async { end.give() } }
      return wait()
    }
    held.withLock { held in held = queue }
    queue.async {}
    await expectOffPool { end.comes() }
    #expect(threads.count == 1)
    held.withLock { held in held = nil }
    withExtendedLifetime(queue) {}
  }

  /// The thread has waited long enough and has not announced its end: work that arrives now is still its own, and its
  /// signal is not received twice.
  @Test func workAtTheEndOfTheWaitRunsOnTheSameThread() async {
    let threads = CountedThreads()
    let (end, parked) = (Signal(), Signal())
    let checks = Locked<[Bool]>([])
    let held = Locked<SerialQueue?>(nil)
    let queue = SerialQueue(patienceMilliseconds: 0, start: threads.start) { wait in
      // There was no signal: the result does not depend on the timeout.
      let isRung = wait()
      let count = checks.withLock { checks in
        checks.append(isRung)
        return checks.count
      }
      if count == 1 { held.withLock { held in held }?.async { end.give() } }
      if count == 2 { parked.give() }
      return isRung
    }
    held.withLock { held in held = queue }
    queue.async {}
    await expectOffPool { end.comes() && parked.comes() }
    #expect(checks.withLock { checks in checks } == [false, false])
    #expect(threads.count == 1, "it is the same thread")
    held.withLock { held in held = nil }
    await expectOffPool("it has waited long enough a second time") { threads.oneEnds() }
  }

  /// An ended thread leaves no signal for the next one.
  @Test func aBusyThreadIsNotSignaled() async {
    let threads = CountedThreads()
    let checks = Locked<[Bool]>([])
    let queue = SerialQueue(patienceMilliseconds: 0, start: threads.start) { wait in
      let isRung = wait()
      checks.withLock { checks in checks.append(isRung) }
      return isRung
    }
    queue.async {}
    await expectOffPool { threads.oneEnds() }
    let (begun, gate) = (Signal(), Signal())
    queue.async {
      begun.give()
      #expect(gate.comes())
    }
    await expectOffPool { begun.comes() }
    queue.async {}
    gate.give()
    await expectOffPool { threads.oneEnds() }
    #expect(checks.withLock { checks in checks } == [false, false])
    #expect(threads.count == 2)
  }

  // MARK: - Ends

  @Test func anIdleThreadEndsAndIsReplaced() async {
    let threads = CountedThreads()
    let queue = SerialQueue(patienceMilliseconds: 0, start: threads.start)
    for count in 1...3 {
      let end = Signal()
      queue.async { end.give() }
      await expectOffPool { end.comes() && threads.oneEnds() }
      #expect(threads.count == count)
    }
  }

  @Test func pendingWorkRunsAfterTheLastReference() async {
    let threads = CountedThreads()
    let end = Signal()
    for _ in 0..<50 { SerialQueue(patienceMilliseconds: Self.forever, start: threads.start).async { end.give() } }
    await expectOffPool { (0..<50).allSatisfy { _ in end.comes() } }
    await expectOffPool("and does not wait for more") { (0..<50).allSatisfy { _ in threads.oneEnds() } }
    #expect(threads.count == 50)
  }

  /// Whether the last reference ends before the wait, at its beginning, or during it.
  @Test(arguments: [true, false])
  func aWaitingThreadEndsWithItsLastReference(isJustBefore: Bool) async {
    let threads = CountedThreads()
    let waiting = Signal()
    let held = Locked<SerialQueue?>(nil)
    do {
      let queue = SerialQueue(patienceMilliseconds: Self.forever, start: threads.start) { wait in
        if isJustBefore { held.withLock { held in held = nil } }
        waiting.give()
        return wait()
      }
      held.withLock { held in held = queue }
      queue.async {}
    }
    await expectOffPool { waiting.comes() }
    held.withLock { held in held = nil }
    await expectOffPool { threads.oneEnds() }
    #expect(threads.count == 1)
  }

  /// A waiting thread keeps no finished work alive.
  @Test func finishedWorkIsReleased() async {
    final class Thing: Sendable {}
    let waiting = Signal()
    let queue = SerialQueue(
      patienceMilliseconds: Self.forever,
      pause: { wait in
        waiting.give()
        return wait()
      })
    weak var thing: Thing?
    do {
      let held = Thing()
      thing = held
      queue.async { withExtendedLifetime(held) {} }
    }
    await expectOffPool { waiting.comes() }
    #expect(thing == nil)
    withExtendedLifetime(queue) {}
  }
}

/// A `SerialQueue` that the system gives no thread.
@Suite("SerialQueue without a thread", .timeLimit(.minutes(60))) struct RefusedThreadTests {
  @Test func withoutAThreadTheCallerRunsTheWorkInOrder() {
    let threads = CountedThreads { _ in false }
    let queue = SerialQueue(start: threads.start)
    let done = Locked<[Int]>([])
    for number in 0..<3 {
      queue.async {
        done.withLock { done in done.append(number) }
        queue.async { done.withLock { done in done.append(number + 10) } }
      }
    }
    #expect(done.withLock { done in done } == [0, 10, 1, 11, 2, 12])
    #expect(threads.count == 3, "it asks again each time")
  }

  @Test func aCallerWithoutAThreadRunsTheWorkOfOthers() {
    let threads = CountedThreads { _ in false }
    let queue = SerialQueue(start: threads.start)
    let done = Locked<[Int]>([])
    queue.async {
      let brought = Signal()
      #expect(
        SystemThread.start {
          queue.async { done.withLock { done in done.append(2) } }
          brought.give()
        })
      #expect(brought.comes(), "whoever brings more is not held up")
      done.withLock { done in done.append(1) }
    }
    #expect(done.withLock { done in done } == [1, 2])
    #expect(threads.count == 1)
  }

  @Test func aRefusedThreadIsRequestedAgain() async {
    let threads = CountedThreads { number in number > 2 }
    let queue = SerialQueue(start: threads.start)
    let done = Locked<[Int]>([])
    for number in 1...2 { queue.async { done.withLock { done in done.append(number) } } }
    #expect(done.withLock { done in done } == [1, 2], "done before the caller continues")
    let (gate, end) = (Signal(), Signal())
    queue.async {
      done.withLock { [isOpen = gate.comes()] done in done.append(isOpen ? 3 : -1) }
      end.give()
    }
    #expect(done.withLock { done in done } == [1, 2], "done by a thread, which waits at the gate")
    gate.give()
    await expectOffPool { end.comes() }
    #expect(done.withLock { done in done } == [1, 2, 3])
    #expect(threads.count == 3)
  }
}
