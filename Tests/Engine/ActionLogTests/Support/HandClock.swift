import Dispatch
import Platform

/// A clock that stands still until a test moves it, and tells how long a thread means to sleep.
final class HandClock: TimerClock {
  private struct Contents: Sendable {
    var now = Duration.zero
    /// Until when the thread sleeps, or slept the last time.
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

  /// Moves the clock.
  func advance(by duration: Duration) {
    contents.withLock { contents in contents.now += duration }
    wake()
  }

  /// Whether the thread comes to sleep until a moment, after waiting for that.
  func isSleptOn(until deadline: Duration) -> Bool {
    while slept.comes() {
      if contents.withLock({ contents in contents.deadline }) == deadline { return true }
    }
    return false
  }
}
