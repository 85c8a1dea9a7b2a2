import Platform
public import SampleSupport

/// A generated sequence of actions for the counter; equal seeds give equal actions on every platform.
///
/// Two taps in three count up, so the value grows with visible jitter. The sequence is infinite: take a prefix.
///
/// ```swift
/// for action in CounterWorkload(seed: 7).prefix(1_000) { try store.dispatch(action: action) }
/// ```
public struct CounterWorkload: Sequence, IteratorProtocol, Sendable {
  private var generator: SplitMix64

  /// Creates a workload.
  public init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  /// The next action. It is never `nil`.
  public mutating func next() -> CounterAction? {
    generator.next() % 3 < 2 ? .didTapIncrementButton : .didTapDecrementButton
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
