import ActionLog
import JSONCoding
import TimeTravel

/// A place in a history and what is to be seen there: the action, the state, and what changed.
///
/// A state is not encoded anew at each step: what changed is applied to the tree of the state before, so a step costs what
/// changed and not what there is.
@MainActor struct HistoryPlace {
  private let cursor: any CursorHandle
  /// Where it is.
  private(set) var revision: Int
  /// The state there.
  private(set) var tree: StateTree
  /// What is compared with it: the state one action before, or at the base.
  private(set) var changes: StateDiff
  /// The revision that the state is compared with; `nil` for the one before.
  private(set) var base: Int?

  init(_ cursor: any CursorHandle) throws {
    self.cursor = cursor
    revision = cursor.revision
    tree = try cursor.tree()
    changes = try cursor.difference(from: max(0, cursor.revision - 1))
  }

  /// The revisions that there are.
  var revisions: ClosedRange<Int> { cursor.revisions }

  /// Moves; a revision that cannot be reached leaves everything as it is.
  mutating func move(to target: Int) throws {
    guard target != revision else { return }
    let origin = revision
    do {
      try cursor.jump(to: target)
      // Both neighbours are near the cursor; the difference to a step before is shown anyway.
      let fromOrigin = try cursor.difference(from: origin)
      let shown = base == nil && origin == target - 1 ? fromOrigin : try difference(at: target)
      tree = StateTree(try fromOrigin.jsonPatch().apply(to: tree.root))
      changes = shown
      revision = target
    } catch {
      try cursor.jump(to: origin)
      throw error
    }
  }

  /// Compares with the state at a revision from now on, or, with `nil`, with the one before each action.
  mutating func compare(with base: Int?) throws {
    let before = self.base
    self.base = base
    do {
      changes = try difference(at: revision)
    } catch {
      self.base = before
      throw error
    }
  }

  /// Looks for actions that were recorded since.
  func refresh() throws { try cursor.refresh() }

  private func difference(at revision: Int) throws -> StateDiff {
    try cursor.difference(from: base ?? max(0, revision - 1))
  }
}
