import Platform

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
