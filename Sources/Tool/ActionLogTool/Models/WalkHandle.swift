import EventSourcing
import JSONCoding
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

  /// The state at a revision; the walk stays where it is.
  mutating func tree(at revision: Int, options: ReplayOptions) throws -> StateTree

  /// The first revision behind another at which a condition holds.
  mutating func firstRevision(
    where condition: Condition, after revision: Int, options: ReplayOptions
  ) throws -> ConditionAnswer

  /// The last revision before another at which a condition holds.
  mutating func lastRevision(
    where condition: Condition, before revision: Int, options: ReplayOptions
  ) throws -> ConditionAnswer

  /// The first revision at which a condition holds, found by halving.
  mutating func bisect(_ condition: Condition, options: ReplayOptions) throws -> BisectAnswer

  /// The last action that changed a value.
  mutating func blame(_ pointer: JSONPointer, at revision: Int, options: ReplayOptions) throws -> BlameAnswer

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

  mutating func tree(at revision: Int, options: ReplayOptions) throws -> StateTree {
    try walk.tree(at: revision, options: options)
  }

  mutating func firstRevision(
    where condition: Condition, after revision: Int, options: ReplayOptions
  ) throws -> ConditionAnswer {
    try walk.firstRevision(where: condition, after: revision, options: options)
  }

  mutating func lastRevision(
    where condition: Condition, before revision: Int, options: ReplayOptions
  ) throws -> ConditionAnswer {
    try walk.lastRevision(where: condition, before: revision, options: options)
  }

  mutating func bisect(_ condition: Condition, options: ReplayOptions) throws -> BisectAnswer {
    try walk.bisect(condition, options: options)
  }

  mutating func blame(_ pointer: JSONPointer, at revision: Int, options: ReplayOptions) throws -> BlameAnswer {
    try walk.blame(pointer, at: revision, options: options)
  }

  mutating func adoptStates(of other: any WalkHandle) {
    guard let other = other as? GenericWalkHandle<M> else { return }
    walk.adoptStates(of: other.walk)
  }
}
