internal import Dispatch

/// A few threads for blocking work, shared by any number of ``SerialQueue``s.
///
/// A thread starts when work is ready and all others are busy, up to a limit, and ends after a second without work. A
/// Dispatch queue is not an alternative: on Linux, its threads belong to the pool that also runs tasks.
///
/// The pool is fair: a thread runs one work item of a queue and then serves the queue that has been ready the longest.
/// Queues of lower priority use only some of the threads at a time.
///
/// If the system provides no thread and the pool has none, the caller runs the work that is ready.
package final class ThreadPool: Sendable {
  fileprivate let core: Core

  /// Starts a thread with a closure, and returns whether the system provided one.
  package typealias Start = @Sendable (_ run: @escaping @Sendable () -> Void) -> Bool

  /// Creates a pool without a thread. By default a third of the threads run work of lower priority. An idle thread ends after the
  /// patience: starting one takes only 20 microseconds. Tests replace `start`, and `pause`, which calls its argument to wait for work.
  package init(
    threadLimit: Int,
    utilityLimit: Int? = nil,
    patienceMilliseconds: Int = 1_000,
    start: @escaping Start = SystemThread.start,
    pause: @escaping @Sendable (_ wait: () -> Bool) -> Bool = { wait in wait() }
  ) {
    precondition(threadLimit > 0 && utilityLimit ?? 1 > 0, "a pool has at least one thread for each kind of work")
    core = Core(
      threadLimit: threadLimit, utilityLimit: min(utilityLimit ?? max(1, threadLimit / 3), threadLimit),
      patience: .milliseconds(patienceMilliseconds), start: start, pause: pause)
  }

  /// The remaining work is done, but the threads do not wait for more.
  deinit { core.end() }

  package var threadCount: Int { core.threadCount }

  package func async(priority: SerialQueue.Priority = .standard, _ work: @escaping @Sendable () -> Void) {
    SerialQueue(on: self, priority: priority).async(work)
  }
}

/// A serial queue for blocking work on the threads of a ``ThreadPool``.
package final class SerialQueue: Sendable {
  /// The order in which a pool serves its queues.
  package enum Priority: Sendable {
    /// Work for which a caller waits.
    case standard
    /// Long work, such as encoding a large state. It uses only some of the threads at a time.
    case utility
  }

  /// A queue keeps its pool alive, so that the threads end with the last of them.
  private let pool: ThreadPool
  private let line: Line

  package init(on pool: ThreadPool, priority: Priority = .standard) {
    self.pool = pool
    line = Line(priority: priority)
  }

  /// Creates a queue with a thread of its own, for work that occupies it for any length of time.
  package convenience init(
    patienceMilliseconds: Int = 1_000, start: @escaping ThreadPool.Start = SystemThread.start,
    pause: @escaping @Sendable (_ wait: () -> Bool) -> Bool = { wait in wait() }
  ) {
    self.init(
      on: ThreadPool(threadLimit: 1, patienceMilliseconds: patienceMilliseconds, start: start, pause: pause))
  }

  /// Runs work after all previous work of the queue.
  package func async(_ work: @escaping @Sendable () -> Void) {
    pool.core.add(work, to: line)
  }

  /// Whether work of another queue waits for a thread. Work of lower priority does not count.
  package var hasCompetition: Bool { pool.core.hasReadyLine }

  /// The waiting work of a queue. The pool retains it while there is any.
  fileprivate final class Line: Sendable {
    let priority: Priority
    // Both are accessed only by the core of the queue's pool, while it holds its lock. They share its lock, so that a
    // thread that finds no more work waits in the same moment: otherwise a second thread would be woken for work that
    // arrives in between.
    nonisolated(unsafe) var waiting = Fifo<@Sendable () -> Void>()
    /// Whether the line is ready, or a thread runs its work.
    nonisolated(unsafe) var isScheduled = false

    init(priority: Priority) { self.priority = priority }
  }
}

extension ThreadPool {
  private typealias Line = SerialQueue.Line

  private final class Sleeper: Sendable {
    let alarm = DispatchSemaphore(value: 0)
  }

  /// The state of the threads. They do not retain the pool itself, so that they can end with it.
  fileprivate final class Core: Sendable {
    private struct Contents: Sendable {
      var standard = Fifo<Line>()
      var utility = Fifo<Line>()
      /// The number of threads, including callers that run work because there was no thread.
      var threadCount = 0
      /// The number of threads that run work of lower priority.
      var utilityCount = 0
      /// Whether the last line was of lower priority. The two kinds take turns.
      var wasUtility = false
      /// The idle threads that no caller has woken yet. The one that has worked last is woken first: its memory is in the
      /// cache, and the others can end.
      var sleepers: [Sleeper] = []
      var isEnding = false
    }

    private let threadLimit: Int
    private let utilityLimit: Int
    private let patience: DispatchTimeInterval
    private let start: Start
    private let pause: @Sendable (() -> Bool) -> Bool
    private let contents = Locked(Contents())

    init(
      threadLimit: Int, utilityLimit: Int, patience: DispatchTimeInterval, start: @escaping Start,
      pause: @escaping @Sendable (() -> Bool) -> Bool
    ) {
      self.threadLimit = threadLimit
      self.utilityLimit = utilityLimit
      self.patience = patience
      self.start = start
      self.pause = pause
    }

    var threadCount: Int { contents.withLock { contents in contents.threadCount } }

    var hasReadyLine: Bool {
      contents.withLock { contents in !contents.standard.isEmpty }
    }

    private enum Need {
      case nothing, thread
      case alarm(Sleeper)
    }

    func add(_ work: @escaping @Sendable () -> Void, to line: SerialQueue.Line) {
      let need = contents.withLock { contents -> Need in
        line.waiting.append(work)
        guard !line.isScheduled else { return .nothing }
        line.isScheduled = true
        switch line.priority {
        case .standard: contents.standard.append(line)
        case .utility:
          contents.utility.append(line)
          // A thread that finishes such work continues with this line.
          if contents.utilityCount >= utilityLimit { return .nothing }
        }
        if let sleeper = contents.sleepers.popLast() { return .alarm(sleeper) }
        guard contents.threadCount < threadLimit else { return .nothing }
        contents.threadCount += 1
        return .thread
      }
      switch need {
      case .nothing: break
      case .alarm(let sleeper): sleeper.alarm.signal()
      case .thread: if !start({ self.run() }) { runHere() }
      }
    }

    func end() {
      let sleepers = contents.withLock { contents in
        contents.isEnding = true
        defer { contents.sleepers = [] }
        return contents.sleepers
      }
      for sleeper in sleepers { sleeper.alarm.signal() }
    }

    private enum Step {
      case work(@Sendable () -> Void, of: Line)
      case wait, leave
    }

    private func run() {
      let sleeper = Sleeper()
      while runReadyWork(parking: sleeper), isAwakened(sleeper) {}
    }

    /// Runs on a caller's thread, without waiting for work. Other callers may add some in the meantime.
    private func runHere() {
      let isAlone = contents.withLock { contents in
        // Another thread, or another caller, finds the work.
        if contents.threadCount > 1 { contents.threadCount -= 1 } else { return true }
        return false
      }
      if isAlone { _ = runReadyWork(parking: nil) }
    }

    /// Runs work until none is ready, and returns whether the thread must wait for more. Without a sleeper it must not wait.
    private func runReadyWork(parking sleeper: Sleeper?) -> Bool {
      var last: Line?
      while true {
        switch nextStep(after: last, parking: sleeper) {
        case .work(let work, let line):
          work()
          last = line
        case .wait: return true
        case .leave: return false
        }
      }
    }

    private func nextStep(after last: Line?, parking sleeper: Sleeper?) -> Step {
      contents.withLock { contents in
        if let last { finish(last, &contents) }
        if let line = takeLine(&contents), let work = line.waiting.popFirst() { return .work(work, of: line) }
        guard let sleeper, !contents.isEnding else {
          contents.threadCount -= 1
          return .leave
        }
        contents.sleepers.append(sleeper)
        return .wait
      }
    }

    private func finish(_ line: Line, _ contents: inout Contents) {
      if line.priority == .utility { contents.utilityCount -= 1 }
      line.isScheduled = !line.waiting.isEmpty
      guard line.isScheduled else { return }
      switch line.priority {
      case .standard: contents.standard.append(line)
      case .utility: contents.utility.append(line)
      }
    }

    /// Removes and returns the line to serve next. It has work, as every ready line.
    private func takeLine(_ contents: inout Contents) -> Line? {
      let mayTakeUtility = !contents.utility.isEmpty && contents.utilityCount < utilityLimit
      if mayTakeUtility, contents.standard.isEmpty || !contents.wasUtility {
        contents.utilityCount += 1
        contents.wasUtility = true
        return contents.utility.popFirst()
      }
      contents.wasUtility = false
      return contents.standard.popFirst()
    }

    /// Waits for work, and returns whether there may be some; if not, the thread ends.
    private func isAwakened(_ sleeper: Sleeper) -> Bool {
      if pause({ sleeper.alarm.wait(timeout: .now() + patience) == .success }) { return true }
      let leaves = contents.withLock { contents in
        guard let index = contents.sleepers.firstIndex(where: { other in other === sleeper }) else { return false }
        contents.sleepers.remove(at: index)
        contents.threadCount -= 1
        return true
      }
      // The caller that removed the sleeper has signaled or is about to.
      if !leaves { sleeper.alarm.wait() }
      return !leaves
    }
  }
}

fileprivate struct Fifo<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer {
      elements[head] = nil
      head += 1
      if head == elements.count {
        elements.removeAll(keepingCapacity: head <= 64)
        head = 0
      } else if head > 64, head * 2 > elements.count {
        elements.removeFirst(head)
        head = 0
      }
    }
    return elements[head]
  }
}

extension Fifo: Sendable where Element: Sendable {}
