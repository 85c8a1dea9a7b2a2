import ActionLog
package import EventSourcing
package import JSONCoding

/// Folds a history and a branch of it side by side.
///
/// A reducer returns equal states for equal states and actions. So with one model the states can diverge only at an edit, and
/// are compared only there. If they are equal after the last edit they stay equal, and the walk ends. With two models every
/// state is compared.
struct BranchComparison<M: Model, Other: Model> {
  private let history: History<M>
  private let other: History<Other>
  private let plan: BranchPlan<Other>
  private let branch: BranchFold<Other>
  /// The revision at which both folds begin.
  private let start: Int
  private let areStatesComparable = Other.State.self == M.State.self
  private var isSameModel: Bool { M.self == Other.self }

  /// - Parameters:
  ///   - history: The unedited history.
  ///   - other: The same log, read by the model of the branch.
  init(_ history: History<M>, _ plan: BranchPlan<Other>, foldedBy other: History<Other>) throws {
    self.history = history
    self.other = other
    self.plan = plan
    start = M.self == Other.self ? plan.stem : other.firstRevision
    // With one model the walk provides the state.
    let state = M.self == Other.self ? Other.initialState : try other.state(at: other.firstRevision)
    branch = BranchFold(plan, of: other, from: state)
  }

  /// Writes the branch, too. The walk then continues to the end.
  func write(to log: BranchLog<Other>) { branch.log = log }

  /// Finishes the log with a digest of the last state, and renames it.
  ///
  /// - Returns: The last revision of the log.
  func finish(_ state: Other.State) throws -> Int {
    guard let log = branch.log else { preconditionFailure("no log is written") }
    try branch.log?.appendDigest(
      of: state, fingerprint: try Other.fingerprint(unknownTypes: other.decoder.unknownTypes))
    try branch.log?.finish()
    return log.lastRevision
  }

  /// Discards the log.
  func discard() { branch.log?.discard() }

  /// Folds and compares.
  func run(_ options: ReplayOptions) throws -> WhatIfAnswer<Other.State> {
    var work = QuestionWork()
    var firstDivergence: Int?
    func compare(_ state: M.State, at revision: Int) throws {
      work.statesVisited += 1
      if try !isBranchEqual(to: state) { firstDivergence = revision }
    }
    /// Whether the walk must continue.
    func mustContinue(after revision: Int) -> Bool {
      !isSameModel || firstDivergence != nil || branch.log != nil || revision < plan.lastEdited
    }
    let replayed = try history.walk(
      fromSnapshotAtOrBefore: start, to: plan.last, options: options,
      visitor: StateVisitor(
        from: start,
        begin: { state, revision in
          if isSameModel, let state = state as? Other.State { branch.share(state) }
          try branch.foldInserted(after: revision)
          if !isSameModel || plan.isEdited(revision) { try compare(state, at: revision) }
          return mustContinue(after: revision)
        },
        visit: { state, batch, index in
          let revision = batch.entries[index].revision
          try branch.advance(batch, index)
          if firstDivergence == nil, !isSameModel || plan.isEdited(revision) { try compare(state, at: revision) }
          return mustContinue(after: revision)
        }))
    work.add(replayed.report)
    var end = replayed
    if replayed.revision < plan.last {
      end = try history.replay(to: plan.last, options: options)
      work.add(end.report)
      if let state = end.state as? Other.State { branch.share(state) }
    }
    work.actionsFolded += branch.actionsFolded
    return WhatIfAnswer(
      state: branch.state, difference: try difference(from: end.state), firstDivergence: firstDivergence,
      refusals: branch.refusals, refusedCount: branch.refusedCount, stem: plan.stem,
      counts: (history: plan.last, branch: start + branch.acceptedCount + plan.last - replayed.revision), work: work)
  }

  /// Compares the current states. Equal states share storage afterwards, so that the next comparison is cheap.
  private func isBranchEqual(to state: M.State) throws -> Bool {
    if areStatesComparable, let same = state as? Other.State {
      guard areSame(same, branch.state) else { return false }
      branch.share(same)
      return true
    }
    return try StateTree(encoding: state) == StateTree(encoding: branch.state)
  }

  private func difference(from state: M.State) throws -> StateDiff {
    if areStatesComparable, let same = state as? Other.State {
      return try StateDiff(encoding: same, to: branch.state)
    }
    return StateDiff(from: try StateTree(encoding: state), to: try StateTree(encoding: branch.state))
  }
}

/// The fold of a branch, step by step with that of the history.
final class BranchFold<M: Model> {
  let plan: BranchPlan<M>
  private let history: History<M>
  private var fold: TolerantFold<M>

  /// The first refused actions.
  private(set) var refusals: [BranchRefusal] = []
  private(set) var refusedCount = 0
  /// The number of accepted actions since the first revision of the fold.
  private(set) var acceptedCount = 0
  /// The log that the accepted actions are written to, if any.
  var log: BranchLog<M>?

  init(_ plan: BranchPlan<M>, of history: History<M>, from state: M.State) {
    self.plan = plan
    self.history = history
    fold = TolerantFold(from: state)
  }

  var state: M.State { fold.state }
  var actionsFolded: Int { fold.actionsFolded }

  /// Continues from an equal state, so that both folds share storage.
  func share(_ state: M.State) { fold.share(state) }

  /// Folds the actions that were inserted after a revision.
  func foldInserted(after revision: Int) throws {
    for step in plan.inserted(after: revision) { try take(step, at: revision) }
  }

  /// Folds what the branch has at an action of the history, and what was inserted after it.
  func advance(_ batch: RecordBatch, _ index: Int) throws {
    let revision = batch.entries[index].revision
    switch plan.fate(of: revision) {
    case .unchanged: try take(batch, index)
    case .omitted: break
    case .replaced(let step): try take(step, at: revision)
    }
    try foldInserted(after: revision)
  }

  private func take(_ batch: RecordBatch, _ index: Int) throws {
    let revision = batch.entries[index].revision
    let decoded: DecodedActions<M.Action>
    do {
      decoded = try history.decoder.actions(in: batch, at: index)
    } catch let error as EventSourcingError where error.code == .undecodableAction || error.code == .unknownType {
      refuse(error, at: revision, type: batch.type(at: index), isEdited: false)
      return
    }
    if let error = try fold.fold(decoded.actions) {
      refuse(error, at: revision, type: batch.type(at: index), isEdited: false)
    } else {
      acceptedCount += 1
      try log?.append(batch.record(at: index), decoded.actions, isOpaque: decoded.isOpaque)
    }
  }

  private func take(_ step: BranchStep<M.Action>, at revision: Int) throws {
    if let error = try fold.fold(step.actions) {
      refuse(error, at: revision, type: step.type, isEdited: true)
    } else {
      acceptedCount += 1
      try log?.append(step)
    }
  }

  private func refuse(_ error: any Error, at revision: Int, type: String, isEdited: Bool) {
    refusedCount += 1
    guard refusals.count < WhatIfAnswer<M.State>.refusalLimit else { return }
    refusals.append(BranchRefusal(revision: revision, type: type, isEdited: isEdited, error: error))
  }
}

// MARK: - A position in a branch

/// A position in an edited history next to the recorded one, as a value that can be moved on any thread. Nothing is written.
///
/// Revisions are those of the recording, as in ``HistoryEdit``: the state at a revision is that of the branch after what it has
/// there, and it is compared with recorded states. The branch also continues with actions that were recorded after it was made.
/// A copy moves independently.
package struct BranchWalk<M: Model>: Sendable {
  /// The recording.
  private var walker: HistoryWalker<M>
  private let plan: BranchPlan<M>
  /// States of the branch.
  private var keyframes = KeyframeCache<M.State>()
  /// The revision of the recording.
  package private(set) var revision: Int
  /// The state of the branch at the revision.
  package private(set) var state: M.State

  /// Begins at the first revision of the recording.
  ///
  /// - Parameters:
  ///   - edits: The edits.
  ///   - walk: A walk through the recording, whose kept states are used.
  ///   - last: The last revision that edits may name; `nil` is the end.
  /// - Throws: As `History.whatIf(_:upTo:options:)`.
  package init(_ edits: [HistoryEdit], of walk: HistoryWalk<M>, upTo last: Int?) throws {
    walker = walk.walker
    plan = try BranchPlan(edits, of: walker.history, upTo: last)
    revision = walker.revisionRange.first
    state = try walker.state(at: revision)
    state = try branchState(at: revision)
    walker.settle(at: revision)
  }

  /// The revisions of the recording. Actions that were recorded later are included after ``refresh()``.
  package var revisions: ClosedRange<Int> { walker.revisionRange.revisions }

  /// The callbacks for progress and cancellation of long moves.
  package var options: ReplayOptions {
    get { walker.options }
    set { walker.options = newValue }
  }

  /// Whether a revision can be reached without a noticeable delay.
  ///
  /// - Complexity: O(log *n*) in the number of kept states.
  package func isNear(_ revision: Int) -> Bool {
    guard revision >= firstEdited else { return walker.isNear(revision) }
    let start = keyframes.nearest(atOrBefore: revision)?.revision ?? plan.stem
    return revision - start <= HistoryWalker<M>.snapshotDistance && walker.isNear(start)
  }

  /// Moves to a revision.
  ///
  /// A move that fails or is canceled changes nothing; the states that it folded are kept.
  ///
  /// - Parameters:
  ///   - target: The new revision.
  ///   - base: The revision of the recording to compare with.
  /// - Returns: The differences from the recorded state at the base to the state of the branch at the target.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, and of the state's coding.
  package mutating func move(to target: Int, comparedWith base: Int) throws -> StateDiff {
    let known = walker.revisionRange
    let state = try branchState(at: known.checking(target))
    let changes = try StateDiff(encoding: walker.state(at: known.checking(base)), to: state)
    self.state = state
    revision = target
    keyframes.trim(around: target)
    walker.settle(at: target)
    return changes
  }

  /// Reads one value of the branch's state; `nil` if there is none.
  package func value(at pointer: JSONPointer) throws -> JSONValue? { try StateProbe(pointer).value(in: state) }

  /// Reads some members of a container of the branch's state, as ``StateProbe/members(in:names:from:limit:around:)`` does.
  package func members(
    of pointer: JSONPointer, names: inout [String]?, from offset: Int, limit: Int, around name: String?
  ) throws -> MemberPage? {
    try StateProbe(pointer).members(in: state, names: &names, from: offset, limit: limit, around: name)
  }

  /// Finds actions that were recorded since.
  package mutating func refresh() throws { try walker.refresh() }

  /// The first revision at which the branch has something else.
  private var firstEdited: Int { plan.inserted(after: plan.stem).isEmpty ? plan.stem + 1 : plan.stem }

  /// Folds the branch from its nearest kept state, or else from the recorded state before the first edit.
  private mutating func branchState(at target: Int) throws -> M.State {
    guard target >= firstEdited else { return try walker.state(at: target) }
    let kept = keyframes.nearest(atOrBefore: target)
    if let kept, kept.revision == target { return kept.state }
    let start = kept?.revision ?? plan.stem
    let fold = BranchFold(plan, of: walker.history, from: try kept?.state ?? walker.state(at: start))
    if kept == nil { try fold.foldInserted(after: start) }
    guard start < target else { return fold.state }
    var found = KeyframeCache<M.State>()
    swap(&found, &keyframes)
    defer { swap(&found, &keyframes) }
    var next = found.nextWanted(after: start, to: target)
    try walker.visit(
      from: start, to: target,
      StateVisitor(
        from: start, begin: { _, _ in true },
        visit: { [plan] recorded, batch, index in
          let revision = batch.entries[index].revision
          try fold.advance(batch, index)
          // Equal states share storage, so that the difference is found fast.
          if plan.isEdited(revision), areSame(recorded, fold.state) { fold.share(recorded) }
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
