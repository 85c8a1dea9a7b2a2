public import EventSourcing

extension History {
  /// Finds what would be, had the history been otherwise.
  ///
  /// History and branch are folded side by side from the first edit on. An action that the reducer refuses in the branch is passed
  /// over and told. Nothing is written; `branch` makes a log of a branch.
  ///
  /// - Parameters:
  ///   - edits: What would be otherwise.
  ///   - revision: The revision up to which is asked: states are compared there; `nil` is the end.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Returns: The state that would be, its difference from the state that is, and what was refused.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` and ``TimeTravelError/Code/invalidEdit`` for edits that cannot be; what
  ///   reading, folding and the state's coding throw.
  /// - Complexity: O(distance from the snapshot before the first edit to the revision), of which what lies behind the first edit is
  ///   folded twice; O(distance to the last edit) when no edit made a difference. A comparison of two states for each revision that
  ///   an edit names.
  public func whatIf(
    _ edits: [HistoryEdit], upTo revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> WhatIfAnswer<M.State> {
    let plan = try BranchPlan(edits, of: self, upTo: revision)
    return try BranchComparison(self, plan, foldedBy: self).run(options)
  }

  /// Finds what would be, had another model folded the history, for instance one whose reducer is mended.
  ///
  /// An action that is none of the other model's is passed over as one that its reducer refuses.
  ///
  /// - Parameters:
  ///   - edits: What would be otherwise besides.
  ///   - model: The other model.
  ///   - revision: The revision up to which is asked: states are compared there; `nil` is the end.
  ///   - options: Whom to tell of the progress.
  /// - Returns: The state that would be, its difference from the state that is, and what was refused.
  /// - Throws: As `whatIf`.
  /// - Complexity: O(length of the history), folded by both models, and a comparison of two states for each action until they
  ///   differ: O(changed part) where both models have the same type of state and it shares structure, else O(size of the state).
  public func whatIf<Other: Model>(
    _ edits: [HistoryEdit] = [], foldedBy model: Other.Type, upTo revision: Int? = nil,
    options: ReplayOptions = ReplayOptions()
  ) throws -> WhatIfAnswer<Other.State> {
    let other = try read(by: Other.self)
    let plan = try BranchPlan(edits, of: other, upTo: revision)
    return try BranchComparison(self, plan, foldedBy: other).run(options)
  }

  /// The same log, as another model reads it.
  func read<Other: Model>(by model: Other.Type) throws -> History<Other> {
    try History<Other>(path, fileSystem: fileSystem, checksModelName: false)
  }
}
