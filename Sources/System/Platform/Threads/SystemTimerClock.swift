internal import CSystem

/// The time that the machine has run: whoever sets its date changes nothing.
package final class SystemTimerClock: TimerClock {
  private let start = SuspendingClock.now
  // Made with the object and freed with it, and never changed between; what it points to keeps a lock of its own.
  nonisolated(unsafe) private let bell: OpaquePointer

  /// Makes one that begins now.
  package init() { bell = csystem_bell_make() }

  deinit { csystem_bell_free(bell) }

  package var now: Duration { start.duration(to: .now) }

  package func sleep(until deadline: Duration) {
    // An hour is as good as longer, and far from what a number holds.
    let rest = min(max(deadline - now, .zero), .seconds(3_600)).components
    csystem_bell_wait(bell, UInt64(rest.seconds) * 1_000_000_000 + UInt64(rest.attoseconds / 1_000_000_000))
  }

  package func wake() { csystem_bell_ring(bell) }
}
