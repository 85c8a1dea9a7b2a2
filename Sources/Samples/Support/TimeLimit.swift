/// How long somebody waits for an answer. A limit that is reached is a failure like any other, so that no status waits
/// for ever and no call that hangs stops all later ones.
package struct TimeLimit: Sendable {
  /// How long.
  package var duration: Duration
  /// What measures the time.
  package var clock: any Clock<Duration>

  /// Makes a limit.
  package init(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
    self.duration = duration
    self.clock = clock
  }
}

extension TimeLimit {
  /// Runs an operation, and waits for it no longer than the limit.
  ///
  /// An operation that does not answer is cancelled and left to itself: it may ignore that, which is why nobody waits
  /// for its end. The same holds when the calling task is cancelled.
  ///
  /// - Parameters:
  ///   - makeError: The error to throw when the limit is reached, from what happened.
  ///   - operation: What to wait for.
  package func run<Value: Sendable>(
    orThrow makeError: @escaping @Sendable (_ message: String) -> any Error,
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let race = Race<Value>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        race.begin(continuation)
        let worker = Task {
          do { race.end(.success(try await operation())) } catch { race.end(.failure(error)) }
        }
        let timer = Task {
          do { try await clock.sleep(for: duration) } catch { return }
          race.end(.failure(makeError("no answer within \(duration)")))
        }
        race.run(worker, timer)
      }
    } onCancel: {
      race.end(.failure(CancellationError()))
    }
  }
}
