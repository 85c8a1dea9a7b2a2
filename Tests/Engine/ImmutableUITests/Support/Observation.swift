import Observation

/// Waits until an observed value satisfies a condition. It reads the value at the start and after each change, and never in
/// between.
@MainActor func value<Value>(
  of read: @MainActor () -> Value, when isAwaited: (Value) -> Bool
) async -> Value {
  let (changes, teller) = AsyncStream.makeStream(of: Void.self)
  while true {
    let value = withObservationTracking {
      read()
    } onChange: {
      teller.yield()
    }
    if isAwaited(value) { return value }
    for await _ in changes { break }
  }
}

/// Counts the changes that an observer is notified of.
@MainActor final class ChangeCount {
  private(set) var count = 0
  private let read: @MainActor () -> Void

  /// Starts to observe what `read` reads.
  init<Value>(_ read: @escaping @MainActor () -> Value) {
    self.read = { _ = read() }
    observe()
  }

  private func observe() {
    withObservationTracking {
      read()
    } onChange: { [weak self] in
      // Everything that is observed here changes on the main actor. Observing again immediately misses no change: the next one is
      // reported as well, however soon it comes.
      MainActor.assumeIsolated {
        self?.count += 1
        self?.observe()
      }
    }
  }
}
