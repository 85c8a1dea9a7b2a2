public import ActionLog

/// Where a condition holds.
public struct ConditionAnswer: Sendable {
  /// The revision at which it holds; `nil` if there is none where it was looked for.
  public let revision: Int?
  /// The action that led there; `nil` at revision 0.
  public let record: LogRecord?
  /// The revisions that could be the answer: all of them were looked at when there is none; `nil` if there was none to look at.
  public let range: ClosedRange<Int>?
  /// What it took to find out.
  public let work: QuestionWork
}

extension ConditionAnswer {
  /// What is said where no revision lies.
  static let nothingToLookAt = ConditionAnswer(revision: nil, record: nil, range: nil, work: QuestionWork())

  /// The revisions behind one, up to another; all of them up to there for `nil`.
  ///
  /// - Returns: `nil` if there are none.
  static func range(after revision: Int?, upTo last: Int) -> ClosedRange<Int>? {
    guard let revision else { return 0...last }
    return revision < last ? revision + 1...last : nil
  }
}
