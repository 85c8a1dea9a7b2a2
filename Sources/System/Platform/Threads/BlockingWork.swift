internal import CSystem
internal import Dispatch

/// Runs blocking calls outside the cooperative thread pool, each on its own thread.
///
/// A Dispatch queue is not suitable: on Linux, Dispatch takes its threads from the pool that tasks run on, which adds
/// one thread a second while others are blocked and ends at 255. A few calls that wait for a disk or a process would
/// stall all tasks of the program.
///
/// A thread costs about 20 microseconds, much less than the calls that use it. Callers limit the number of concurrent
/// calls. If the system provides no thread, because a limit of the user or the machine is reached, the call runs on
/// the caller's thread. Successive calls on one object belong in an actor with a ``BlockingExecutor`` instead.
package enum BlockingWork {
  /// Runs `body` on a thread that may block and suspends until it returns. Tests replace `startThread`.
  ///
  /// The body runs as a part of the caller's task: `Task.isCancelled` is that of the caller, so canceling the caller
  /// ends a replay early, and task-local values are available. A task that is canceled before the call still runs
  /// `body`, because closing a file must not be skipped.
  package static func run<Success: Sendable, Failure: Error>(
    startingThread startThread: @escaping ThreadPool.Start = SystemThread.start,
    _ body: @Sendable () throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    try await Call(startThread).run(body)
  }

  /// Starts a blocking call without waiting for it.
  package static func start(
    startingThread startThread: (@escaping @Sendable () -> Void) -> Bool = SystemThread.start,
    _ body: @escaping @Sendable () -> Void
  ) {
    if !startThread(body) { body() }
  }

  /// Releases a value on another thread, so that the caller need not wait for it: releasing a state of 100 000 rows takes some
  /// 50 ms.
  package static func release<Value: Sendable>(_ value: consuming Value) {
    let kept = Locked<Value?>(value)
    start { _ = kept.withLock { kept in kept.take() } }
  }

  /// The isolation of one call. An actor moves its caller's task to the thread, with the task's cancellation and its
  /// local values.
  private actor Call {
    private let executor: OneThreadPerJob

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ start: @escaping ThreadPool.Start) { executor = OneThreadPerJob(start: start) }

    func run<Success: Sendable, Failure: Error>(
      _ body: @Sendable () throws(Failure) -> Success
    ) throws(Failure) -> Success { try body() }
  }

  /// Runs each job on a new thread. It is serial because a ``Call`` has one job.
  private final class OneThreadPerJob: SerialExecutor {
    private let start: ThreadPool.Start

    init(start: @escaping ThreadPool.Start) { self.start = start }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      BlockingWork.start(startingThread: start) { [self] in
        job.runSynchronously(on: asUnownedSerialExecutor())
      }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
  }
}

/// The executor of an actor whose methods block. They run one after another in order of their calls, on a ``SerialQueue``. A call from
/// outside the actor takes about 10 microseconds more than on the cooperative pool.
package final class BlockingExecutor: SerialExecutor {
  private let thread: SerialQueue

  package init(_ thread: SerialQueue = SerialQueue()) { self.thread = thread }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    thread.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  /// Returns a reference for `unownedExecutor`. The actor must hold the executor.
  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// A system thread for blocking work. A Dispatch queue would use a thread of the pool that runs tasks.
package enum SystemThread {
  /// The number of processors on which this thread may run, as `taskset` or a container's processor set limits them; `nil` if the
  /// system does not tell.
  package static var processorCount: Int? {
    let count = Int(csystem_processor_count())
    return count > 0 ? count : nil
  }

  /// Runs a closure on a new thread, which then ends; `false` if the system provides none. Foundation's `Thread` does not report that.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(Work(body: body))
    let run: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
      guard let context else { return }
      // Balances the retain above. The thread runs once, with the pointer that it was created with.
      Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
    }
    guard csystem_thread_start(run, work.toOpaque()) != 0 else { return true }
    // There is no thread to balance the retain.
    work.release()
    return false
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
