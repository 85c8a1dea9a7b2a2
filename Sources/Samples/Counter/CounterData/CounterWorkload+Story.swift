extension CounterWorkload {
  /// One action of a story and how long the person waited before it.
  public struct Step: Hashable, Sendable {
    /// The time since the step before, or since the story began.
    public let pause: Duration
    /// What happened then.
    public let action: CounterAction

    init(_ pause: Duration, _ action: CounterAction) {
      self.pause = pause
      self.action = action
    }
  }

  /// Somebody counts guests at a door: five come, two leave, one of them comes back, a tap too many is taken back.
  ///
  /// Every step is accepted; the value at the end is 4.
  public static let story: [Step] = [
    // A couple arrives, then one more, then two friends.
    Step(.milliseconds(2_400), .didTapIncrementButton),
    Step(.milliseconds(310), .didTapIncrementButton),
    Step(.seconds(41), .didTapIncrementButton),
    Step(.seconds(75), .didTapIncrementButton),
    Step(.milliseconds(280), .didTapIncrementButton),
    // Two step out; one of them forgot a coat.
    Step(.seconds(612), .didTapDecrementButton),
    Step(.milliseconds(1_150), .didTapDecrementButton),
    Step(.seconds(23), .didTapIncrementButton),
    // A tap too many, noticed at once.
    Step(.milliseconds(190), .didTapIncrementButton),
    Step(.milliseconds(1_730), .didTapDecrementButton),
  ]
}
