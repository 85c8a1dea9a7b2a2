import ActionLog
package import EventSourcing
package import JSONCoding

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
