public import ActionLog
public import EventSourcing

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

extension History {
  /// Finds the first revision behind a point at which a condition holds.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - revision: The revision behind which is looked: the next one is the first that can be the answer; `nil` looks at revision
  ///     0, too, where no action is and nothing has changed.
  ///   - last: The last revision that is looked at; `nil` is the end. Nothing is looked at when it does not lie behind `revision`.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(distance from the snapshot before the revision to the answer).
  public func firstRevision(
    where condition: Condition, after revision: Int? = nil, upTo last: Int? = nil,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    let (first, last) = try bounds(revision ?? 0, last)
    guard let range = ConditionAnswer.range(after: revision, upTo: last) else { return .nothingToLookAt }
    var search = ConditionSearch<M>(ConditionEvaluator(condition), isCancelled: options.isCancelled)
    let found = try search.stretch(visitingFrom: first, to: last, asksFirst: revision == nil, endsAtFirst: true) {
      try walk(fromSnapshotAtOrBefore: first, to: last, options: options, visitor: $0).report
    }
    return search.answer(found, in: range)
  }

  /// Finds the last revision before a point at which a condition holds.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - revision: The revision before which is looked: the one before it is the first that can be the answer; `nil` looks at the
  ///     last revision, too.
  ///   - first: The first revision that can be the answer. Nothing is looked at when it does not lie before `revision`.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(distance from the revision to the last snapshot before the answer).
  public func lastRevision(
    where condition: Condition, before revision: Int? = nil, downTo first: Int = 0,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    let known = RevisionRange(last: try lastRevision())
    var last =
      try revision.map { revision throws(TimeTravelError) in try known.checking(revision) - 1 } ?? known.last
    guard try known.checking(first) <= last else { return .nothingToLookAt }
    let range = first...last
    let options = options.countingFolds(upTo: last)
    var search = ConditionSearch<M>(ConditionEvaluator(condition), isCancelled: options.isCancelled)
    while true {
      var found = try search.stretch(visitingFrom: nil, to: last, asksFirst: nil, endsAtFirst: false) {
        try walk(fromSnapshotAtOrBefore: max(0, last - 1), to: last, options: options, visitor: $0).report
      }
      if let revision = found.revision, revision < first { (found.revision, found.record) = (nil, nil) }
      if found.revision != nil || found.first < first || found.first == 0 { return search.answer(found, in: range) }
      last = found.first
    }
  }

  private func bounds(_ first: Int, _ last: Int?) throws -> (Int, Int) {
    let known = RevisionRange(last: try lastRevision())
    let first = try known.checking(first)
    return (first, max(first, try known.checking(last ?? known.last)))
  }
}

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
