/// What a ``TimerThread`` tells the time by, and sleeps with.
package protocol TimerClock: Sendable {
  /// The time since a moment that is the same for as long as the clock is used. It never goes back.
  var now: Duration { get }

  /// Returns when it is time, or when somebody wakes the thread; sooner does no harm.
  func sleep(until deadline: Duration)

  /// Lets the thread that sleeps go on, or else the next one that would.
  func wake()
}
