/// How much of a history an excerpt takes. What is left out is the oldest part, and is told.
public struct ExcerptLimits: Hashable, Sendable {
  /// The most actions.
  public var actions: Int
  /// The most bytes that the actions and their changes take as JSON; the state that the excerpt begins with may take as many.
  public var bytes: Int

  /// Makes limits from their parts.
  ///
  /// - Parameters:
  ///   - actions: The most actions; at least 1.
  ///   - bytes: The most bytes of JSON; at least 1.
  public init(actions: Int = 10_000, bytes: Int = 64 << 20) {
    precondition(actions >= 1 && bytes >= 1, "a limit is at least 1")
    self.actions = actions
    self.bytes = bytes
  }
}
