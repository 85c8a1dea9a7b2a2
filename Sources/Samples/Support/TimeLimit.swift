import Platform

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
    let race = Race<Value>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        race.begin(continuation)
        let worker = Task {
          do { race.end(.success(try await operation())) } catch { race.end(.failure(error)) }
        }
        let timer = Task {
          do { try await clock.sleep(for: duration) } catch { return }
          race.end(
            .failure(TimeLimitError(.timeLimitReached, "no answer within \(duration)", path: name)))
        }
        race.run(worker, timer)
      }
    } onCancel: {
      race.end(.failure(CancellationError()))
    }
  }
}

/// A call that exceeded its time limit. Its path names the party that did not answer.
package typealias TimeLimitError = SampleError<TimeLimitErrorCode>

package enum TimeLimitErrorCode: String, Sendable, CaseIterable {
  case timeLimitReached
}

/// The first of several outcomes, which resumes the waiting continuation and cancels the tasks.
private final class Race<Value: Sendable>: Sendable {
  private struct Contents: Sendable {
    var continuation: CheckedContinuation<Value, any Error>?
    var outcome: Result<Value, any Error>?
    var cancel: (@Sendable () -> Void)?
  }

  private let contents = Locked(Contents())

  /// Sets the continuation to resume. There may already be an outcome: a task can be canceled before it starts.
  func begin(_ continuation: CheckedContinuation<Value, any Error>) {
    let outcome = contents.withLock { contents in
      if contents.outcome == nil { contents.continuation = continuation }
      return contents.outcome
    }
    if let outcome { continuation.resume(with: outcome) }
  }

  func run(_ worker: Task<Void, Never>, _ timer: Task<Void, Never>) {
    let cancel: @Sendable () -> Void = {
      worker.cancel()
      timer.cancel()
    }
    let hasEnded = contents.withLock { contents in
      if contents.outcome == nil { contents.cancel = cancel }
      return contents.outcome != nil
    }
    if hasEnded { cancel() }
  }

  func end(_ outcome: Result<Value, any Error>) {
    let ended = contents.withLock { contents -> Contents? in
      guard contents.outcome == nil else { return nil }
      defer { contents = Contents(outcome: outcome) }
      return contents
    }
    ended?.continuation?.resume(with: outcome)
    ended?.cancel?()
  }
}
