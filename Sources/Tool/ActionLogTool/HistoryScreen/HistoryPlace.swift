import EventSourcing
import JSONCoding
import TimeTravel

/// A position in a history or in a branch of one, with the state and the changes there.
///
/// It is a value: a copy makes a long move on another thread while this one is shown. The tree of a nearby state is not made again: its
/// changes are applied to the current tree.
struct HistoryPlace: Sendable {
  private var walk: any StateWalk
  private(set) var tree: StateTree
  /// The edit that leads to the state from that of the base; `nil` if they are equal.
  private(set) var edit: StateEdit?
  /// The base of the comparison; `nil` for the usual one, ``StateWalk/usualBase(of:)``.
  private(set) var base: Int?
  /// Whether an array that differs from that of the base is too long to be aligned within a key press.
  private var holdsLongArray = false

  /// The longest distance of a nearby move, whose difference is computed within a key press.
  private static let reach = 1_024
  /// The most elements of an array that is aligned within a key press.
  private static let longestArray = 2_000

  /// Blocks.
  init(_ walk: any StateWalk) throws {
    var walk = walk
    let found = try walk.move(to: walk.revision, comparedWith: walk.usualBase(of: walk.revision), patching: nil)
    (self.walk, tree, edit) = (walk, found.tree, found.changes.edit)
  }

  var revision: Int { walk.revision }
  var revisions: ClosedRange<Int> { walk.revisions }
  var comparedRevision: Int { base ?? walk.usualBase(of: revision) }

  /// Whether ``move(to:comparedWith:_:)`` is fast enough for the main actor. Other moves need another thread.
  func isNear(_ target: Int, comparedWith base: Int?) -> Bool {
    if target == revision, base == self.base { return true }
    guard revisions.contains(target), abs(target - revision) <= Self.reach, walk.isNear(target) else { return false }
    guard let base else { return true }
    return base == self.base ? abs(target - base) <= Self.reach || !holdsLongArray : walk.isNear(base)
  }

  /// Moves to a revision, and compares its state with that of a base; `nil` for the usual one. If that fails, nothing changes. Blocks.
  mutating func move(
    to target: Int, comparedWith base: Int?, _ options: ReplayOptions = ReplayOptions()
  ) throws {
    guard target != revision || base != self.base else { return }
    walk.options = options
    defer { walk.options = ReplayOptions() }
    let moved = try walk.move(
      to: target, comparedWith: base ?? walk.usualBase(of: target),
      patching: abs(target - revision) <= Self.reach ? tree : nil)
    (tree, edit, self.base) = (moved.tree, moved.changes.edit, base)
    holdsLongArray = edit?.holdsArray(longerThan: Self.longestArray, in: tree.root) ?? false
  }

  mutating func refresh() throws { try walk.refresh() }

  /// Asks a question of the recorded history, without moving. Blocks.
  mutating func ask<Answer>(_ question: (inout any WalkHandle) throws -> Answer) rethrows -> Answer {
    guard var history = walk as? any WalkHandle else { preconditionFailure("a branch answers no questions") }
    defer { walk = history }
    return try question(&history)
  }

  /// Adds the states that a copy has cached.
  mutating func adoptStates(of other: HistoryPlace) {
    guard let other = other.walk as? any WalkHandle else { return }
    ask { walk in walk.adoptStates(of: other) }
  }
}
