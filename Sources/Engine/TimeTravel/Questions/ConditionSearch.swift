import ActionLog
import EventSourcing

/// Looks at a condition in stretches of a history.
struct ConditionSearch<M: Model> {
  /// What a stretch held.
  struct Found {
    /// The revision that is asked for.
    var revision: Int?
    var record: LogRecord?
    /// Where the stretch began.
    var first: Int
  }

  private let evaluator: ConditionEvaluator<M.State>
  private let isCancelled: @Sendable () -> Bool
  private(set) var work = QuestionWork()

  /// - Parameters:
  ///   - evaluator: Looks at each state, and knows afterwards what may be wrong with the condition.
  ///   - isCancelled: Asked now and then; `true` ends the search.
  init(_ evaluator: ConditionEvaluator<M.State>, isCancelled: @escaping @Sendable () -> Bool) {
    self.evaluator = evaluator
    self.isCancelled = isCancelled
  }

  /// Looks at the states of a stretch.
  ///
  /// - Parameters:
  ///   - first: The revision to begin at; `nil` is where the fold begins.
  ///   - last: The last revision.
  ///   - asksFirst: Whether the first state can be the answer; `nil` for revision 0 only, as others belong to the stretch before.
  ///   - endsAtFirst: Whether the first revision at which the condition holds is wanted, or the last.
  ///   - show: Shows the states, and tells what that took.
  mutating func stretch(
    visitingFrom first: Int?, to last: Int, asksFirst: Bool?, endsAtFirst: Bool,
    _ show: (StateVisitor<M.State>) throws -> ReplayReport
  ) throws -> Found {
    var found = Found(first: last)
    var visited = 0
    var check = CancellationCheck(isCancelled)
    let evaluator = self.evaluator
    let report = try show(
      StateVisitor(
        from: first,
        begin: { state, revision in
          found.first = revision
          visited += 1
          guard try evaluator.holds(at: state), asksFirst ?? (revision == 0) else { return true }
          found.revision = revision
          return !endsAtFirst
        },
        visit: { state, batch, index in
          visited += 1
          try check.pass()
          guard try evaluator.holds(at: state, after: batch.record(at: index)) else { return true }
          found.revision = batch.entries[index].seq
          found.record = batch.record(at: index)
          return !endsAtFirst
        }))
    work.add(report)
    work.statesVisited += visited
    return found
  }

  func answer(_ found: Found, in range: ClosedRange<Int>) -> ConditionAnswer {
    var work = work
    work.bytesEncoded = evaluator.bytesEncoded
    work.emptyPlaces = evaluator.emptyPlaces
    work.hints = evaluator.hints
    return ConditionAnswer(revision: found.revision, record: found.record, range: range, work: work)
  }
}
