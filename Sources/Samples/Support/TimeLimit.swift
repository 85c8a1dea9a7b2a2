/// A time limit for calls. A call that exceeds it fails like any other call, so no status waits forever and a call that
/// hangs does not block later ones.
package struct TimeLimit: Sendable {
  package var duration: Duration
  package var clock: any Clock<Duration>

  package init(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
    self.duration = duration
    self.clock = clock
  }
}

extension TimeLimit {
  /// Runs an operation and waits for its result for at most the limit.
  ///
  /// When the limit is reached, or the calling task is canceled, the operation is canceled and abandoned. Its end is
  /// not awaited, because it may ignore the cancellation.
  package func run<Value: Sendable>(
    waitingFor name: String, _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    // The first outcome counts. A canceled task does not wait for one.
    let (outcomes, continuation) = AsyncThrowingStream<Value, any Error>.makeStream()
    let worker = Task {
      do {
        continuation.yield(try await operation())
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    let timer = Task {
      try await clock.sleep(for: duration)
      continuation.finish(throwing: TimeLimitError(.timeLimitReached, "no answer within \(duration)", path: name))
    }
    defer {
      worker.cancel()
      timer.cancel()
    }
    for try await value in outcomes { return value }
    throw CancellationError()
  }
}

/// A call that exceeded its time limit. Its path names the party that did not answer.
package typealias TimeLimitError = SampleError<TimeLimitErrorCode>

package enum TimeLimitErrorCode: String, Sendable, CaseIterable {
  case timeLimitReached
}
