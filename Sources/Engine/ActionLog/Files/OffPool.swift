internal import Platform

/// The way off the cooperative thread pool for calls that block: each gets a thread of its own.
///
/// A queue of Dispatch would not do, and neither would a concurrent queue of our own: on Linux both take their threads from the
/// pool that tasks run on, which grows by one thread a second while threads are blocked and ends at 255. A few calls that
/// wait for a disk or a process would hold up every task of the program.
///
/// A thread costs some 20 microseconds: much less than a call that is worth coming here for. Callers bound how many calls are under
/// way at once; where the system gives no thread, because the limit of the user or of the machine is reached, a call is made on the
/// thread of its caller: slow is better than never.
package enum OffPool {
  /// Runs `body` on a thread that may block, and waits for it without blocking.
  ///
  /// - Throws: What `body` throws.
  package static func run<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) async throws -> Success {
    let outcome = await run { Result { try body() } }
    return try outcome.get()
  }

  /// Runs `body`, which cannot fail, on a thread that may block, and waits for it without blocking.
  package static func run<Success: Sendable>(_ body: @escaping @Sendable () -> Success) async -> Success {
    let work = Locked<(@Sendable () -> Success)?>(body)
    return await withCheckedContinuation { continuation in
      start { continuation.resume(returning: perform(work)) }
    }
  }

  /// Starts something that may block and that nobody waits for.
  ///
  /// - Parameters:
  ///   - isGiven: Asks for a thread that runs what it is given, and tells whether there is one: the system's, but in tests.
  ///   - body: What is run; before this returns if there is no thread.
  package static func start(
    onThreadIf isGiven: (@escaping @Sendable () -> Void) -> Bool = SystemThread.start,
    _ body: @escaping @Sendable () -> Void
  ) {
    if !isGiven(body) { body() }
  }

  /// Runs work and lets go of it, before anybody is told: a thread that is about to end must not keep alive what ends with its
  /// last reference, for instance a lock.
  private static func perform<Success>(_ work: Locked<(@Sendable () -> Success)?>) -> Success {
    let body = work.withLock { work in
      defer { work = nil }
      return work
    }
    guard let body else { preconditionFailure("work is done once") }
    return body()
  }
}
