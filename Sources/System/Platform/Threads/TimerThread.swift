internal import CSystem

/// A timer that calls closures at their times. One thread sleeps for all of them.
///
/// The thread starts with the first appointment, sleeps until the next one, and ends after a second without any. A due
/// closure runs on another thread, so that a slow disk does not delay other closures; if the system provides none, it
/// runs on the timer's thread. If there is no thread for the timer either, an appointment runs at once on the caller's
/// thread: early is better than never.
///
/// A Dispatch timer is not an alternative: it needs file descriptors, and terminates a process that has none left.
/// Neither is a Dispatch semaphore with a timeout: on Linux it waits by the date, and a changed date would delay an interval.
package final class TimerThread: Sendable {
  /// A timer that starts a thread for each due closure.
  package static let shared = TimerThread()

  /// Starts a thread with a closure, and returns whether the system provided one.
  package typealias Start = @Sendable (_ run: @escaping @Sendable () -> Void) -> Bool

  /// A year, far below the limit of the clock.
  private static let delayLimit = Duration.seconds(365 * 86_400)

  private let clock: any TimerClock
  private let patience: Duration
  private let start: Start
  private let perform: Start
  private let contents = Locked(Contents())

  package init(
    clock: any TimerClock = SystemTimerClock(), patience: Duration = .seconds(1),
    start: @escaping Start = SystemThread.start, perform: Start? = nil
  ) {
    self.clock = clock
    self.patience = patience
    self.start = start
    self.perform = perform ?? start
  }

  package var count: Int { contents.withLock { contents in contents.appointments.count } }

  /// Calls a closure once, after a delay, on a thread that may block.
  package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let deadline = clock.now + min(max(delay, .zero), Self.delayLimit)
    let (moment, isFirst, needsThread) = contents.withLock { contents in
      contents.number += 1
      let moment = Moment(deadline: deadline, number: contents.number)
      let index = contents.index(of: moment)
      contents.appointments.insert(Appointment(moment: moment, body: body), at: index)
      defer { contents.hasThread = true }
      return (moment, index == contents.appointments.count - 1, !contents.hasThread)
    }
    if needsThread {
      if !start({ self.run() }) { runHere() }
    } else if isFirst {
      clock.wake()
    }
    return { self.cancel(moment) }
  }
}

extension TimerThread {
  /// A time, and a number that makes it unique.
  private struct Moment: Sendable, Comparable {
    var deadline: Duration
    var number: Int

    static func < (lhs: Moment, rhs: Moment) -> Bool {
      lhs.deadline == rhs.deadline ? lhs.number < rhs.number : lhs.deadline < rhs.deadline
    }
  }

  private struct Appointment: Sendable {
    var moment: Moment
    var body: @Sendable () -> Void
  }

  private struct Contents: Sendable {
    /// The appointments; the next one is the last element.
    var appointments: [Appointment] = []
    /// The last number assigned.
    var number = 0
    var hasThread = false
    /// The time at which an idle thread ends; `nil` while there are appointments.
    var end: Duration?

    /// Returns the index of a moment, or its insertion index: after all later ones.
    func index(of moment: Moment) -> Int {
      appointments.partitioningIndex { appointment in !(moment < appointment.moment) }
    }
  }

  private func cancel(_ moment: Moment) {
    // The removed closure is released outside of the lock, because its deinitialization may cancel other appointments.
    let (cancelled, wasLast) = contents.withLock { contents -> (Appointment?, Bool) in
      let index = contents.index(of: moment)
      guard index < contents.appointments.count, contents.appointments[index].moment == moment else {
        return (nil, false)
      }
      return (contents.appointments.remove(at: index), contents.appointments.isEmpty)
    }
    withExtendedLifetime(cancelled) {}
    // Nothing is left to wait for, so the thread must not sleep until then.
    if wasLast { clock.wake() }
  }

  /// The next step of the thread.
  private enum Step {
    case call(@Sendable () -> Void)
    case sleep(until: Duration)
    case leave
  }

  private func run() {
    while true {
      switch nextStep() {
      case .call(let body): if !perform(body) { body() }
      case .sleep(let deadline): clock.sleep(until: deadline)
      case .leave: return
      }
    }
  }

  private func nextStep() -> Step {
    let now = clock.now
    return contents.withLock { [patience] contents in
      if let next = contents.appointments.last {
        contents.end = nil
        guard next.moment.deadline <= now else { return .sleep(until: next.moment.deadline) }
        contents.appointments.removeLast()
        return .call(next.body)
      }
      let end = contents.end ?? now + patience
      guard now < end else {
        contents.end = nil
        contents.hasThread = false
        return .leave
      }
      contents.end = end
      return .sleep(until: end)
    }
  }

  /// Runs all appointments on the caller's thread, including those added while a thread was requested.
  private func runHere() {
    let due = contents.withLock { contents -> [Appointment] in
      contents.hasThread = false
      defer { contents.appointments = [] }
      return contents.appointments.reversed()
    }
    for appointment in due { appointment.body() }
  }
}

/// The clock of a ``TimerThread``.
package protocol TimerClock: Sendable {
  /// The time since an arbitrary origin. It never decreases.
  var now: Duration { get }

  /// Sleeps until a time or until ``wake()`` is called. Returning early is harmless.
  func sleep(until deadline: Duration)

  /// Wakes the sleeping thread, or the next one that would sleep.
  func wake()
}

/// The system's monotonic clock. It is independent of changes to the date.
package final class SystemTimerClock: TimerClock {
  private let start = SuspendingClock.now
  // Created with the object, freed with it, and constant in between. It has a lock of its own.
  nonisolated(unsafe) private let bell: OpaquePointer

  package init() { bell = csystem_bell_make() }

  deinit { csystem_bell_free(bell) }

  package var now: Duration { start.duration(to: .now) }

  package func sleep(until deadline: Duration) {
    // An hour, far below the numeric limit. Waking early is harmless.
    let rest = min(max(deadline - now, .zero), .seconds(3_600)).components
    csystem_bell_wait(bell, UInt64(rest.seconds) * 1_000_000_000 + UInt64(rest.attoseconds / 1_000_000_000))
  }

  package func wake() { csystem_bell_ring(bell) }
}
