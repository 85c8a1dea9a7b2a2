internal import Dispatch

/// Does work that blocks one piece after the other, on a thread of its own.
///
/// The thread comes with the first piece, waits for more when there is none, and goes when none has come for a second: a
/// writer that is used every few moments keeps its thread, and a thousand that are open and idle have none. A serial queue
/// of Dispatch would not do: on Linux its thread is one of those that tasks run on.
///
/// Where the system gives no thread, work is done on the thread of whoever brings it: slow is better than never.
package final class SerialThread: Sendable {
  private let core: Core

  /// Asks for a thread that runs what it is given, and tells whether there is one.
  package typealias Start = @Sendable (_ run: @escaping @Sendable () -> Void) -> Bool

  /// Makes one that has no thread yet.
  ///
  /// - Parameters:
  ///   - patienceMilliseconds: How long the thread waits for more: beside a second the 20 microseconds of a new one are nothing.
  ///   - start: Where a thread comes from: the system, but in tests.
  ///   - pause: Waits by calling what it is given, which tells whether somebody has rung in time; tests do something before or
  ///     after, while the thread counts as waiting.
  package init(
    patienceMilliseconds: Int = 1_000,
    start: @escaping Start = SystemThread.start,
    pause: @escaping @Sendable (_ wait: () -> Bool) -> Bool = { wait in wait() }
  ) {
    core = Core(patience: .milliseconds(patienceMilliseconds), start: start, pause: pause)
  }

  /// What has been brought is done all the same; the thread does not wait for more.
  deinit { core.end() }

  /// Does work when all that was brought before is done.
  ///
  /// - Complexity: O(1), but where there is no thread: then the work's.
  package func async(_ work: @escaping @Sendable () -> Void) { core.async(work) }
}

extension SerialThread {
  /// What the thread knows: not the object that its users hold, so that it can notice that they are gone.
  private final class Core: Sendable {
    private struct Contents: Sendable {
      var waiting: [@Sendable () -> Void] = []
      var hasThread = false
      /// Whether the thread has found nothing to do, and will be woken.
      var isParked = false
      var isEnding = false
    }

    private let patience: DispatchTimeInterval
    private let start: Start
    private let pause: @Sendable (() -> Bool) -> Bool
    private let contents = Locked(Contents())
    private let alarm = DispatchSemaphore(value: 0)

    init(
      patience: DispatchTimeInterval, start: @escaping Start, pause: @escaping @Sendable (() -> Bool) -> Bool
    ) {
      self.patience = patience
      self.start = start
      self.pause = pause
    }

    /// What a caller has to see to.
    private enum Need {
      case nothing, alarm, thread
    }

    func async(_ work: @escaping @Sendable () -> Void) {
      let need = contents.withLock { contents -> Need in
        contents.waiting.append(work)
        if !contents.hasThread {
          contents.hasThread = true
          return .thread
        }
        defer { contents.isParked = false }
        return contents.isParked ? .alarm : .nothing
      }
      switch need {
      case .nothing: break
      case .alarm: alarm.signal()
      case .thread: if !start({ self.run() }) { runHere() }
      }
    }

    func end() {
      let isParked = contents.withLock { contents in
        contents.isEnding = true
        defer { contents.isParked = false }
        return contents.isParked
      }
      if isParked { alarm.signal() }
    }

    /// What a thread does next.
    private enum Step {
      case work(@Sendable () -> Void)
      case wait, leave
    }

    /// The thread.
    private func run() {
      while true {
        switch nextStep(parks: true) {
        case .work(let work): work()
        case .wait: if !isAwaited() { return }
        case .leave: return
        }
      }
    }

    /// As the thread, on that of a caller, who does not wait for more. Others may bring something meanwhile.
    private func runHere() {
      while case .work(let work) = nextStep(parks: false) { work() }
    }

    private func nextStep(parks: Bool) -> Step {
      contents.withLock { contents in
        guard contents.waiting.isEmpty else { return .work(contents.waiting.removeFirst()) }
        contents.isParked = parks && !contents.isEnding
        contents.hasThread = contents.isParked
        return contents.isParked ? .wait : .leave
      }
    }

    /// Waits for work.
    ///
    /// - Returns: Whether to look for it; if not, none has come, and the thread goes.
    private func isAwaited() -> Bool {
      if pause({ alarm.wait(timeout: .now() + patience) == .success }) { return true }
      let goes = contents.withLock { contents in
        guard contents.isParked else { return false }
        contents.isParked = false
        contents.hasThread = false
        return true
      }
      // Whoever took it out of its parking place has rung, or is about to.
      if !goes { alarm.wait() }
      return !goes
    }
  }
}
