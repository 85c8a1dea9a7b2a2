package import EventSourcing

/// A position in a history as a value that can be moved on any thread. A cursor begins with one. A screen that draws a nearby
/// state at once moves one itself, and hands a copy to another thread for a long move.
///
/// A copy moves independently; ``adoptStates(of:)`` takes over the states that it kept. Calls read files and fold, so they
/// block.
package struct HistoryWalk<M: Model>: Sendable {
  private(set) var walker: HistoryWalker<M>
  package private(set) var revision: Int
  package private(set) var state: M.State
  package private(set) var containersRebuilt = 0

  /// Begins at a point.
  ///
  /// - Parameter isFrugal: Whether fewer states are kept far from the position (``KeyframeCache/frugalCoarseLimit``), so that a long
  ///   jump takes a little longer.
  package init(_ history: History<M>, to point: HistoryPoint, isFrugal: Bool = false) throws {
    typealias Cache = KeyframeCache<M.State>
    var walker = try HistoryWalker(history, coarseLimit: isFrugal ? Cache.frugalCoarseLimit : Cache.coarseLimit)
    revision = try point.resolved(in: history, lastRevision: walker.lastRevision)
    state = try walker.state(at: revision)
    walker.settle(at: revision)
    self.walker = walker
  }

  package var revisions: ClosedRange<Int> { walker.revisionRange.revisions }

  package var options: ReplayOptions {
    get { walker.options }
    set { walker.options = newValue }
  }

  package func isNear(_ revision: Int) -> Bool { walker.isNear(revision) }

  /// Moves to a revision, and returns its state and its changes.
  ///
  /// A move that fails or is canceled changes nothing; the states that it folded are kept.
  ///
  /// - Parameter tree: The current state, to be patched; `nil` encodes the new state completely, which costs less if much differs.
  package mutating func move(
    to target: Int, comparedWith base: Int, patching tree: StateTree?
  ) throws -> (tree: StateTree, changes: StateDiff) {
    let known = walker.revisionRange
    let state = try walker.state(at: known.checking(target))
    let changes = try StateDiff(
      encoding: base == revision ? self.state : walker.state(at: known.checking(base)), to: state)
    let newTree: StateTree
    if let tree {
      let step = base == revision ? changes : try StateDiff(encoding: self.state, to: state)
      newTree = tree.applying(step.edit, rebuilt: &containersRebuilt)
    } else {
      newTree = try StateTree(encoding: state)
    }
    self.state = state
    revision = target
    walker.settle(at: target)
    return (newTree, changes)
  }

  package mutating func refresh() throws { try walker.refresh() }

  package mutating func adoptStates(of other: HistoryWalk) {
    walker.adopt(other.walker)
    walker.settle(at: revision)
  }

  package var work: CursorWork { walker.work }

  /// Calls `body`, then discards states that are far from the position.
  mutating func settling<Answer>(_ body: (inout HistoryWalker<M>) throws -> Answer) rethrows -> Answer {
    defer { walker.settle(at: revision) }
    return try body(&walker)
  }
}
