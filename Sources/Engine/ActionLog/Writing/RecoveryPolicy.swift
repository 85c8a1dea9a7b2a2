/// What a writer does with a torn tail when it opens a log.
public enum RecoveryPolicy: Sendable, Hashable, CaseIterable {
  /// Moves the torn bytes to the quarantine and goes on. Damage is refused.
  case standard
  /// Refuses a torn tail as well, and changes nothing.
  case strict
}
