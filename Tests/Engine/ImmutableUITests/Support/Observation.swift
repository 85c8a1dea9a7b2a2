import Observation

/// Waits until an observed value is what a test waits for. It looks when it starts and each time that it is told of a
/// change, and never in between.
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

/// Counts how often an observer is told of a change.
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
      // Everything that is observed here is changed on the main actor. Looking again at once misses no change: the
      // next one is told as well, however soon it comes.
      MainActor.assumeIsolated {
        self?.count += 1
        self?.observe()
      }
    }
  }
}
