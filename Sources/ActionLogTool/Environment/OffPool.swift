import Dispatch

/// The way off the cooperative thread pool for work that blocks.
package enum OffPool {
  private static let queue = DispatchQueue(label: "action-log.command", attributes: .concurrent)

  /// Runs `body` on a thread that may block.
  package static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Swift.Result { try body() })
      }
    }
  }
}
