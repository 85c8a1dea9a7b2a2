import ActionLog
import Platform
import Testing

/// A `SerialThread` that the system gives no thread.
@Suite("SerialThread without a thread", .timeLimit(.minutes(60))) struct RefusedThreadTests {
  @Test func whereThereIsNoThreadTheCallersDoesItInOrder() {
    let threads = CountedThreads { _ in false }
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

  @Test func whatOthersBringToACallerWithoutAThreadIsDoneByThatCallerBeforeItGoesOn() {
    let threads = CountedThreads { _ in false }
    let thread = SerialThread(start: threads.start)
    let done = Locked<[Int]>([])
    thread.async {
      let brought = Signal()
      #expect(
        SystemThread.start {
          thread.async { done.withLock { done in done.append(2) } }
          brought.give()
        })
      #expect(brought.comes(), "whoever brings more is not held up")
      done.withLock { done in done.append(1) }
    }
    #expect(done.withLock { done in done } == [1, 2])
    #expect(threads.count == 1)
  }

  @Test func aThreadThatCannotBeMadeIsAskedForAgainAndThenDoesWhatComes() async {
    let threads = CountedThreads { number in number > 2 }
    let thread = SerialThread(start: threads.start)
    let done = Locked<[Int]>([])
    for number in 1...2 { thread.async { done.withLock { done in done.append(number) } } }
    #expect(done.withLock { done in done } == [1, 2], "done before the caller goes on")
    let (gate, end) = (Signal(), Signal())
    thread.async {
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
