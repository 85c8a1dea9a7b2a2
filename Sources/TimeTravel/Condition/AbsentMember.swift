import TextDisplay

/// A value of actions that a question named, and that no action that was looked at had: mistyped, perhaps.
public struct AbsentMember: Hashable, Sendable {
  /// The value as it is written in a condition, for instance `data/animalId`.
  public let name: String
  /// The names of members that may have been meant, best first.
  public let suggestions: [String]
}

extension AbsentMember: CustomStringConvertible {
  /// For instance `no action that was looked at has data/animlaId. Did you mean "animalId"?`
  public var description: String {
    TimeTravelError(
      .notFound, "no action that was looked at has \(TerminalText.escaping(name))", suggestions: suggestions
    ).headline
  }
}
