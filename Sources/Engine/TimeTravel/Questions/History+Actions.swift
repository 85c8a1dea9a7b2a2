public import ActionLog
public import EventSourcing
public import JSONCoding

extension History {
  /// Finds the actions that changed a value and after which a condition holds, oldest first.
  ///
  /// - Parameters:
  ///   - condition: A condition on the action and the state it led to; `nil` for none.
  ///   - pointers: The locations of values. The action changed one of them; empty for none. A change below a location is a
  ///     change at it, too.
  ///   - range: The revisions to search. No action leads to revision 0.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, of the state's coding, and of
  ///   `body`.
  /// - Complexity: O(distance from the snapshot before the range to its end), and the evaluation of each state, divided among the
  ///   processors if there are snapshots in a long range; with an index of changes and `pointers`, as `changes(of:in:options:_:)`.
  @discardableResult
  public func actions(
    where condition: Condition?, touching pointers: [JSONPointer] = [], in range: ClosedRange<Int>,
    options: ReplayOptions = ReplayOptions(), _ body: (LogRecord) throws -> Bool
  ) throws -> QuestionWork {
    try check(range)
    let first = max(firstRevision, range.lowerBound - 1)
    // A condition on consecutive states must see all of them, and hints must see the values that it reads.
    let readsChange = condition?.readsChange ?? false
    let watched = readsChange || pointers.isEmpty ? [] : pointers + (condition?.pointers ?? [])
    let plan = try changePlan(from: first, to: range.upperBound, of: watched, options: options)
    let question = ActionQuestion<M.State>(condition, touching: pointers)
    let visited = try visit(plan, options: options, begin: question.begin) { state, batch, index in
      guard try question.holds(at: state, after: batch.record(at: index)) else { return true }
      return try body(batch.record(at: index))
    }
    return question.adding(to: visited.work, in: visited.state)
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
  ///   print(action.revision, action.record.type)
  ///   return true
  /// }
  /// ```
  ///
  /// A record that an upcaster turns into several actions is found if the filter includes one of them.
  ///
  /// - Parameters:
  ///   - isIncluded: The filter. It receives the state before the action, and the action.
  ///   - range: The revisions to search. No action leads to revision 0.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, of `isIncluded` and of `body`.
  /// - Complexity: O(distance from the snapshot before the range to its end). The state before each action is held while it is
  ///   folded, so a reducer that changes a `Dictionary` copies it; a `TreeDictionary` copies a few nodes.
  /// - SeeAlso: The ImmutableData programming guide, chapters 8 and 12 (`AnimalsFilter`, `QuakesFilter`).
  @discardableResult
  public func actions(
    includedBy isIncluded: (M.State, M.Action) throws -> Bool, in range: ClosedRange<Int>,
    options: ReplayOptions = ReplayOptions(), _ body: (RecordedAction<M.Action>) throws -> Bool
  ) throws -> QuestionWork {
    try check(range)
    let first = max(firstRevision, range.lowerBound - 1)
    var before: M.State?
    let visited = try visit(ChangePlan(from: first, to: range.upperBound), options: options) { state in
      before = state
    } _: { state, batch, index in
      let recorded = try recordedAction(in: batch, at: index)
      defer { before = state }
      guard let oldState = before, try Self.includes(recorded.actions, from: oldState, isIncluded) else { return true }
      return try body(recorded)
    }
    return visited.work
  }

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

/// Finds the actions after which a condition holds, and that touch one of some values.
final class ActionQuestion<State: Encodable & Sendable> {
  private let evaluator: ConditionEvaluator<State>?
  private let watched: [WatchedValue<State>]
  private let readsChange: Bool

  init(_ condition: Condition?, touching pointers: [JSONPointer]) {
    evaluator = condition.map { condition in ConditionEvaluator(condition) }
    readsChange = condition?.readsChange ?? false
    watched = pointers.map { pointer in WatchedValue<State>(pointer) }
  }

  func begin(_ state: State) throws {
    for value in watched { try value.read(state) }
    _ = try evaluator?.holds(at: state)
  }

  func holds(at state: State, after record: @autoclosure () -> LogRecord) throws -> Bool {
    var isTouched = watched.isEmpty
    for value in watched where try value.change(state) != nil { isTouched = true }
    guard isTouched || readsChange else { return false }
    let holds = try evaluator?.holds(at: state, after: record()) ?? true
    return isTouched && holds
  }

  /// Adds what was found to the work of a visit that ended at a state.
  func adding(to work: QuestionWork, in state: State) -> QuestionWork {
    var work = work
    work.hints = evaluator?.hints ?? []
    work.bytesEncoded = watched.reduce(evaluator?.bytesEncoded ?? 0) { sum, value in sum + value.bytesEncoded }
    var missing = watched.filter { value in !value.wasThere }.map(\.probe.pointer)
    for pointer in evaluator?.missingPointers ?? [] where !missing.contains(pointer) { missing.append(pointer) }
    work.note(missing: missing, in: VisitedState(state))
    return work
  }
}

/// Finds matching actions while a history is written: in one range after another, each folded once.
package struct FollowedQuestion<M: Model> {
  private var history: History<M>
  private var state: M.State
  private var revision: Int
  private let question: ActionQuestion<M.State>

  package init(
    _ history: History<M>, after revision: Int, where condition: Condition?, touching pointers: [JSONPointer],
    options: ReplayOptions
  ) throws {
    self.history = try history.refreshed()
    state = try self.history.state(at: revision, options: options)
    self.revision = revision
    question = ActionQuestion(condition, touching: pointers)
  }

  package mutating func revisions(upTo last: Int) throws -> [Int] {
    guard last > revision else { return [] }
    history = try history.refreshed()
    var found: [Int] = []
    let visitor = StateVisitor<M.State>(
      begin: { [question] state, _ in
        try question.begin(state)
        return true
      },
      visit: { [question] state, batch, index in
        if try question.holds(at: state, after: batch.record(at: index)) {
          found.append(batch.record(at: index).revision)
        }
        return true
      })
    let replayed = try history.fold(FoldRequest(state, at: revision, to: last, visitor: visitor))
    (state, revision) = (replayed.state, replayed.revision)
    return found
  }
}
