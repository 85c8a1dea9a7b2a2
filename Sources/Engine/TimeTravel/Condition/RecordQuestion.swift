public import ActionLog

/// A condition over actions alone, asked of one record after the other; nothing is folded.
///
/// It knows afterwards what may be wrong with the condition. It is a class of its own and is not shared between threads.
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

  /// What may be wrong with the condition, as the records that were looked at show.
  public var hints: [QuestionHint] { evaluator.hints }
}

/// What stands for a state where none is looked at.
private struct NoState: Encodable {}
