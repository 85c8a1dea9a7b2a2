import Platform

/// Lets other tasks run until `condition` holds.
///
/// For what is promised to happen "soon", where there is nothing to wait for. What other tasks have to do comes by giving way;
/// what a thread has to do can take as long as a busy machine lets that thread wait, which only ``eventually(_:)`` outlasts.
///
/// - Returns: Whether the condition holds. One that never comes true takes five minutes.
@MainActor public func settle(until condition: @MainActor () -> Bool) async -> Bool {
  for _ in 0..<10_000 {
    if condition() { return true }
    await Task.yield()
  }
  // Who cancels the test has no more use for an answer.
  do { return try await eventually { condition() } } catch { return condition() }
}

/// Waits until `condition` holds of something that another process does, for instance of what lies in its files.
///
/// - Returns: Whether it holds. Five minutes, far beyond what anything here takes, end what hangs.
public func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async throws -> Bool {
  for _ in 0..<30_000 {
    if try condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return try condition()
}

/// An executor that runs nothing by itself: a test decides when the tasks on it go on.
///
/// Tasks that prefer it run on the thread that calls ``runNext()`` or ``runAll()``, one piece between two suspensions at
/// a time, in the order in which the pieces became ready. So a test can look at what is true before a consumer has run,
/// and at the order in which several were woken, without waiting for anything.
///
/// Start the tasks from a nonisolated function: a closure written inside a main-actor test inherits the main actor.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class StepExecutor: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  /// Makes an executor without work.
  public init() {}

  /// Keeps the job until the test asks for it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { jobs in jobs.append(job) }
  }

  /// Runs the piece that has been ready the longest.
  ///
  /// - Returns: `false` when nothing is ready.
  @discardableResult
  public func runNext() -> Bool {
    let job = jobs.withLock { jobs in jobs.isEmpty ? nil : jobs.removeFirst() }
    guard let job else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Runs pieces until `condition` holds or none is ready.
  public func run(until condition: () -> Bool) {
    while !condition(), runNext() {}
  }

  /// Runs pieces until none is ready.
  public func runAll() {
    while runNext() {}
  }
}
