public import ActionLog

/// Where a condition holds.
public struct ConditionAnswer: Sendable {
  /// The revision at which it holds; `nil` if there is none where it was looked for.
  public let revision: Int?
  /// The action that led there; `nil` at revision 0.
  public let record: LogRecord?
  /// The revisions that were looked at, or would have been.
  public let range: ClosedRange<Int>
  /// What it took to find out.
  public let work: QuestionWork
}
