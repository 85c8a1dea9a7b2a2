public import ActionLog

extension Condition {
  /// Whether the state is looked at, so that no record answers by itself.
  public var asksForState: Bool { !pointers.isEmpty || asksForChange }

  /// Says whether a condition over the action alone holds for a record.
  ///
  /// - Parameter record: An action or a control record; nothing is folded.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that looks at the state or at what changed.
  /// - Complexity: O(length of the record).
  public func holds(for record: LogRecord) throws -> Bool {
    guard !asksForState else {
      throw TimeTravelError(.unanswerable, "'\(self)' looks at the state, which a record does not hold")
    }
    return try ConditionEvaluator<NoState>(self).holds(at: NoState(), after: record)
  }
}

/// What stands for a state where none is looked at.
private struct NoState: Encodable {}
