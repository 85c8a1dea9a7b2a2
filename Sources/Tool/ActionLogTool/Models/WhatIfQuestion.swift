import ActionLog
import EventSourcing
import TimeTravel

/// What a command asks of a history that is to be otherwise.
struct WhatIfQuestion: Sendable {
  var edits: [HistoryEdit]
  /// The revision up to which is asked; `nil` is the end.
  var last: Int?
  /// Where a log is to be made of the branch.
  var target: String?
  /// Clock and identifier of that log.
  var environment: LogEnvironment
}

/// A `WhatIfAnswer` without the model's type.
struct WhatIfResult: Sendable {
  var difference: StateDiff
  var firstDivergence: Int?
  var refusals: [BranchRefusal]
  var refusedCount: Int
  var stem: Int
  var counts: (history: Int, branch: Int)
  var work: QuestionWork
  /// The last revision of the log that was made.
  var branchRevision: Int?
  /// What the log that was made has in common with the one that it comes from.
  var parent: LogHeader.Parent?

  init<State>(_ answer: WhatIfAnswer<State>) {
    difference = answer.difference
    firstDivergence = answer.firstDivergence
    refusals = answer.refusals
    refusedCount = answer.refusedCount
    stem = answer.stem
    counts = answer.counts
    work = answer.work
  }

  init<State>(_ report: BranchReport<State>) {
    self.init(report.answer)
    branchRevision = report.lastRevision
    parent = report.parent
  }
}

extension History {
  /// Answers a question with the model of the history.
  func answer(_ question: WhatIfQuestion, _ options: ReplayOptions) throws -> WhatIfResult {
    guard let target = question.target else {
      return WhatIfResult(try whatIf(question.edits, upTo: question.last, options: options))
    }
    return WhatIfResult(
      try branch(
        question.edits, to: target, upTo: question.last, environment: question.environment, options: options))
  }

  /// Answers a question with another model.
  func answer<Other: Model>(
    _ question: WhatIfQuestion, foldedBy other: Other.Type, _ options: ReplayOptions
  ) throws -> WhatIfResult {
    guard let target = question.target else {
      return WhatIfResult(try whatIf(question.edits, foldedBy: other, upTo: question.last, options: options))
    }
    return WhatIfResult(
      try branch(
        question.edits, to: target, foldedBy: other, upTo: question.last, environment: question.environment,
        options: options))
  }
}
