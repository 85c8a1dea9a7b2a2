import Platform

/// Runs work on another thread, soon. That it never runs costs time only.
package struct DecodingExecutor: Sendable {
  private let run: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

  /// An executor of the caller's own, for instance one that runs everything at once.
  package init(_ run: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
    self.run = run
  }

  /// A thread for one replay: never one of the cooperative pool, whose threads must not wait for a disk.
  ///
  /// Where the system gives no thread, the caller's does the work. A queue of Dispatch would wait for one, for ever.
  package static func thread() -> DecodingExecutor {
    let thread = SerialThread()
    return DecodingExecutor { work in thread.async(work) }
  }

  /// Runs work.
  func callAsFunction(_ work: @escaping @Sendable () -> Void) { run(work) }
}
