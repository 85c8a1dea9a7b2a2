import Dispatch
import Platform

/// A clock that moves only when a test advances it. It reports how long a thread sleeps.
final class HandClock: TimerClock {
  private struct Contents: Sendable {
    var now = Duration.zero
    /// The end of the thread's current or last sleep.
    var deadline: Duration?
  }

  private let contents = Locked(Contents())
  private let bell = DispatchSemaphore(value: 0)
  private let slept = Signal()

  var now: Duration { contents.withLock { contents in contents.now } }

  func sleep(until deadline: Duration) {
    contents.withLock { contents in contents.deadline = deadline }
    slept.give()
    bell.wait()
  }

  func wake() { bell.signal() }

  /// Advances the clock.
  func advance(by duration: Duration) {
    contents.withLock { contents in contents.now += duration }
    wake()
  }

  /// Waits for the thread to sleep until a time, and returns whether it did.
  func isSleptOn(until deadline: Duration) -> Bool {
    while slept.comes() {
      if contents.withLock({ contents in contents.deadline }) == deadline { return true }
    }
    return false
  }
}
