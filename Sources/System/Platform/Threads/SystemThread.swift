internal import CSystem

/// A system thread for blocking work. A Dispatch queue would use a thread of the pool that runs tasks.
package enum SystemThread {
  /// Runs a closure on a new thread, which then ends.
  ///
  /// Starting takes about 20 microseconds. Foundation's `Thread` does not report failure to start.
  ///
  /// - Returns: Whether the system provided a thread; if not, nothing runs.
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

  /// A closure that C code can hold by a pointer.
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
