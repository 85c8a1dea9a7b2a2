import EventSourcing
import JSONCoding
import TimeTravel

/// The type-erased interface of a position in a history or in a branch of one, on any thread. All methods block, unless they say
/// otherwise.
protocol StateWalk: Sendable {
  /// The current revision.
  var revision: Int { get }
  var revisions: ClosedRange<Int> { get }
  /// The options for progress and cancellation of a long move.
  var options: ReplayOptions { get set }

  /// Whether a revision is reachable within the time of a key press. Does not block.
  func isNear(_ revision: Int) -> Bool

  /// The revision whose state is compared with that of another one, unless the user chooses a base.
  func usualBase(of revision: Int) -> Int

  /// Moves to a revision. After a failed move the position is unchanged. The new state is made of `tree`, if that differs little from it,
  /// or else encoded completely.
  mutating func move(
    to target: Int, comparedWith base: Int, patching tree: StateTree?
  ) throws -> (tree: StateTree, changes: StateDiff)

  /// Checks for newly recorded actions.
  mutating func refresh() throws
}

/// The type-erased interface of a walk through a history. All methods block, unless they say otherwise.
protocol WalkHandle: StateWalk {
  mutating func firstRevision(
    where condition: Condition, after revision: Int, options: ReplayOptions
  ) throws -> ConditionAnswer

  mutating func lastRevision(
    where condition: Condition, before revision: Int, options: ReplayOptions
  ) throws -> ConditionAnswer

  mutating func bisect(_ condition: Condition, options: ReplayOptions) throws -> BisectAnswer

  mutating func blame(_ pointer: JSONPointer, at revision: Int, options: ReplayOptions) throws -> BlameAnswer

  /// Takes over the cached states of a copy. Does not block.
  mutating func adoptStates(of other: any WalkHandle)

  /// Begins a walk through an edited history, with the kept states of this one.
  func branch(_ edits: [HistoryEdit], foldedBy other: RegisteredModel?, upTo last: Int?) throws -> any StateWalk
}

extension BranchWalk: StateWalk {
  /// The recorded state at the same revision.
  func usualBase(of revision: Int) -> Int { revision }
}

/// `HistoryWalk` has the other methods of the handle itself.
extension HistoryWalk: WalkHandle {
  func usualBase(of revision: Int) -> Int { max(revisions.lowerBound, revision - 1) }

  mutating func adoptStates(of other: any WalkHandle) {
    guard let other = other as? HistoryWalk<M> else { return }
    adoptStates(of: other)
  }

  func branch(_ edits: [HistoryEdit], foldedBy other: RegisteredModel?, upTo last: Int?) throws -> any StateWalk {
    func branch<Other: Model>(foldedBy model: Other.Type) throws -> any StateWalk {
      try BranchWalk(edits, of: self, foldedBy: model, upTo: last)
    }
    guard let other else { return try BranchWalk(edits, of: self, upTo: last) }
    return try branch(foldedBy: other.type)
  }
}
