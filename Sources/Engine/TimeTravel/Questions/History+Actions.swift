public import ActionLog
public import EventSourcing
public import JSONCoding

extension History {
  /// Finds the actions of a stretch that changed a value and after which a condition holds, oldest first.
  ///
  /// - Parameters:
  ///   - condition: What is to hold of an action and of the state that it led to; `nil` asks for nothing.
  ///   - pointers: Places of values, one of which the action is to have changed; none asks for nothing. An action that changes a
  ///     value below a place changes the value at it, too.
  ///   - range: The revisions to look at. No action leads to revision 0.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  ///   - body: Takes each action. What it returns says whether to go on.
  /// - Returns: What it took.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, what the state's coding throws, and what
  ///   `body` throws.
  /// - Complexity: O(distance from the snapshot before the range to its end), and a look at each of the states.
  @discardableResult
  public func actions(
    where condition: Condition?, touching pointers: [JSONPointer] = [], in range: ClosedRange<Int>,
    options: ReplayOptions = ReplayOptions(), _ body: (LogRecord) throws -> Bool
  ) throws -> QuestionWork {
    let known = RevisionRange(last: try lastRevision())
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    var work = QuestionWork()
    let question = ActionQuestion<M.State>(condition, touching: pointers)
    let first = max(0, range.lowerBound - 1)
    var check = CancellationCheck(options.isCancelled)
    // The visitor is done with `body` when `walk` returns.
    try withoutActuallyEscaping(body) { body in
      let replayed = try walk(
        fromSnapshotAtOrBefore: first, to: range.upperBound, options: options,
        visitor: StateVisitor(
          from: first,
          begin: { state, _ in
            work.statesVisited += 1
            try question.begin(state)
            return true
          },
          visit: { state, batch, index in
            work.statesVisited += 1
            try check.pass()
            let holds = try question.holds(at: state, after: batch.record(at: index))
            return holds ? try body(batch.record(at: index)) : true
          }))
      work.add(replayed.report)
    }
    question.addHints(to: &work)
    return work
  }
}

extension History {
  /// Finds the recorded actions that a filter includes, oldest first: those that could have changed a selection.
  ///
  /// The filter of a selector is such a predicate over a log:
  ///
  /// ```swift
  /// // Which actions could have changed the list of birds?
  /// try history.actions(includedBy: AnimalsFilter.filterAnimals(categoryId: "Bird"), in: 1...lastRevision) { action in
  ///   print(action.seq, action.record.type)
  ///   return true
  /// }
  /// ```
  ///
  /// A record that an upcaster turns into several actions is found if the filter includes one of them.
  ///
  /// - Parameters:
  ///   - isIncluded: The filter. It receives the state before the action, and the action.
  ///   - range: The revisions to search. No action leads to revision 0.
  ///   - options: Whether snapshots are used, and the callbacks for progress and cancellation.
  ///   - body: Receives each action, and returns whether to continue.
  /// - Returns: The work of the search.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, of `isIncluded` and of `body`.
  /// - Complexity: O(distance from the snapshot before the range to its end). The state before each action is held while it is
  ///   folded, so a reducer that changes a `Dictionary` copies it; a `TreeDictionary` copies a few nodes.
  /// - SeeAlso: The ImmutableData programming guide, chapters 8 and 12 (`AnimalsFilter`, `QuakesFilter`).
  @discardableResult
  public func actions(
    includedBy isIncluded: (M.State, M.Action) throws -> Bool, in range: ClosedRange<Int>,
    options: ReplayOptions = ReplayOptions(), _ body: (RecordedAction<M.Action>) throws -> Bool
  ) throws -> QuestionWork {
    let known = RevisionRange(last: try lastRevision())
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    let first = max(0, range.lowerBound - 1)
    var work = QuestionWork()
    var before: M.State?
    var check = CancellationCheck(options.isCancelled)
    // The visitor does not use the closures after `walk` returns.
    return try withoutActuallyEscaping(isIncluded) { isIncluded in
      try withoutActuallyEscaping(body) { body in
        let replayed = try walk(
          fromSnapshotAtOrBefore: first, to: range.upperBound, options: options,
          visitor: StateVisitor(
            from: first,
            begin: { state, _ in
              work.statesVisited += 1
              before = state
              return true
            },
            visit: { state, batch, index in
              work.statesVisited += 1
              try check.pass()
              let recorded = try recordedAction(in: batch, at: index)
              defer { before = state }
              guard let oldState = before, try Self.includes(recorded.actions, from: oldState, isIncluded) else {
                return true
              }
              return try body(recorded)
            }))
        work.add(replayed.report)
        return work
      }
    }
  }

  /// Whether a filter includes one of the actions of a record.
  private static func includes(
    _ actions: [M.Action], from oldState: M.State, _ isIncluded: (M.State, M.Action) throws -> Bool
  ) throws -> Bool {
    var state = oldState
    for (index, action) in actions.enumerated() {
      if try isIncluded(state, action) { return true }
      if index < actions.count - 1 { try M.reduce(into: &state, action: action) }
    }
    return false
  }
}

/// What is asked of the actions of a stretch, one after the other: that a value was changed, and that a condition holds behind it.
///
/// It is a class of its own and is not shared between threads.
final class ActionQuestion<State: Encodable & SendableMetatype> {
  private let evaluator: ConditionEvaluator<State>?
  private let watched: [WatchedValue<State>]
  /// What has changed can only be said of one state after the other.
  private let isAskedAlways: Bool

  /// - Parameters:
  ///   - condition: What is to hold; `nil` asks for nothing.
  ///   - pointers: Places of values, one of which is to be changed; none asks for nothing.
  init(_ condition: Condition?, touching pointers: [JSONPointer]) {
    evaluator = condition.map(ConditionEvaluator<State>.init)
    isAskedAlways = condition?.asksForChange ?? false
    watched = pointers.map { pointer in WatchedValue<State>(pointer) }
  }

  /// Looks at the state before a stretch.
  func begin(_ state: State) throws {
    for value in watched { try value.read(state) }
    _ = try evaluator?.holds(at: state)
  }

  /// Whether the next action of the stretch is one of those that are asked for.
  ///
  /// - Parameters:
  ///   - state: The state that it led to.
  ///   - record: The action. It is asked for only where it counts.
  func holds(at state: State, after record: @autoclosure () -> LogRecord) throws -> Bool {
    var isTouched = watched.isEmpty
    for value in watched where try value.change(state) != nil { isTouched = true }
    guard isTouched || isAskedAlways else { return false }
    let holds = try evaluator?.holds(at: state, after: record()) ?? true
    return isTouched && holds
  }

  /// Adds what may be wrong with the question, as the visited states show, and the bytes that they took.
  func addHints(to work: inout QuestionWork) {
    work.emptyPlaces = watched.filter { value in !value.wasThere }.map(\.probe.pointer)
    work.hints = evaluator?.hints ?? []
    work.bytesEncoded = watched.reduce(evaluator?.bytesEncoded ?? 0) { sum, value in sum + value.bytesEncoded }
    for pointer in evaluator?.emptyPlaces ?? [] where !work.emptyPlaces.contains(pointer) {
      work.emptyPlaces.append(pointer)
    }
  }
}

/// Finds, while a history is written, the actions that changed a value and behind which a condition holds: of one stretch after the
/// other, each folded once.
package struct FollowedQuestion<M: Model> {
  private var history: History<M>
  private var state: M.State
  private var revision: Int
  private let question: ActionQuestion<M.State>

  /// Begins behind a revision.
  ///
  /// - Parameters:
  ///   - history: The history.
  ///   - revision: The revision; the first action that is looked at is the one behind it.
  ///   - condition: What is to hold of an action and of the state that it led to; `nil` asks for nothing.
  ///   - pointers: Places of values, one of which the action is to have changed; none asks for nothing.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Throws: What reading and folding throw.
  /// - Complexity: O(distance from the snapshot before the revision).
  package init(
    _ history: History<M>, after revision: Int, where condition: Condition?, touching pointers: [JSONPointer],
    options: ReplayOptions
  ) throws {
    self.history = try history.refreshed()
    state = try self.history.state(at: revision, options: options).state
    self.revision = revision
    question = ActionQuestion(condition, touching: pointers)
  }

  /// Goes on to a later revision.
  ///
  /// - Parameter last: The revision. What leads to it must be written by now.
  /// - Returns: The revisions of the actions that were found, in order.
  /// - Throws: What reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(number of actions that were not looked at yet), and a look at each of the states.
  package mutating func revisions(upTo last: Int) throws -> [Int] {
    guard last > revision else { return [] }
    history = try history.refreshed()
    var found: [Int] = []
    let replayed = try history.walk(
      state, from: revision, to: last,
      visitor: StateVisitor(
        begin: { [question] state, _ in
          try question.begin(state)
          return true
        },
        visit: { [question] state, batch, index in
          if try question.holds(at: state, after: batch.record(at: index)) {
            found.append(batch.record(at: index).seq)
          }
          return true
        }))
    (state, revision) = (replayed.state, replayed.revision)
    return found
  }
}
