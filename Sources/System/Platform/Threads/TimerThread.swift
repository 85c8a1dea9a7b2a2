/// Calls closures when it is time: one thread sleeps for all of them.
///
/// The thread comes with the first appointment, sleeps until the next one, and goes when there has been none for a second. What is
/// due gets a thread of its own, so that a disk that keeps one waiting keeps no other; where the system gives none, the timer's
/// does it. Where there is none for the timer either, an appointment is kept at once, on the thread of whoever makes it: early is
/// better than never.
///
/// A timer of Dispatch would not do: it needs file descriptors, and ends a process that has none left.
package final class TimerThread: Sendable {
  /// Asks for a thread that runs what it is given, and tells whether there is one.
  package typealias Start = @Sendable (_ run: @escaping @Sendable () -> Void) -> Bool

  /// The one of the process.
  package static let shared = TimerThread()

  /// A year: as good as never, and far from what a clock can count.
  private static let delayLimit = Duration.seconds(365 * 86_400)

  private let clock: any TimerClock
  private let patience: Duration
  private let start: Start
  private let contents = Locked(Contents())

  /// Makes one that has no thread yet.
  ///
  /// - Parameters:
  ///   - clock: What tells it the time: the system's, but in tests.
  ///   - patience: How long the thread waits for more: beside a second the 20 microseconds of a new one are nothing.
  ///   - start: Where threads come from: the system, but in tests.
  package init(
    clock: any TimerClock = SystemTimerClock(), patience: Duration = .seconds(1),
    start: @escaping Start = SystemThread.start
  ) {
    self.clock = clock
    self.patience = patience
    self.start = start
  }

  /// How many appointments there are.
  package var count: Int { contents.withLock { contents in contents.appointments.count } }

  /// Calls a closure once, a time later, on a thread that may block.
  ///
  /// - Parameters:
  ///   - delay: Less than nothing is nothing, and more than a year is a year.
  ///   - body: Let go of when it has been called or cancelled.
  /// - Returns: Cancels the appointment: what has not begun then never does. Too late, or again, it does nothing.
  /// - Complexity: O(n) for n appointments, of which a thousand take a microsecond; where there is no thread, that of `body`.
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
  /// A time, and which of those who asked for it is meant.
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
    /// The next one last.
    var appointments: [Appointment] = []
    /// The last number that was given.
    var number = 0
    var hasThread = false
    /// When the thread goes, unless something comes: set while there is nothing.
    var end: Duration?

    /// Where a moment stands, or would: behind all that are later.
    func index(of moment: Moment) -> Int {
      var (low, high) = (0, appointments.count)
      while low < high {
        let middle = (low + high) / 2
        if moment < appointments[middle].moment { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private func cancel(_ moment: Moment) {
    // What is taken out is let go of outside the lock: with it may end what cancels in its turn.
    let (cancelled, wasLast) = contents.withLock { contents -> (Appointment?, Bool) in
      let index = contents.index(of: moment)
      guard index < contents.appointments.count, contents.appointments[index].moment == moment else {
        return (nil, false)
      }
      return (contents.appointments.remove(at: index), contents.appointments.isEmpty)
    }
    withExtendedLifetime(cancelled) {}
    // With nothing left to sleep for, the thread is not to sleep until then.
    if wasLast { clock.wake() }
  }

  /// What the thread does next.
  private enum Step {
    case call(@Sendable () -> Void)
    case sleep(until: Duration)
    case leave
  }

  /// The thread.
  private func run() {
    while true {
      switch nextStep() {
      case .call(let body): if !start(body) { body() }
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

  /// Where there is no thread: keeps every appointment, of those too who came while one was asked for.
  private func runHere() {
    let due = contents.withLock { contents -> [Appointment] in
      contents.hasThread = false
      defer { contents.appointments = [] }
      return contents.appointments.reversed()
    }
    for appointment in due { appointment.body() }
  }
}
