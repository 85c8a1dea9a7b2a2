import Platform

/// Counts the threads that are asked for, gives those that it is told to give, and notices their ends.
final class CountedThreads: Sendable {
  private let counted = Locked(0)
  private let isGiven: @Sendable (_ number: Int) -> Bool
  private let ended = Signal()

  /// - Parameter isGiven: Whether there is a thread when the so-manieth, from 1, is asked for.
  init(isGiven: @escaping @Sendable (_ number: Int) -> Bool = { _ in true }) { self.isGiven = isGiven }

  /// How many were asked for.
  var count: Int { counted.withLock { count in count } }

  func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let number = counted.withLock { count in
      count += 1
      return count
    }
    guard isGiven(number) else { return false }
    return SystemThread.start { [ended] in
      body()
      ended.give()
    }
  }

  /// Whether another thread has come to its end, after waiting for one.
  func oneEnds() -> Bool { ended.comes() }
}
