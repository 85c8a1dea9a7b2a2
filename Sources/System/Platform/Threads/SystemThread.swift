internal import CSystem

/// A thread of the system for work that blocks: a queue of Dispatch would take one of those that tasks run on.
package enum SystemThread {
  /// Runs work on a new thread, which ends with it.
  ///
  /// Some 20 microseconds until it runs. Foundation's `Thread` does not tell when there is none to be had.
  ///
  /// - Returns: Whether the system gave one; if not, nothing runs.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(Work(body: body))
    let run: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
      guard let context else { return }
      // The one retain from above, taken once: a thread runs this once, with the pointer that it was made with.
      Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
    }
    guard csystem_thread_start(run, work.toOpaque()) != 0 else { return true }
    // No thread has it.
    work.release()
    return false
  }

  /// What a thread is to do, behind a pointer that C can carry.
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
