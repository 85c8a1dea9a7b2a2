extension Condition {
  /// Says whether a condition over the state alone holds in a state.
  ///
  /// - Parameter state: A state of any model.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that looks at the action or at what changed; what the state's
  ///   coding throws.
  /// - Complexity: O(members on the way to each place that is looked at + size of the values there).
  public func holds(in state: some Encodable & SendableMetatype) throws -> Bool {
    try requireState()
    return try ConditionEvaluator(self).holds(at: state)
  }

  /// Refuses a condition that no state answers by itself.
  func requireState() throws(TimeTravelError) {
    guard !asksForAction, !asksForChange else {
      throw TimeTravelError(
        .unanswerable,
        "a condition over the state alone is needed, and '\(self)' looks at the action or at what changed")
    }
  }
}
