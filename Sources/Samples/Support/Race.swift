import Platform

/// The first of several outcomes, given to whoever waits for it.
final class Race<Value: Sendable>: Sendable {
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
