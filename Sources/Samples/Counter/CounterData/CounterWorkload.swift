import Platform
public import SampleSupport

/// A generated sequence of actions for the counter; equal seeds give equal actions on every platform.
///
/// Two taps in three count up, so the value grows with visible jitter. A shorter workload is a prefix of a longer one
/// with the same seed.
///
/// ```swift
/// for action in CounterWorkload(seed: 7, count: 1_000) { try store.dispatch(action: action) }
/// ```
public struct CounterWorkload: Sequence, IteratorProtocol, Sendable {
  private var generator: SplitMix64
  private let count: Int
  private var position = 0

  /// Creates a workload.
  public init(seed: UInt64, count: Int) {
    precondition(count >= 0, "a workload cannot hold \(count) actions")
    generator = SplitMix64(seed: seed)
    self.count = count
  }

  /// The number of remaining actions.
  public var underestimatedCount: Int { count - position }

  /// The next action, or `nil` after the last one.
  public mutating func next() -> CounterAction? {
    guard position < count else { return nil }
    defer { position += 1 }
    return generator.next() % 3 < 2 ? .didTapIncrementButton : .didTapDecrementButton
  }
}

extension CounterWorkload {
  /// A step of the story.
  public typealias Step = StoryStep<CounterAction>

  /// A story in which the user counts guests at a door: five come, two leave, one returns, and a mistaken tap is
  /// undone.
  ///
  /// Every step is accepted. The final value is 4.
  public static let story: [Step] = [
    // A couple arrives, then one more, then two friends.
    Step(.milliseconds(2_400), .didTapIncrementButton),
    Step(.milliseconds(310), .didTapIncrementButton),
    Step(.seconds(41), .didTapIncrementButton),
    Step(.seconds(75), .didTapIncrementButton),
    Step(.milliseconds(280), .didTapIncrementButton),
    // Two leave, and one returns for a coat.
    Step(.seconds(612), .didTapDecrementButton),
    Step(.milliseconds(1_150), .didTapDecrementButton),
    Step(.seconds(23), .didTapIncrementButton),
    // A mistaken tap, undone at once.
    Step(.milliseconds(190), .didTapIncrementButton),
    Step(.milliseconds(1_730), .didTapDecrementButton),
  ]
}
