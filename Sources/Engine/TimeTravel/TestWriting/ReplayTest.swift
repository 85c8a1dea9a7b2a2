/// A test that folds actions of a history again, as a file of Swift Testing.
///
/// The file needs nothing of the log: it holds a state, actions, and what is expected of the state that they lead to, as JSON that is
/// decoded by the public interface.
public struct ReplayTest: Sendable {
  /// The file.
  public let source: String
  /// How many actions it folds.
  public let actionCount: Int
  /// How many actions the stretch has.
  public let originalCount: Int
  /// Whether none of the actions can be left out; `nil` if none was tried to be.
  public let isMinimal: Bool?
  /// Whether the condition that is expected holds already, so that the test passes as it is written; `nil` if none is expected.
  public let holdsAlready: Bool?
  /// What may be wrong with the condition that is expected and does not hold, as the last state shows.
  public let hints: [QuestionHint]

  /// What is expected of the state.
  public enum Expectation: Sendable {
    /// That it is the one that the history's model folds: a test that passes as it is written.
    case recordedState
    /// That a condition holds in it: a test that fails for as long as a bug is there.
    case condition(Condition)
  }
}
