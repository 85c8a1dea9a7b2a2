import ActionLog
public import EventSourcing

extension History {
  /// Writes a test that folds a stretch of the history again.
  ///
  /// - Parameters:
  ///   - range: The stretch: the state at the first revision, and the actions behind it up to the last.
  ///   - minimised: A condition over the state alone that holds at the end. Actions are left out for as long as it holds after those
  ///     that remain; `nil` keeps all.
  ///   - expectation: What the test expects of the state that the actions lead to.
  ///   - isTestable: Whether the model's module is imported with `@testable`, for a model that is not public.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Returns: The file. With ``ReplayTest/Expectation/recordedState`` it compiles and passes as it is.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; ``TimeTravelError/Code/doesNotHold`` for a
  ///   condition that does not hold at the end, ``TimeTravelError/Code/unanswerable`` for a stretch without actions, and for a
  ///   condition that holds before any action, or looks at the action or at what changed;
  ///   ``TimeTravelError/Code/notRepresentable`` when the model has no name that a file could use, or a state does not come back from
  ///   its own coding; what reading and folding throw.
  /// - Complexity: O(length of the stretch + size of the states) beside finding the first state; see
  ///   `minimise(_:after:at:trialLimit:options:)`.
  public func replayTest(
    of range: ClosedRange<Int>, minimisedFor minimised: Condition? = nil,
    expecting expectation: ReplayTest.Expectation = .recordedState, isTestable: Bool = false,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ReplayTest {
    let known = RevisionRange(last: try lastRevision())
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    guard range.count > 1 else {
      throw TimeTravelError(.unanswerable, "a test needs actions, and none lie between the two points")
    }
    if case .condition(let condition) = expectation { try condition.requireState() }
    let start = try state(at: range.lowerBound, options: options).state
    let few = try minimised.map { condition in
      try minimise(condition, after: range.lowerBound, at: range.upperBound, options: options)
    }
    let actions = try few?.actions ?? self.actions(in: range.lowerBound + 1...range.upperBound)
    var end = start
    for recorded in actions {
      for action in recorded.actions { try decoder.fold(action, into: &end, at: RecordSite(recorded.record)) }
    }
    let source = ReplayTestSource<M>(
      range: range, start: start, actions: actions, end: end, expectation: expectation, minimised: minimised,
      log: reader.header.log, isTestable: isTestable)
    let (holdsAlready, hints) = try Self.outcome(of: expectation, in: end)
    return ReplayTest(
      source: try source.text(), actionCount: actions.count, originalCount: range.count - 1, isMinimal: few?.isMinimal,
      holdsAlready: holdsAlready, hints: hints)
  }

  /// Whether what is expected is so, and what may be wrong with it if not.
  private static func outcome(
    of expectation: ReplayTest.Expectation, in end: M.State
  ) throws -> (holds: Bool?, hints: [QuestionHint]) {
    guard case .condition(let condition) = expectation else { return (nil, []) }
    let evaluator = ConditionEvaluator<M.State>(condition)
    guard try !evaluator.holds(at: end) else { return (true, []) }
    var work = QuestionWork()
    work.emptyPlaces = evaluator.emptyPlaces
    work.hints = evaluator.hints
    return (false, try work.hints { try StateTree(encoding: end) })
  }
}
