import ActionLog
import EventSourcing

/// The fold of a branch, step by step beside that of the history.
final class BranchFold<M: Model> {
  let plan: BranchPlan<M>
  private let history: History<M>
  private var fold: TolerantFold<M>

  /// The first of the actions that were passed over.
  private(set) var refusals: [BranchRefusal] = []
  private(set) var refusedCount = 0
  /// Actions of the branch behind the revision that the fold began at.
  private(set) var acceptedCount = 0
  /// Where the accepted actions are written, if they are wanted.
  var log: BranchLog<M>?

  init(_ plan: BranchPlan<M>, of history: History<M>, from state: M.State) {
    self.plan = plan
    self.history = history
    fold = TolerantFold(from: state)
  }

  var state: M.State { fold.state }
  var actionsFolded: Int { fold.actionsFolded }

  /// Takes a state that equals the branch's, so that both share their parts.
  func share(_ state: M.State) { fold.share(state) }

  /// Takes what was put in behind a revision.
  func takeAdded(behind revision: Int) throws {
    for step in plan.added(behind: revision) { try take(step, at: revision) }
  }

  /// Takes what happens in the branch at an action of the history, and what was put in behind it.
  func advance(_ batch: RecordBatch, _ index: Int) throws {
    let revision = batch.entries[index].seq
    switch plan.fate(of: revision) {
    case .stays: try take(batch, index)
    case .goes: break
    case .replaced(let step): try take(step, at: revision)
    }
    try takeAdded(behind: revision)
  }

  private func take(_ batch: RecordBatch, _ index: Int) throws {
    let revision = batch.entries[index].seq
    let meant: RecordActions<M.Action>
    do {
      meant = try history.meaning.actions(in: batch, at: index)
    } catch let error as EventSourcingError where error.code == .undecodableAction || error.code == .unknownType {
      refuse(error, at: revision, type: batch.type(at: index), isEdited: false)
      return
    }
    if let error = try fold.fold(meant.actions) {
      refuse(error, at: revision, type: batch.type(at: index), isEdited: false)
    } else {
      acceptedCount += 1
      try log?.append(batch.record(at: index), meant.actions, isOpaque: meant.isOpaque)
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
