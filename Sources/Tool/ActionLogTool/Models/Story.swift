/// A short, hand-made session of an application, for `demo` to tell.
public struct Story<Action: Sendable>: Sendable {
  /// One action, and how long the person waited before it.
  public struct Step: Sendable {
    /// The time since the step before.
    public var pause: Duration
    /// What happened then. The model's reducer accepts it.
    public var action: Action

    /// Makes a step from its parts.
    public init(pause: Duration, action: Action) {
      self.pause = pause
      self.action = action
    }
  }

  /// What happens, in order.
  public var steps: [Step]
  /// The revision that is worth a closer look.
  public var turningPoint: Int

  /// Makes a story.
  ///
  /// - Parameters:
  ///   - steps: What happens, in order; at least one.
  ///   - turningPoint: The revision that is worth a closer look: 1 to the number of steps.
  public init(_ steps: [Step], turningPoint: Int) {
    precondition((1...max(1, steps.count)).contains(turningPoint), "the turning point lies in the story")
    self.steps = steps
    self.turningPoint = turningPoint
  }
}
