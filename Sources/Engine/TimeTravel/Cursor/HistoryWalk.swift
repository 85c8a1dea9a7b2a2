package import EventSourcing

/// A place in a history as a value, which can be moved on any thread: what a cursor begins with, and what a screen hands to a
/// thread of its own for a long way.
///
/// A copy goes its own ways; the states that it kept on them can be given back by ``adoptStates(of:)``. Its calls read files
/// and fold, so they block.
package struct HistoryWalk<M: Model>: Sendable {
  private(set) var walker: HistoryWalker<M>
  /// The number of actions applied.
  package private(set) var revision: Int
  /// The state there.
  package private(set) var state: M.State

  /// Begins at a point.
  package init(_ history: History<M>, to point: HistoryPoint) throws {
    var walker = try HistoryWalker(history)
    revision = try point.resolved(in: history, lastRevision: walker.lastRevision)
    state = try walker.state(at: revision)
    walker.settle(at: revision)
    self.walker = walker
  }

  /// The revisions that it can move to. Those recorded since are seen after ``refresh()``.
  package var revisions: ClosedRange<Int> { 0...walker.lastRevision }

  /// Whom to tell of the progress of a long way, and who ends it.
  package var options: ReplayOptions {
    get { walker.options }
    set { walker.options = newValue }
  }

  /// Whether a revision can be reached in the time of a key press.
  ///
  /// - Complexity: O(log *n*) of the states that are kept.
  package func isNear(_ revision: Int) -> Bool { walker.isNear(revision) }

  /// Moves, and tells what is to be seen there.
  ///
  /// A move that fails, or is cancelled, leaves it where it was; what it folded is kept.
  ///
  /// - Parameters:
  ///   - target: The revision to go to.
  ///   - base: The revision to compare with.
  ///   - tree: The state where it is, to which what differs is applied; `nil` encodes the new state as a whole, which costs less
  ///     where much differs.
  /// - Returns: The new state, and what makes it of the one at the base.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  package mutating func move(
    to target: Int, comparedWith base: Int, patching tree: StateTree?
  ) throws -> (tree: StateTree, changes: StateDiff) {
    let known = RevisionRange(last: walker.lastRevision)
    let state = try walker.state(at: known.checking(target))
    let changes = try StateDiff(
      encoding: base == revision ? self.state : walker.state(at: known.checking(base)), to: state)
    let newTree: StateTree
    if let tree {
      let step = base == revision ? changes : try StateDiff(encoding: self.state, to: state)
      newTree = try step.jsonPatch().apply(to: tree)
    } else {
      newTree = try StateTree(encoding: state)
    }
    self.state = state
    revision = target
    walker.settle(at: target)
    return (newTree, changes)
  }

  /// What makes the state of the one at another revision.
  ///
  /// - Throws: As ``move(to:comparedWith:patching:)``.
  package mutating func difference(from base: Int) throws -> StateDiff {
    defer { walker.settle(at: revision) }
    return try StateDiff(encoding: walker.state(at: RevisionRange(last: walker.lastRevision).checking(base)), to: state)
  }

  /// Looks for actions that were recorded since.
  package mutating func refresh() throws { try walker.refresh() }

  /// Takes over the states that another walk through the same history has kept, and what it knows of its end; what this one knows
  /// stays.
  ///
  /// - Complexity: O(*n*) of the states that are kept.
  package mutating func adoptStates(of other: HistoryWalk) {
    walker.adopt(other.walker)
    walker.settle(at: revision)
  }

  /// The work that was done so far, on the ways whose states were taken over, too.
  package var work: CursorWork { walker.work }

  /// Does something with the states, and lets go afterwards of those that are far from where the walk is.
  mutating func settling<Answer>(_ body: (inout HistoryWalker<M>) throws -> Answer) rethrows -> Answer {
    defer { walker.settle(at: revision) }
    return try body(&walker)
  }
}
