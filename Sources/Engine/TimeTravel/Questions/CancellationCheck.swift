/// Asks now and then whether an answer is still wanted, while states are looked at: a look can cost much more than a fold, which asks
/// by itself.
struct CancellationCheck {
  private let isCancelled: @Sendable () -> Bool
  private var count = 0

  /// So many looks lie between two questions: at a large value they take some milliseconds, and at a small one asking takes no part
  /// of the time. A power of two.
  private static let interval = 64

  init(_ isCancelled: @escaping @Sendable () -> Bool) {
    self.isCancelled = isCancelled
  }

  /// Counts a look.
  ///
  /// - Throws: `CancellationError`.
  mutating func pass() throws(CancellationError) {
    count &+= 1
    if count & (Self.interval - 1) == 0, isCancelled() { throw CancellationError() }
  }
}
