/// How far an asynchronous operation has come. An operation that was never asked for has no status at all: `nil`.
public enum Status: Hashable, Codable, Sendable {
  /// Nothing to say. No rule of this model sets it; it is kept because it can be read from data.
  case empty
  /// Asked for, and not answered yet.
  case waiting
  /// Answered.
  case success
  /// Failed. The text is stored as it was told and never recomputed, because it differs from platform to platform.
  case failure(error: String)
}
