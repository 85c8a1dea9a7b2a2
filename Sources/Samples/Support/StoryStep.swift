/// One action of a story and the pause before it.
public struct StoryStep<Action: Hashable & Sendable>: Hashable, Sendable {
  /// The time since the previous step, or since the beginning of the story.
  public let pause: Duration
  /// The action.
  public let action: Action

  /// Creates a step.
  package init(_ pause: Duration, _ action: Action) {
    self.pause = pause
    self.action = action
  }
}
