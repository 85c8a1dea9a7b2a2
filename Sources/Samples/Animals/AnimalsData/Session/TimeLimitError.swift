/// A limit of time that was reached.
public struct TimeLimitError: Error, Equatable, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// No answer came in time.
    case timeLimitReached
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened: lower case, without place.
  public var message: String
  /// Who did not answer.
  public var path: String
}
