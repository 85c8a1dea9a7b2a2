import Dispatch

/// Threads for what blocks. Those of the global queues are the ones that tasks run on: a few blocked calls there would stop
/// every task of the process.
private let blocking = DispatchQueue(label: "store.blocking", attributes: .concurrent)

/// Runs what blocks, for instance calls to the disk, on a thread that may: they do not belong on the cooperative pool.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    blocking.async { continuation.resume(with: Result { try body() }) }
  }
}
