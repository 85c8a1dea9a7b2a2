import Platform

/// Lets other tasks run until `condition` holds.
///
/// It is for events that are guaranteed to happen soon, but cannot be awaited. Tasks progress when this function
/// yields; threads can be delayed by a busy machine, which ``eventually(_:)`` tolerates.
///
/// - Returns: Whether the condition holds, after at most five minutes.
@MainActor public func settle(until condition: @MainActor () -> Bool) async -> Bool {
  for _ in 0..<10_000 {
    if condition() { return true }
    await Task.yield()
  }
  // A canceled test does not use the result.
  do { return try await eventually { condition() } } catch { return condition() }
}

/// Waits until `condition` holds for the effects of another process, for instance the contents of its files.
///
/// - Returns: Whether the condition holds, after at most five minutes, far longer than any wait.
public func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async throws -> Bool {
  for _ in 0..<30_000 {
    if try condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return try condition()
}

/// Waits until a question whose answer takes time, for instance a request of a server, is answered with `true`.
///
/// - Parameter attempts: How often the question is asked, every ten milliseconds; by default for five minutes.
/// - Returns: Whether it was.
public func eventually(
  isolation: isolated (any Actor)? = #isolation, attempts: Int = 30_000, asking question: () async throws -> Bool
) async throws -> Bool {
  for _ in 0..<attempts {
    if try await question() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return try await question()
}

/// An executor whose jobs are run by a test.
///
/// Tasks that prefer it run on the thread that calls ``runNext()`` or ``runAll()``, one job between two suspensions at
/// a time, in the order in which the jobs became ready. A test can therefore check what holds before a consumer has
/// run, and the order in which several consumers were resumed, without waiting.
///
/// Start the tasks from a nonisolated function: a closure in a main-actor test inherits the main actor.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class StepExecutor: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  /// Creates an executor without jobs.
  public init() {}

  /// Adds a job, which runs on request of the test.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { jobs in jobs.append(job) }
  }

  /// Runs the job that has been ready the longest.
  ///
  /// - Returns: `false` if no job is ready.
  @discardableResult
  public func runNext() -> Bool {
    let job = jobs.withLock { jobs in jobs.isEmpty ? nil : jobs.removeFirst() }
    guard let job else { return false }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Runs jobs until `condition` holds or none is ready.
  public func run(until condition: () -> Bool) {
    while !condition(), runNext() {}
  }

  /// Runs jobs until none is ready.
  public func runAll() {
    while runNext() {}
  }
}
