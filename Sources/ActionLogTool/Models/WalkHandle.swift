import EventSourcing
import TimeTravel

/// A place in a history without its model's type, which can be moved on any thread. All calls but the two that say so block.
protocol WalkHandle: Sendable {
  /// Where it is.
  var revision: Int { get }
  /// Where it can go.
  var revisions: ClosedRange<Int> { get }
  /// Whom to tell of the progress of a long way, and who ends it.
  var options: ReplayOptions { get set }

  /// Whether a revision can be reached in the time of a key press. Does not block.
  func isNear(_ revision: Int) -> Bool

  /// The state where it is.
  func tree() throws -> StateTree

  /// Moves; a move that fails leaves it where it was.
  ///
  /// - Parameter tree: The state where it is, if little differs from it; else the new state is encoded as a whole.
  /// - Returns: The new state, and what makes it of the one at the base.
  mutating func move(
    to target: Int, comparedWith base: Int, patching tree: StateTree?
  ) throws -> (tree: StateTree, changes: StateDiff)

  /// What makes the state where it is of the one at another revision.
  mutating func difference(from base: Int) throws -> StateDiff

  /// Looks for actions that were recorded since.
  mutating func refresh() throws

  /// Takes over the states that a copy has kept on its way. Does not block.
  mutating func adoptStates(of other: any WalkHandle)
}

struct GenericWalkHandle<M: Model>: WalkHandle {
  private(set) var walk: HistoryWalk<M>

  init(walk: HistoryWalk<M>) {
    self.walk = walk
  }

  var revision: Int { walk.revision }
  var revisions: ClosedRange<Int> { walk.revisions }

  var options: ReplayOptions {
    get { walk.options }
    set { walk.options = newValue }
  }

  func isNear(_ revision: Int) -> Bool { walk.isNear(revision) }
  func tree() throws -> StateTree { try StateTree(encoding: walk.state) }

  mutating func move(
    to target: Int, comparedWith base: Int, patching tree: StateTree?
  ) throws -> (tree: StateTree, changes: StateDiff) {
    try walk.move(to: target, comparedWith: base, patching: tree)
  }

  mutating func difference(from base: Int) throws -> StateDiff { try walk.difference(from: base) }
  mutating func refresh() throws { try walk.refresh() }

  mutating func adoptStates(of other: any WalkHandle) {
    guard let other = other as? GenericWalkHandle<M> else { return }
    walk.adoptStates(of: other.walk)
  }
}
