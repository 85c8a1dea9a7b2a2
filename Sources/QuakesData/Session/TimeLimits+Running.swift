import Locking

extension TimeLimits {
  /// Runs an operation, and waits for it no longer than a limit.
  ///
  /// An operation that does not answer is cancelled and left to itself: it may ignore that, which is why nobody waits
  /// for its end. The same holds when the calling task is cancelled.
  func run<Value: Sendable>(
    _ limit: Duration, waitingFor name: String, _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let race = Race<Value>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        race.begin(continuation)
        let worker = Task {
          do { race.end(.success(try await operation())) } catch { race.end(.failure(error)) }
        }
        let timer = Task { [clock] in
          do { try await clock.sleep(for: limit) } catch { return }
          race.end(
            .failure(TimeLimitError(code: .timeLimitReached, message: "no answer within \(limit)", path: name)))
        }
        race.run(worker, timer)
      }
    } onCancel: {
      race.end(.failure(CancellationError()))
    }
  }
}

/// The first of several outcomes, given to whoever waits for it.
private final class Race<Value: Sendable>: Sendable {
  private struct Contents: Sendable {
    var continuation: CheckedContinuation<Value, any Error>?
    var outcome: Result<Value, any Error>?
    var cancel: (@Sendable () -> Void)?
  }

  private let contents = Locked(Contents())

  /// Who waits. The outcome may be there already: a task can be cancelled before it starts.
  func begin(_ continuation: CheckedContinuation<Value, any Error>) {
    let outcome = contents.withLock { contents in
      if contents.outcome == nil { contents.continuation = continuation }
      return contents.outcome
    }
    if let outcome { continuation.resume(with: outcome) }
  }

  /// Who works, to be cancelled when there is an outcome.
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
