internal import Platform

/// Runs blocking calls outside the cooperative thread pool, each on its own thread.
///
/// A Dispatch queue is not suitable: on Linux, Dispatch takes its threads from the pool that tasks run on, which adds
/// one thread a second while others are blocked and ends at 255. A few calls that wait for a disk or a process would
/// stall all tasks of the program.
///
/// A thread costs about 20 microseconds, much less than the calls that use it. Callers limit the number of concurrent
/// calls. If the system provides no thread, because a limit of the user or the machine is reached, the call runs on
/// the caller's thread.
package enum OffPool {
  /// Runs `body` on a thread that may block and suspends until it returns.
  ///
  /// - Throws: The error that `body` throws.
  package static func run<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) async throws -> Success {
    let outcome = await run { Result { try body() } }
    return try outcome.get()
  }

  /// Runs `body`, which cannot fail, on a thread that may block and suspends until it returns.
  package static func run<Success: Sendable>(_ body: @escaping @Sendable () -> Success) async -> Success {
    let work = Locked<(@Sendable () -> Success)?>(body)
    return await withCheckedContinuation { continuation in
      start { continuation.resume(returning: perform(work)) }
    }
  }

  /// Starts a blocking call without waiting for it.
  ///
  /// - Parameters:
  ///   - startThread: Starts a thread with the given body, and returns whether the system provided one. Tests replace it.
  ///   - body: The call. Without a thread, it runs before this function returns.
  package static func start(
    startingThread startThread: (@escaping @Sendable () -> Void) -> Bool = SystemThread.start,
    _ body: @escaping @Sendable () -> Void
  ) {
    if !startThread(body) { body() }
  }

  /// Runs the work and releases it before the caller is resumed: a thread that is about to end must not keep objects
  /// alive, for example a lock.
  private static func perform<Success>(_ work: Locked<(@Sendable () -> Success)?>) -> Success {
    let body = work.withLock { work in
      defer { work = nil }
      return work
    }
    guard let body else { preconditionFailure("work runs once") }
    return body()
  }
}
