/// How a log ends, as far as it can be read.
public enum LogEnding: Sendable {
  /// With a whole line that is not `@close`: a writer is at work, or died without having torn anything.
  case clean
  /// With `@close`.
  case closed
  /// With bytes that are no whole line: a batch that a crash has cut, or that a live writer is just writing. None of it
  /// was acknowledged.
  case torn(bytes: Int, place: LogPlace)
  /// With damage: the error says where. What comes after is not read.
  case damaged(LogError)

  /// The damage, if that is how it ends.
  public var damage: LogError? {
    if case .damaged(let error) = self { return error }
    return nil
  }
}
