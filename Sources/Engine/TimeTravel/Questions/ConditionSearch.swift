public import ActionLog
public import EventSourcing

/// A revision at which a condition holds.
public struct ConditionAnswer: Sendable {
  /// The revision; `nil` if the condition holds nowhere in the searched range.
  public let revision: Int?
  /// The action that led to the revision; `nil` at revision 0.
  public let record: LogRecord?
  /// The range of possible answers; `nil` if it is empty. If there is no answer, all of it was searched.
  public let range: ClosedRange<Int>?
  /// The work of the search.
  public let work: QuestionWork
}

extension ConditionAnswer {
  static let nothingToSearch = ConditionAnswer(revision: nil, record: nil, range: nil, work: QuestionWork())

  /// The revisions after one, up to another; with `nil`, all of them up to there.
  static func range(from first: Int, after revision: Int?, upTo last: Int) -> ClosedRange<Int>? {
    guard let revision else { return first...last }
    return revision < last ? revision + 1...last : nil
  }
}

extension History {
  /// Finds the first revision after another at which a condition holds.
  ///
  /// - Parameters:
  ///   - revision: The search begins at the next revision; `nil` begins at revision 0, which has no action and no change.
  ///   - last: The last revision to search; `nil` is the end. If it is not after `revision`, nothing is searched.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, and of the state's coding.
  /// - Complexity: O(distance from the snapshot before the revision to the answer), divided among the processors if there are snapshots
  ///   in a long range. If there is an index of changes and the condition reads only the state, O(distance from the snapshot before
  ///   each block that may have changed one of its values to its end).
  public func firstRevision(
    where condition: Condition, after revision: Int? = nil, upTo last: Int? = nil,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    var walker = try HistoryWalker(self, keepsStates: false)
    return try walker.firstRevision(where: condition, after: revision, upTo: last, options: options)
  }

  /// Finds the last revision before another at which a condition holds.
  ///
  /// - Parameters:
  ///   - revision: The search begins at the previous revision; `nil` begins at the last one.
  ///   - first: The first revision to search. If it is not before `revision`, nothing is searched.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, and of the state's coding.
  /// - Complexity: O(distance from the revision to the last snapshot before the answer).
  public func lastRevision(
    where condition: Condition, before revision: Int? = nil, downTo first: Int = 0,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    var walker = try HistoryWalker(self, keepsStates: false)
    return try walker.lastRevision(where: condition, before: revision, downTo: first, options: options)
  }
}

// The cursor does not move. Its other calls wait; canceling the task, or the callback of the options, ends a search.
extension HistoryCursor {
  /// Finds the first revision after another at which a condition holds: `History.firstRevision(where:after:upTo:options:)` with the
  /// states that the cursor keeps.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - revision: The search begins at the next revision; `nil` begins at revision 0.
  ///   - last: The last revision to search; `nil` is the end. If it is not after `revision`, nothing is searched.
  ///   - options: Whether snapshots are used, and the callbacks for progress and cancellation.
  /// - Throws: As `History.firstRevision(where:after:upTo:options:)`.
  /// - Complexity: O(distance from the nearest kept state before the revision to the answer).
  public func firstRevision(
    where condition: Condition, after revision: Int? = nil, upTo last: Int? = nil,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    defer { walker.settle(at: self.revision) }
    return try walker.firstRevision(where: condition, after: revision, upTo: last, options: options)
  }

  /// Finds the last revision before another at which a condition holds: `History.lastRevision(where:before:downTo:options:)` with the
  /// states that the cursor keeps.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - revision: The search begins at the previous revision; `nil` begins at the last one.
  ///   - first: The first revision to search.
  ///   - options: Whether snapshots are used, and the callbacks for progress and cancellation.
  /// - Throws: As `History.lastRevision(where:before:downTo:options:)`.
  /// - Complexity: O(distance from the revision to the answer) where the history was folded before.
  public func lastRevision(
    where condition: Condition, before revision: Int? = nil, downTo first: Int = 0,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    defer { walker.settle(at: self.revision) }
    return try walker.lastRevision(where: condition, before: revision, downTo: first, options: options)
  }
}

extension HistoryWalk {
  package mutating func firstRevision(
    where condition: Condition, after revision: Int, options: ReplayOptions
  ) throws -> ConditionAnswer {
    try settling { walker in
      try walker.firstRevision(where: condition, after: revision, upTo: nil, options: options)
    }
  }

  package mutating func lastRevision(
    where condition: Condition, before revision: Int, options: ReplayOptions
  ) throws -> ConditionAnswer {
    try settling { walker in
      try walker.lastRevision(where: condition, before: revision, downTo: 0, options: options)
    }
  }
}

// MARK: - The search

extension HistoryWalker {
  mutating func firstRevision(
    where condition: Condition, after revision: Int?, upTo last: Int?, options: ReplayOptions
  ) throws -> ConditionAnswer {
    try asking(options) { walker in
      try walker.firstRevision(ConditionEvaluator(condition), after: revision, upTo: last)
    }
  }

  mutating func firstRevision(
    _ evaluator: ConditionEvaluator<M.State>, after revision: Int?, _ state: M.State? = nil, upTo last: Int?
  ) throws -> ConditionAnswer {
    let known = revisionRange
    let first = try known.checking(revision ?? known.first)
    let last = max(first, try known.checking(last ?? known.last))
    guard let range = ConditionAnswer.range(from: known.first, after: revision, upTo: last) else {
      return .nothingToSearch
    }
    let before = work
    var search = ConditionSearch<M>(evaluator, isCancelled: options.isCancelled)
    let found = try search.visit(
      from: first, to: last, asksFirst: revision == nil, beginning: known.first, endsAtFirst: true
    ) {
      let end = try visit(from: first, state, to: last, of: evaluator.decidingPointers, $0)
      return (report(since: before), end)
    }
    return search.answer(found, in: range)
  }

  /// Finds the last revision before another at which a condition holds.
  ///
  /// A walker that keeps states searches ranges whose lengths double; one that does not searches from snapshot to snapshot.
  mutating func lastRevision(
    where condition: Condition, before revision: Int?, downTo first: Int, options: ReplayOptions
  ) throws -> ConditionAnswer {
    let known = revisionRange
    // Revision 0 stands for the first one, whether or not the log was pruned.
    let first = first == 0 ? known.first : first
    var last =
      try revision.map { revision throws(TimeTravelError) in try known.checking(revision) - 1 } ?? known.last
    guard try known.checking(first) <= last else { return .nothingToSearch }
    let range = first...last
    return try asking(options.countingFolds(upTo: last)) { walker in
      var search = ConditionSearch<M>(ConditionEvaluator(condition), isCancelled: walker.options.isCancelled)
      var length = Self.firstRange
      while true {
        let start = walker.keepsStates ? walker.start(of: length, before: last) : nil
        length = min(2 * length, Self.longestRange)
        let before = walker.work
        var found = try search.visit(
          from: start, to: last, asksFirst: nil, beginning: known.first, endsAtFirst: false
        ) {
          let end = try walker.visit(from: start, to: last, $0)
          return (walker.report(since: before), end)
        }
        if let revision = found.revision, revision < first { (found.revision, found.record) = (nil, nil) }
        if found.revision != nil || found.first < first || found.first == known.first {
          return search.answer(found, in: range)
        }
        last = found.first
      }
    }
  }
}

/// Evaluates a condition in ranges of a history.
struct ConditionSearch<M: Model> {
  /// The result of searching a range.
  struct Found {
    var revision: Int?
    var record: LogRecord?
    var first: Int
  }

  private let evaluator: ConditionEvaluator<M.State>
  private let isCancelled: @Sendable () -> Bool
  private(set) var work = QuestionWork()
  /// The last visited state if it lacks a value of the condition, as all states before it.
  private var visited: VisitedState?
  /// The last state of the range that was visited first, which is the last one.
  private var end: VisitedState?

  init(_ evaluator: ConditionEvaluator<M.State>, isCancelled: @escaping @Sendable () -> Bool) {
    self.evaluator = evaluator
    self.isCancelled = isCancelled
  }

  /// Evaluates the condition at the states of a range.
  ///
  /// - Parameters:
  ///   - asksFirst: Whether the first state can be the answer; `nil` for that of the history only, as other first states end the
  ///     next range.
  mutating func visit(
    from first: Int?, to last: Int, asksFirst: Bool?, beginning: Int, endsAtFirst: Bool,
    _ show: (StateVisitor<M.State>) throws -> (report: ReplayReport, end: M.State)
  ) throws -> Found {
    var found = Found(first: last)
    var count = 0
    var check = CancellationCheck(isCancelled)
    let evaluator = self.evaluator
    let (report, end) = try show(
      StateVisitor(
        from: first,
        begin: { state, revision in
          found.first = revision
          count += 1
          guard try evaluator.holds(at: state), asksFirst ?? (revision == beginning) else { return true }
          found.revision = revision
          return !endsAtFirst
        },
        visit: { state, batch, index in
          count += 1
          try check.pass()
          guard try evaluator.holds(at: state, after: batch.record(at: index)) else { return true }
          found.revision = batch.entries[index].revision
          found.record = batch.record(at: index)
          return !endsAtFirst
        }))
    work.add(report)
    work.statesVisited += count
    visited = evaluator.missingPointers.isEmpty ? nil : VisitedState(end)
    self.end = self.end ?? VisitedState(end)
    return found
  }

  func answer(_ found: Found, in range: ClosedRange<Int>) -> ConditionAnswer {
    var work = work
    work.bytesEncoded = evaluator.bytesEncoded
    work.note(missing: evaluator.missingPointers, in: visited)
    work.hints = evaluator.hints
    work.end = found.revision == nil ? end : nil
    return ConditionAnswer(revision: found.revision, record: found.record, range: range, work: work)
  }
}
