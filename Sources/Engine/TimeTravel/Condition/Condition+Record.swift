public import ActionLog

extension Condition {
  /// Whether the state is looked at, so that no record answers by itself.
  public var asksForState: Bool { !pointers.isEmpty || asksForChange }

  /// Says whether a condition over the action alone holds for a record; ``RecordQuestion`` asks it of many.
  ///
  /// - Parameter record: An action or a control record; nothing is folded.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that looks at the state or at what changed.
  /// - Complexity: O(length of the record).
  public func holds(for record: LogRecord) throws -> Bool {
    try RecordQuestion(self).holds(for: record)
  }
}
