import Platform

/// A clock whose sleepers wake when a test says, so that a limit of time is reached without waiting for it.
package final class SwitchedClock: Clock, Sendable {
  private struct Contents: Sendable {
    var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
    var next = 0
    var cancelled: Set<Int> = []
  }

  private let contents = Locked(Contents())

  /// Makes a clock that stands still.
  package init() {}

  package var now: ContinuousClock.Instant { ContinuousClock().now }
  package var minimumResolution: Duration { .zero }

  /// How many sleep now.
  package var sleeperCount: Int { contents.withLock { contents in contents.sleepers.count } }

  /// Wakes everybody who sleeps now.
  package func strike() {
    let sleepers = contents.withLock { contents in
      defer { contents.sleepers = [:] }
      return contents.sleepers.values.map(\.self)
    }
    for sleeper in sleepers { sleeper.resume() }
  }

  package func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    let number = contents.withLock { contents in
      contents.next += 1
      return contents.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = contents.withLock { contents in
          let isCancelled = contents.cancelled.remove(number) != nil
          if !isCancelled { contents.sleepers[number] = continuation }
          return isCancelled
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = contents.withLock { contents in
        let sleeper = contents.sleepers.removeValue(forKey: number)
        if sleeper == nil { contents.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.resume(throwing: CancellationError())
    }
  }
}
