import Platform

/// A source of threads that counts the requests, refuses some of them, and observes the end of each thread.
final class CountedThreads: Sendable {
  private let counted = Locked(0)
  private let isGiven: @Sendable (_ number: Int) -> Bool
  private let ended = Signal()

  /// - Parameter isGiven: Whether to provide a thread for a request. Requests are numbered from 1.
  init(isGiven: @escaping @Sendable (_ number: Int) -> Bool = { _ in true }) { self.isGiven = isGiven }

  /// The number of requests.
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

  /// Waits for another thread to end, and returns whether one did.
  func oneEnds() -> Bool { ended.comes() }
}
