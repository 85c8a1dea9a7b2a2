public import ActionLog

/// A condition over actions alone, asked of one record after the other; nothing is folded.
///
/// It knows afterwards which values no record had. It is a class of its own and is not shared between threads.
public final class RecordQuestion {
  /// The condition.
  public let condition: Condition

  private let evaluator: ConditionEvaluator<NoState>

  /// Makes a question.
  ///
  /// - Parameter condition: A condition that looks at the action alone.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that looks at the state or at what changed.
  public init(_ condition: Condition) throws(TimeTravelError) {
    guard !condition.asksForState else {
      throw TimeTravelError(.unanswerable, "'\(condition)' looks at the state, which a record does not hold")
    }
    self.condition = condition
    evaluator = ConditionEvaluator(condition)
  }

  /// Says whether the condition holds for a record.
  ///
  /// - Parameter record: An action or a control record.
  /// - Throws: `JSONError`, for a record that was not read from a log.
  /// - Complexity: O(length of the record).
  public func holds(for record: LogRecord) throws -> Bool {
    try evaluator.holds(at: NoState(), after: record)
  }

  /// The values that were looked for, and that no record had.
  public var absentMembers: [AbsentMember] { evaluator.absentMembers }
}

/// What stands for a state where none is looked at.
private struct NoState: Encodable {}
