import ActionLog
package import EventSourcing
package import TimeTravel

/// A test that folds actions of a history again, as a file of Swift Testing.
///
/// The file needs nothing of the log: it holds a state, actions, and what is expected of the state that they lead to, as JSON that is
/// decoded by the package interface.
package struct ReplayTest: Sendable {
  /// The file.
  package let source: String
  /// How many actions it folds.
  package let actionCount: Int
  /// How many actions the stretch has.
  package let originalCount: Int
  /// Whether none of the actions can be left out; `nil` if none was tried to be.
  package let isMinimal: Bool?
  /// Whether the condition that is expected holds already, so that the test passes as it is written; `nil` if none is expected.
  package let holdsAlready: Bool?
  /// What may be wrong with the condition that is expected and does not hold, as the last state shows.
  package let hints: [QuestionHint]

  /// What is expected of the state.
  package enum Expectation: Sendable {
    /// That it is the one that the history's model folds: a test that passes as it is written.
    case recordedState
    /// That a condition holds in it: a test that fails for as long as a bug is there.
    case condition(Condition)
  }
}

extension History {
  /// Writes a test that folds a stretch of the history again.
  ///
  /// - Parameters:
  ///   - range: The stretch: the state at the first revision, and the actions behind it up to the last.
  ///   - minimized: A condition over the state alone that holds at the end. Actions are left out for as long as it holds after those
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
  ///   `minimize(_:after:at:trialLimit:options:)`.
  package func replayTest(
    of range: ClosedRange<Int>, minimizedFor minimized: Condition? = nil,
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
    let few = try minimized.map { condition in
      try minimize(condition, after: range.lowerBound, at: range.upperBound, options: options)
    }
    let actions = try few?.actions ?? self.actions(in: range.lowerBound + 1...range.upperBound)
    var end = start
    for recorded in actions {
      for action in recorded.actions { try decoder.fold(action, into: &end, at: RecordSite(recorded.record)) }
    }
    let source = ReplayTestSource<M>(
      range: range, start: start, actions: actions, end: end, expectation: expectation, minimized: minimized,
      log: reader.header.log, isTestable: isTestable)
    var outcome: (holds: Bool, hints: [QuestionHint])?
    if case .condition(let condition) = expectation { outcome = try condition.evaluated(in: end) }
    return ReplayTest(
      source: try source.text(), actionCount: actions.count, originalCount: range.count - 1, isMinimal: few?.isMinimal,
      holdsAlready: outcome?.holds, hints: outcome?.hints ?? [])
  }
}
