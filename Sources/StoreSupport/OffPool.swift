import Dispatch

/// Runs what blocks, for instance calls to the disk, on a thread that may: they do not belong on the cooperative pool.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
  }
}
