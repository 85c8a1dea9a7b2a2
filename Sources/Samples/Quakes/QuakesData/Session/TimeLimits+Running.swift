import SampleSupport

extension TimeLimits {
  /// Runs an operation, and waits for it no longer than a limit.
  package func run<Value: Sendable>(
    _ limit: Duration, waitingFor name: String, _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await TimeLimit(limit, clock: clock).run(
      orThrow: { message in TimeLimitError(code: .timeLimitReached, message: message, path: name) }, operation)
  }
}
