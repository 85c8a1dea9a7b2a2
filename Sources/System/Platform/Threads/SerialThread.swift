internal import Dispatch

/// A serial queue for blocking work, on a thread of its own.
///
/// The thread starts with the first work item and ends after a second without one. A writer that is used regularly
/// keeps its thread, and a thousand idle writers have none. A serial Dispatch queue is not an alternative: on Linux,
/// its thread belongs to the pool that also runs tasks.
///
/// If the system provides no thread, the work runs on the caller's thread.
package final class SerialThread: Sendable {
  private let core: Core

  /// Starts a thread with a closure, and returns whether the system provided one.
  package typealias Start = @Sendable (_ run: @escaping @Sendable () -> Void) -> Bool

  /// Creates a queue without a thread.
  ///
  /// - Parameters:
  ///   - patienceMilliseconds: The time after which an idle thread ends. Starting a new one takes only 20
  ///     microseconds.
  ///   - start: Starts a thread. Tests replace it.
  ///   - pause: Calls its argument, which waits for work and returns whether there is any in time. Tests add code
  ///     before or after the wait.
  package init(
    patienceMilliseconds: Int = 1_000,
    start: @escaping Start = SystemThread.start,
    pause: @escaping @Sendable (_ wait: () -> Bool) -> Bool = { wait in wait() }
  ) {
    core = Core(patience: .milliseconds(patienceMilliseconds), start: start, pause: pause)
  }

  /// The remaining work is done, but the thread does not wait for more.
  deinit { core.end() }

  /// Runs work after all previous work.
  ///
  /// - Complexity: O(1); that of the work if there is no thread.
  package func async(_ work: @escaping @Sendable () -> Void) { core.async(work) }
}

extension SerialThread {
  /// The state of the thread. The thread does not retain the queue itself, so that it can end with it.
  private final class Core: Sendable {
    private struct Contents: Sendable {
      var waiting: [@Sendable () -> Void] = []
      var hasThread = false
      /// Whether the thread is idle and must be woken.
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

    /// The action required of the caller.
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

    /// The next step of the thread.
    private enum Step {
      case work(@Sendable () -> Void)
      case wait, leave
    }

    /// Runs on the thread.
    private func run() {
      while true {
        switch nextStep(parks: true) {
        case .work(let work): work()
        case .wait: if !isAwaited() { return }
        case .leave: return
        }
      }
    }

    /// Runs on a caller's thread, without waiting for work. Other callers may add some in the meantime.
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
    /// - Returns: Whether there may be work; if not, the thread ends.
    private func isAwaited() -> Bool {
      if pause({ alarm.wait(timeout: .now() + patience) == .success }) { return true }
      let goes = contents.withLock { contents in
        guard contents.isParked else { return false }
        contents.isParked = false
        contents.hasThread = false
        return true
      }
      // The caller that reset `isParked` has signaled or is about to.
      if !goes { alarm.wait() }
      return !goes
    }
  }
}
