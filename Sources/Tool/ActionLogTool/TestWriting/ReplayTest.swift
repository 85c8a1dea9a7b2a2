import ActionLog
package import EventSourcing
package import TimeTravel

/// A test that folds actions of a history, as a file of Swift Testing.
///
/// The file does not need the log: it contains a state, the actions, and the expected result, as JSON.
package struct ReplayTest: Sendable {
  /// The text of the file.
  package let source: String
  /// The number of actions in the test.
  package let actionCount: Int
  /// The number of actions in the range.
  package let originalCount: Int
  /// Whether no action can be removed; `nil` if that was not tried.
  package let isMinimal: Bool?
  /// Whether the expected condition already holds, so that the test passes; `nil` without a condition.
  package let holdsAlready: Bool?
  /// Possible mistakes in a condition that does not hold, as the last state shows them.
  package let hints: [QuestionHint]

  /// The expectation of the test.
  package enum Expectation: Sendable {
    /// The state that the history's model folds: the test passes as it is written.
    case recordedState
    /// A condition on the state: the test fails while the bug exists.
    case condition(Condition)
  }
}

extension History {
  /// Writes a test that folds a range of the history.
  ///
  /// - Parameters:
  ///   - range: The revision of the first state, up to that of the last action.
  ///   - minimized: A condition over the state alone that holds at the end. Only the actions that suffice for it are kept;
  ///     `nil` keeps all.
  ///   - expectation: The expectation of the test.
  ///   - isTestable: Whether to import the model's module with `@testable`, for a model that is not public.
  ///   - options: Whether snapshots are used, and the callbacks for progress and cancellation.
  /// - Returns: The test. With ``ReplayTest/Expectation/recordedState`` it compiles and passes as it is written.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; ``TimeTravelError/Code/doesNotHold`` for a condition that does not
  ///   hold at the end; ``TimeTravelError/Code/unanswerable`` for a range without actions, and for a condition that holds
  ///   before any action, or reads the action or a change; ``TimeTravelError/Code/notRepresentable`` if a file cannot name the
  ///   model, or a state does not decode as itself; the errors of reading and folding.
  /// - Complexity: O(length of the range + size of the states), and finding the first state; see
  ///   `minimize(_:after:at:trialLimit:options:)`.
  package func replayTest(
    of range: ClosedRange<Int>, minimizedFor minimized: Condition? = nil,
    expecting expectation: ReplayTest.Expectation = .recordedState, isTestable: Bool = false,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ReplayTest {
    let known = RevisionRange(of: self, last: try lastRevision())
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    guard range.count > 1 else {
      throw TimeTravelError(.unanswerable, "a test needs actions, and there are none between the two points")
    }
    if case .condition(let condition) = expectation { try condition.requireState() }
    let start = try state(at: range.lowerBound, options: options)
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
