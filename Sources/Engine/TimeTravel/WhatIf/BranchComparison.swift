import ActionLog
import EventSourcing
import JSONCoding

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
  private let start: Int
  private let areStatesComparable = Other.State.self == M.State.self
  private var isSameModel: Bool { M.self == Other.self }

  init(_ history: History<M>, _ plan: BranchPlan<Other>, foldedBy other: History<Other>) throws {
    (self.history, self.other, self.plan) = (history, other, plan)
    start = M.self == Other.self ? plan.stem : other.firstRevision
    // With one model the walk provides the state.
    let state = M.self == Other.self ? Other.initialState : try other.state(at: other.firstRevision)
    branch = BranchFold(plan, of: other, from: state)
  }

  /// Writes the branch, too. The walk then continues to the end.
  func write(to log: BranchLog<Other>) { branch.log = log }

  func finish(_ state: Other.State) throws -> Int {
    guard let log = branch.log else { preconditionFailure("no log is written") }
    try branch.log?.appendDigest(
      of: state, fingerprint: try Other.fingerprint(unknownTypes: other.decoder.unknownTypes))
    try branch.log?.finish()
    return log.lastRevision
  }

  func discard() { branch.log?.discard() }

  func run(_ options: ReplayOptions) throws -> WhatIfAnswer<Other.State> {
    var work = QuestionWork()
    var firstDivergence: Int?
    func compare(_ state: M.State, at revision: Int) throws {
      work.statesVisited += 1
      if try !isBranchEqual(to: state) { firstDivergence = revision }
    }
    func mustContinue(after revision: Int) -> Bool {
      !isSameModel || firstDivergence != nil || branch.log != nil || revision < plan.lastEdited
    }
    let visitor = StateVisitor<M.State>(
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
      })
    let replayed = try history.fold(FoldRequest(at: start, to: plan.last, visitor: visitor), options: options)
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

  private(set) var refusals: [BranchRefusal] = []
  private(set) var refusedCount = 0
  private(set) var acceptedCount = 0
  var log: BranchLog<M>?

  init(_ plan: BranchPlan<M>, of history: History<M>, from state: M.State) {
    (self.plan, self.history) = (plan, history)
    fold = TolerantFold(from: state)
  }

  var state: M.State { fold.state }
  var actionsFolded: Int { fold.actionsFolded }

  /// Continues from an equal state, so that both folds share storage.
  func share(_ state: M.State) { fold.share(state) }

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
