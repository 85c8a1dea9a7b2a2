package import Platform

/// The threads and file descriptors that the writers of a process share.
///
/// A writer has no thread of its own. A few threads write and sync for all logs: each serves the log that has been
/// waiting the longest, and syncs of different logs overlap. A log occupies one thread at a time, so a slow disk delays
/// only its own log as long as it has fewer logs than there are threads. ``shared`` suits most programs; give the logs
/// of a slow disk resources of their own.
///
/// Checkpoints, which can read a complete log, are made by at most two more threads.
///
/// ```swift
/// configuration.environment.resources = LogResources(threadLimit: 16)
/// ```
public final class LogResources: Sendable {
  /// The default resources of all writers.
  public static let shared = LogResources()

  /// Eight. With 2 000 logs that are written to in turn, eight threads sync three to four times as many as
  /// one; <doc:OpenLogs> has the figures.
  public static let defaultThreadLimit = 8

  /// The threads for the blocking calls of writers and recorders.
  package let threads: ThreadPool
  /// The threads for work that can take as long as reading a log, and that no writer may wait for: checkpoints.
  package let readers: ThreadPool
  /// Schedules calls, which run on ``threads``.
  package let schedule: LogEnvironment.Schedule
  let heads = HeadAllowance()
  let sweep: IdleSweep

  /// Creates resources without threads. Threads start when there is work, and end after a second without.
  ///
  /// - Parameter threadLimit: The maximum number of threads, at least 2: one of them only waits for intervals.
  public convenience init(threadLimit: Int = LogResources.defaultThreadLimit) {
    precondition(threadLimit >= 2, "writers need two threads")
    self.init(threads: ThreadPool(threadLimit: threadLimit - 1, utilityLimit: max(1, (threadLimit - 1) / 2)))
  }

  /// Two: a checkpoint of a long log delays those of other logs, unless there are two long ones.
  private static let readerLimit = 2

  /// Creates resources.
  ///
  /// - Parameters:
  ///   - readers: The threads for work that no writer may wait for; `nil` for two.
  ///   - schedule: Schedules the release of what idle writers keep, and the intervals of writers; `nil` for a timer.
  package init(
    threads: ThreadPool, readers: ThreadPool? = nil, schedule: LogEnvironment.Schedule? = nil
  ) {
    self.threads = threads
    self.readers = readers ?? ThreadPool(threadLimit: Self.readerLimit)
    if let schedule {
      self.schedule = schedule
    } else {
      // The timer's own thread sleeps, so it is not one of the pool's.
      let timer = TimerThread(perform: { [weak threads] body in
        guard let threads else { return false }
        threads.async(body)
        return true
      })
      self.schedule = { delay, body in timer.schedule(after: delay, body) }
    }
    sweep = IdleSweep(schedule: self.schedule)
  }
}

extension LogResources {
  /// Runs `body` on a thread that may block and suspends until it returns.
  package func run<Success: Sendable>(
    priority: SerialQueue.Priority = .standard, _ body: @escaping @Sendable () throws -> Success
  ) async throws -> Success {
    try await run(priority: priority) { Result { try body() } }.get()
  }

  /// Runs `body`, which cannot fail, on a thread that may block and suspends until it returns.
  package func run<Success: Sendable>(
    priority: SerialQueue.Priority = .standard, _ body: @escaping @Sendable () -> Success
  ) async -> Success {
    await withCheckedContinuation { continuation in
      threads.async(priority: priority) { continuation.resume(returning: body()) }
    }
  }
}

/// A limit on the number of writers that keep `HEAD` open between two syncs.
///
/// Opening it for each sync would cost a log that is alone several percent of its speed; keeping it open costs each of
/// many logs a descriptor.
final class HeadAllowance: Sendable {
  /// 64: more logs than a process usually syncs at a time, and few of the 1 024 descriptors that many systems allow.
  private static let limit = 64

  private let count = Locked(0)

  func take() -> Bool {
    count.withLock { count in
      guard count < Self.limit else { return false }
      count += 1
      return true
    }
  }

  func giveBack() { count.withLock { count in count -= 1 } }
}

/// Releases the buffers and descriptors that writers keep for their next batch, after a second without one.
final class IdleSweep: Sendable {
  private struct Entry: Sendable {
    // Safe: the class is Sendable, and each entry is used by one thread at a time.
    weak var writer: LogWriter?
  }

  private struct Contents: Sendable {
    var entries: [Entry] = []
    var isScheduled = false
  }

  /// The time between two sweeps. A busy writer is inspected once in this time, which takes less than a microsecond.
  private static let interval = Duration.seconds(1)

  private let schedule: LogEnvironment.Schedule
  private let contents = Locked(Contents())

  init(schedule: @escaping LogEnvironment.Schedule) { self.schedule = schedule }

  /// Adds a writer that has written a batch, until a sweep finds that it is idle. Called without a lock, because a timer
  /// without a thread sweeps at once.
  func add(_ writer: LogWriter) { add([Entry(writer: writer)]) }

  private func add(_ entries: [Entry]) {
    let mustSchedule = contents.withLock { contents in
      contents.entries += entries
      defer { contents.isScheduled = true }
      return !contents.isScheduled
    }
    // The resources exist as long as any writer, so a retained sweep is called at most once too often.
    if mustSchedule { _ = schedule(Self.interval) { self.sweep() } }
  }

  private func sweep() {
    let entries = contents.withLock { contents in
      defer { contents = Contents() }
      return contents.entries
    }
    let active = entries.filter { entry in entry.writer?.isActiveSinceLastSweep() ?? false }
    if !active.isEmpty { add(active) }
  }
}
