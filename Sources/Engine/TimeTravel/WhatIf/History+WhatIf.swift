public import ActionLog
public import EventSourcing

extension History {
  /// Finds the state that an edited history would lead to.
  ///
  /// The history and the branch are folded side by side from the first edit on. Actions that the reducer refuses in the branch
  /// are skipped and reported. Nothing is written; `branch` makes a log of a branch.
  ///
  /// - Returns: The state of the branch, its difference from the state of the history, and the refused actions.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` and ``TimeTravelError/Code/invalidEdit`` for impossible edits; the
  ///   errors of reading and folding, and of the state's coding.
  /// - Complexity: O(distance from the snapshot before the first edit to the revision); the part after the first edit is
  ///   folded twice. O(distance to the last edit) if no edit made a difference. One comparison of states for each revision
  ///   that an edit names.
  public func whatIf(
    _ edits: [HistoryEdit], upTo revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> WhatIfAnswer<M.State> {
    let plan = try BranchPlan(edits, of: self, upTo: revision)
    return try BranchComparison(self, plan, foldedBy: self).run(options)
  }

  /// Finds the state that another model would lead to, for instance one with a corrected reducer.
  ///
  /// An action that the other model cannot decode is skipped, as if its reducer refused it.
  ///
  /// - Returns: The state of the branch, its difference from the state of the history, and the refused actions.
  /// - Throws: As `whatIf`.
  /// - Complexity: O(length of the history), folded by both models, and one comparison of states for each action until they
  ///   differ: O(changed part) if both models have the same type of state and it shares structure, else O(size of the state).
  public func whatIf<Other: Model>(
    _ edits: [HistoryEdit] = [], foldedBy model: Other.Type, upTo revision: Int? = nil,
    options: ReplayOptions = ReplayOptions()
  ) throws -> WhatIfAnswer<Other.State> {
    let other = try read(by: Other.self)
    let plan = try BranchPlan(edits, of: other, upTo: revision)
    return try BranchComparison(self, plan, foldedBy: other).run(options)
  }

  /// The same log, read by another model.
  func read<Other: Model>(by model: Other.Type) throws -> History<Other> {
    try History<Other>(at: path, fileSystem: fileSystem, checksModelName: false)
  }
}

/// An edit of a history for a what-if question.
///
/// Revisions are those of the unedited history, so edits do not shift each other.
public enum HistoryEdit: Hashable, Sendable {
  /// Omits actions.
  case skip(ClosedRange<Int>)
  /// Replaces an action.
  case replace(Int, with: ActionForm)
  /// Inserts an action after a revision. Several insertions after one revision happen in the order of the edits.
  case insert(ActionForm, after: Int)
  /// Moves an action to after a revision.
  case move(Int, after: Int)
}

extension HistoryEdit {
  /// Replaces an action.
  ///
  /// - Throws: The error of encoding the action.
  public static func replacing(_ revision: Int, with action: some Encodable) throws -> HistoryEdit {
    .replace(revision, with: try ActionCoding.encode(action))
  }

  /// Inserts an action after a revision.
  ///
  /// - Throws: The error of encoding the action.
  public static func inserting(_ action: some Encodable, after revision: Int) throws -> HistoryEdit {
    .insert(try ActionCoding.encode(action), after: revision)
  }
}

/// The result of an edited history.
public struct WhatIfAnswer<State: Sendable>: Sendable {
  /// The state at the end of the branch.
  public let state: State
  /// The difference from the state at the end of the history to that at the end of the branch.
  public let difference: StateDiff
  /// The first revision of the history at which the states differ; `nil` if they never do.
  public let firstDivergence: Int?
  /// The actions that were refused in the branch, in order; at most ``refusalLimit``.
  public let refusals: [BranchRefusal]
  /// The number of refused actions.
  public let refusedCount: Int
  /// The last revision that the history and the branch have in common.
  public let stem: Int
  /// The number of actions of the history up to the last revision, and of the branch.
  public let counts: (history: Int, branch: Int)
  /// The work of the search.
  public let work: QuestionWork

  /// The most refusals that are listed: a branch without its beginning can refuse everything.
  public static var refusalLimit: Int { 1_000 }
}

/// An action that was refused in a branch.
public struct BranchRefusal: Sendable {
  /// The revision of the action in the history; for an inserted action, the revision before it.
  public let revision: Int
  /// The type of the action.
  public let type: String
  /// Whether an edit put the action there.
  public let isEdited: Bool
  /// The error of the reducer, or of decoding the action for another model.
  public let error: any Error
}
