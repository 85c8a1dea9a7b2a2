import Dispatch

/// The way off the cooperative pool for calls that wait for another process: the pool has as many threads as the
/// machine has cores, and every other test needs them too.
package enum Blocking {
  private static let queue = DispatchQueue(label: "process-tests.blocking", attributes: .concurrent)

  package static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      start { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  /// Starts work that nobody waits for.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    queue.async(execute: body)
  }
}
