/// A made-up history of the counter, the same for the same seed on every platform.
///
/// Two taps in three count up, so that the value grows with a visible jitter. The actions of a shorter workload are the
/// beginning of a longer one with the same seed.
///
/// ```swift
/// for action in CounterWorkload(seed: 7, count: 1_000) { try store.dispatch(action: action) }
/// ```
public struct CounterWorkload: Sequence, IteratorProtocol, Sendable {
  private let seed: UInt64
  private let count: Int
  private var position = 0

  /// Makes a workload.
  ///
  /// - Parameters:
  ///   - seed: Any number; it alone decides what happens.
  ///   - count: How many actions there are, at least 0.
  public init(seed: UInt64, count: Int) {
    precondition(count >= 0, "a workload cannot hold \(count) actions")
    self.seed = seed
    self.count = count
  }

  /// How many actions are left.
  public var underestimatedCount: Int { count - position }

  /// The next action, or `nil` after the last one.
  ///
  /// - Complexity: O(1).
  public mutating func next() -> CounterAction? {
    guard position < count else { return nil }
    defer { position += 1 }
    return Self.bits(seed: seed, position: UInt64(position)) % 3 < 2 ? .didTapIncrementButton : .didTapDecrementButton
  }

  /// The `position`-th output of SplitMix64, a generator whose outputs can be reached in any order.
  ///
  /// - SeeAlso: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
  private static func bits(seed: UInt64, position: UInt64) -> UInt64 {
    var bits = seed &+ (position &+ 1) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
