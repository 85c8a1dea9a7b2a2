import ActionLog
public import EventSourcing

extension History {
  /// Finds the first revision behind a point at which a condition holds.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - revision: The revision behind which is looked: the next one is the first that can be the answer; `nil` looks at revision
  ///     0, too, where no action is and nothing has changed.
  ///   - last: The last revision that is looked at; `nil` is the end.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(distance from the snapshot before the revision to the answer).
  public func firstRevision(
    where condition: Condition, after revision: Int? = nil, upTo last: Int? = nil,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    let (first, last) = try bounds(revision ?? 0, last)
    var search = ConditionSearch<M>(condition, options: options)
    let found = try search.stretch(
      self, fromSnapshotAtOrBefore: first, visitingFrom: first, to: last, asksFirst: revision == nil,
      endsAtFirst: true)
    return search.answer(found, in: first...last)
  }

  /// Finds the last revision before a point at which a condition holds.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - revision: The revision before which is looked: the one before it is the first that can be the answer; `nil` looks at the
  ///     last revision, too.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(distance from the revision to the last snapshot before the answer).
  public func lastRevision(
    where condition: Condition, before revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    let end = try lastRevision()
    var last =
      try revision.map { revision throws(TimeTravelError) in
        try RevisionRange(last: end).checking(revision) - 1
      } ?? end
    guard last >= 0 else { return ConditionAnswer(revision: nil, record: nil, range: 0...0, work: QuestionWork()) }
    let range = 0...last
    var search = ConditionSearch<M>(condition, options: options)
    while true {
      let found = try search.stretch(
        self, fromSnapshotAtOrBefore: max(0, last - 1), visitingFrom: nil, to: last, asksFirst: nil, endsAtFirst: false)
      if found.revision != nil || found.first == 0 { return search.answer(found, in: range) }
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

  private let options: ReplayOptions
  private let evaluator: ConditionEvaluator<M.State>
  private(set) var work = QuestionWork()

  init(_ condition: Condition, options: ReplayOptions) {
    self.options = options
    self.evaluator = ConditionEvaluator(condition)
  }

  /// Looks at the states of a stretch.
  ///
  /// - Parameters:
  ///   - bound: The fold begins at a snapshot at or before this revision.
  ///   - first: The revision to begin at; `nil` is where the fold begins.
  ///   - last: The last revision.
  ///   - asksFirst: Whether the first state can be the answer; `nil` for revision 0 only, as others belong to the stretch before.
  ///   - endsAtFirst: Whether the first revision at which the condition holds is wanted, or the last.
  mutating func stretch(
    _ history: History<M>, fromSnapshotAtOrBefore bound: Int, visitingFrom first: Int?, to last: Int, asksFirst: Bool?,
    endsAtFirst: Bool
  ) throws -> Found {
    var found = Found(first: last)
    var visited = 0
    let evaluator = self.evaluator
    let replayed = try history.walk(
      fromSnapshotAtOrBefore: bound, to: last, options: options,
      visitor: StateVisitor(
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
          guard try evaluator.holds(at: state, after: batch.record(at: index)) else { return true }
          found.revision = batch.entries[index].seq
          found.record = batch.record(at: index)
          return !endsAtFirst
        }))
    work.add(replayed.report)
    work.statesVisited += visited
    return found
  }

  func answer(_ found: Found, in range: ClosedRange<Int>) -> ConditionAnswer {
    var work = work
    work.emptyPlaces = evaluator.emptyPlaces
    work.absentMembers = evaluator.absentMembers
    return ConditionAnswer(revision: found.revision, record: found.record, range: range, work: work)
  }
}
