import Dispatch
import Platform

/// A clock that moves only when a test advances it. It reports how long a thread sleeps.
package final class HandClock: TimerClock {
  private struct Contents: Sendable {
    var now = Duration.zero
    /// The end of the thread's current or last sleep.
    var deadline: Duration?
  }

  private let contents = Locked(Contents())
  private let bell = DispatchSemaphore(value: 0)
  private let slept = Signal()

  package init() {}

  package var now: Duration { contents.withLock { contents in contents.now } }

  package func sleep(until deadline: Duration) {
    contents.withLock { contents in contents.deadline = deadline }
    slept.give()
    bell.wait()
  }

  package func wake() { bell.signal() }

  /// Advances the clock.
  package func advance(by duration: Duration) {
    contents.withLock { contents in contents.now += duration }
    wake()
  }

  /// Waits for the thread to sleep until a time, and returns whether it did.
  package func isSleptOn(until deadline: Duration) -> Bool {
    while slept.comes() {
      if contents.withLock({ contents in contents.deadline }) == deadline { return true }
    }
    return false
  }
}

/// A source of threads that counts the requests, refuses some of them, and observes the end of each thread.
package final class CountedThreads: Sendable {
  private let counted = Locked(0)
  private let isGiven: @Sendable (_ number: Int) -> Bool
  private let ended = Signal()

  /// - Parameter isGiven: Whether to provide a thread for a request. Requests are numbered from 1.
  package init(isGiven: @escaping @Sendable (_ number: Int) -> Bool = { _ in true }) { self.isGiven = isGiven }

  /// The number of requests.
  package var count: Int { counted.withLock { count in count } }

  package func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let number = counted.withLock { count in
      count += 1
      return count
    }
    guard isGiven(number) else { return false }
    return SystemThread.start { [ended] in
      body()
      ended.give()
    }
  }

  /// Waits for another thread to end, and returns whether one did.
  package func oneEnds() -> Bool { ended.comes() }
}

/// An event for which a thread that may block can wait.
package struct Signal: Sendable {
  /// The timeout of a test. All tests run in turns on few threads, so that the step that gives the signal can wait for most of
  /// the run: on a machine that builds at the same time, for more than ten minutes.
  private static let patience = DispatchTimeInterval.seconds(3_000)

  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func give() { semaphore.signal() }

  /// Waits for the event, and returns whether it occurred.
  package func comes() -> Bool { semaphore.wait(timeout: .now() + Self.patience) == .success }
}
