import ActionLog
import EventSourcing
import JSONCoding
import TimeTravel

/// A place in a history and what is to be seen there: the state, and what changed.
///
/// A value: a copy of it goes a long way on another thread, while this one is looked at. A state nearby is not encoded anew:
/// what changed is applied to the tree of the state before, so a step costs what changed and not what there is.
struct HistoryPlace: Sendable {
  private var walk: any WalkHandle
  /// The state there.
  private(set) var tree: StateTree
  /// The differences from the state one action before, or from the base, in order of their places.
  private(set) var changes: [StateChange]
  /// The revision that the state is compared with; `nil` for the one before.
  private(set) var base: Int?

  /// So far a difference is in the time of a key press, as much as an action may change.
  private static let reach = 1_024

  /// Begins where a walk is. Blocks.
  init(_ walk: any WalkHandle) throws {
    var walk = walk
    tree = try walk.tree()
    changes = try walk.difference(from: max(0, walk.revision - 1)).changes
    self.walk = walk
  }

  /// Where it is.
  var revision: Int { walk.revision }
  /// The revisions that there are.
  var revisions: ClosedRange<Int> { walk.revisions }

  /// Whether ``move(to:)`` takes no longer than a key press may; others are for a thread of their own.
  func isNear(_ target: Int) -> Bool {
    revisions.contains(target) && abs(target - revision) <= Self.reach && walk.isNear(target)
      && base.map { base in abs(target - base) <= Self.reach } ?? true
  }

  /// Moves; a revision that cannot be reached leaves everything as it is. Blocks.
  mutating func move(to target: Int) throws {
    guard target != revision else { return }
    let isNear = abs(target - revision) <= Self.reach
    let moved = try walk.move(
      to: target, comparedWith: base ?? max(0, target - 1), patching: isNear ? tree : nil)
    (tree, changes) = (moved.tree, moved.changes.changes)
  }

  /// Compares with the state at a revision from now on, or, with `nil`, with the one before each action.
  mutating func compare(with base: Int?) throws {
    changes = try walk.difference(from: base ?? max(0, revision - 1)).changes
    self.base = base
  }

  /// Looks for actions that were recorded since. Blocks.
  mutating func refresh() throws { try walk.refresh() }

  /// Whom to tell of the progress of a long way, and who ends it.
  mutating func setOptions(_ options: ReplayOptions) { walk.options = options }

  /// What it is asked of the history; it begins from the states that were kept, and stays where it is. Calls block.
  mutating func ask<Answer>(_ question: (inout any WalkHandle) throws -> Answer) rethrows -> Answer {
    try question(&walk)
  }

  /// Takes over the states that a copy has kept on its way.
  mutating func adoptStates(of other: HistoryPlace) { walk.adoptStates(of: other.walk) }
}
