import ActionLog
package import EventSourcing

/// A position in an edited history next to the recorded one, as a value that can be moved on any thread. Nothing is written.
///
/// Revisions are those of the recording, as in ``HistoryEdit``: the state at a revision is that of the branch after what it has
/// there, and it is compared with recorded states. The branch also continues with actions that were recorded after it was made.
/// A copy moves independently.
package struct BranchWalk<M: Model, Other: Model>: Sendable {
  private var walker: HistoryWalker<M>
  private let other: History<Other>
  private let plan: BranchPlan<Other>
  /// The state of another model at the first revision, where its branch begins; `nil` if the models are the same.
  private let beginning: Other.State?
  /// The first revision at which the state of another model was found to differ. From there on the states are not compared while
  /// folding: each comparison would cost as much as the states are large.
  private var firstDifference = Int.max
  private var keyframes: KeyframeCache<Other.State>
  /// The revision of the recording.
  package private(set) var revision: Int
  package private(set) var state: Other.State

  /// Begins at the first revision of the recording, with another model.
  package init(_ edits: [HistoryEdit], of walk: HistoryWalk<M>, foldedBy model: Other.Type, upTo last: Int?) throws {
    let other = try walk.walker.history.read(by: model)
    let beginning = try other.state(at: other.firstRevision)
    try self.init(edits, of: walk.walker, other, from: beginning, isBeginning: true, upTo: last)
  }

  private init(
    _ edits: [HistoryEdit], of walker: HistoryWalker<M>, _ other: History<Other>, from state: Other.State,
    isBeginning: Bool, upTo last: Int?
  ) throws {
    self.walker = walker
    self.other = other
    self.state = state
    plan = try BranchPlan(edits, of: other, upTo: last)
    keyframes = KeyframeCache(coarseLimit: walker.coarseLimit)
    beginning = isBeginning ? state : nil
    revision = walker.revisionRange.first
    self.state = try branchState(at: revision)
    self.walker.settle(at: revision)
  }

  package var revisions: ClosedRange<Int> { walker.revisionRange.revisions }

  package var options: ReplayOptions {
    get { walker.options }
    set { walker.options = newValue }
  }

  package func isNear(_ revision: Int) -> Bool {
    guard revision >= firstEdited else { return walker.isNear(revision) }
    let start = keyframes.nearest(atOrBefore: revision)?.revision ?? stem
    return revision - start <= HistoryWalker<M>.snapshotDistance && walker.isNear(start)
  }

  /// Moves to a revision, and returns the state of the branch there and its difference from a recorded state.
  ///
  /// - Parameter tree: The current state, to be patched; `nil` encodes the new state completely, which costs less if much differs.
  package mutating func move(
    to target: Int, comparedWith base: Int, patching tree: StateTree?
  ) throws -> (tree: StateTree, changes: StateDiff) {
    let known = walker.revisionRange
    let state = try branchState(at: known.checking(target))
    let recorded = try walker.state(at: known.checking(base))
    let newTree = try tree?.applying(StateDiff(encoding: self.state, to: state).edit) ?? StateTree(encoding: state)
    let changes =
      if let same = Self.asBranch(recorded) {
        try StateDiff(encoding: same, to: state)
      } else {
        StateDiff(from: try StateTree(encoding: recorded), to: newTree)
      }
    self.state = state
    revision = target
    keyframes.trim(around: target)
    walker.settle(at: target)
    return (newTree, changes)
  }

  /// Finds actions that were recorded since.
  package mutating func refresh() throws { try walker.refresh() }

  /// The last revision before the branch: another model differs from the beginning on.
  private var stem: Int { beginning == nil ? plan.stem : walker.revisionRange.first }

  private var firstEdited: Int {
    guard beginning == nil else { return stem }
    return plan.inserted(after: stem).isEmpty ? stem + 1 : stem
  }

  /// A recorded state as a state of the branch; `nil` if the models have different types of state.
  private static func asBranch(_ state: M.State) -> Other.State? {
    Other.State.self == M.State.self ? state as? Other.State : nil
  }

  private mutating func stemState(at revision: Int) throws -> Other.State {
    if let beginning { return beginning }
    guard let state = Self.asBranch(try walker.state(at: revision)) else {
      preconditionFailure("a branch without a beginning has the model of the history")
    }
    return state
  }

  private mutating func branchState(at target: Int) throws -> Other.State {
    guard target >= firstEdited else { return try stemState(at: target) }
    let kept = keyframes.nearest(atOrBefore: target)
    if let kept, kept.revision == target { return kept.state }
    let start = kept?.revision ?? stem
    let fold = BranchFold(plan, of: other, from: try kept?.state ?? stemState(at: start))
    if kept == nil { try fold.foldInserted(after: start) }
    guard start < target else { return fold.state }
    var found = KeyframeCache<Other.State>()
    swap(&found, &keyframes)
    defer { swap(&found, &keyframes) }
    found.prepare(toMoveFrom: start, to: target)
    var next = found.nextWanted(after: start, to: target)
    var difference = firstDifference
    defer { firstDifference = difference }
    _ = try walker.visit(
      from: start, to: target,
      StateVisitor(
        from: start, begin: { _, _ in true },
        visit: { [plan, isOther = beginning != nil] recorded, batch, index in
          let revision = batch.entries[index].revision
          try fold.advance(batch, index)
          // Equal states share storage, so that the difference is found fast. The states of another model are compared where they
          // are kept: each comparison costs what was written since the last one.
          let isCompared = isOther ? revision == next && revision < difference : plan.isEdited(revision)
          if isCompared, let same = Self.asBranch(recorded) {
            if areSame(same, fold.state) { fold.share(same) } else if isOther { difference = revision }
          }
          if revision == next {
            found.insert(fold.state, at: revision)
            next = found.nextWanted(after: revision, to: target)
          }
          return true
        }))
    found.insert(fold.state, at: target)
    return fold.state
  }
}

extension BranchWalk where Other == M {
  package init(_ edits: [HistoryEdit], of walk: HistoryWalk<M>, upTo last: Int?) throws {
    var walker = walk.walker
    let state = try walker.state(at: walker.revisionRange.first)
    try self.init(edits, of: walker, walker.history, from: state, isBeginning: false, upTo: last)
  }
}
