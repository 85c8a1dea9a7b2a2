import Platform

/// Counts up from 1, from any thread.
final class Ticks: Sendable {
  private let count = Locked<Int64>(0)

  func next() -> Int64 {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
