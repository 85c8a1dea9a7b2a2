public import ActionLog
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
  ///   - options: Whether snapshots are used, and the callbacks for progress and cancellation.
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
  ///   - options: The callbacks for progress and cancellation.
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

/// A change to a history that is asked about: what would be, had this been otherwise?
///
/// Revisions are those of the history as it is: several edits do not shift each other.
public enum HistoryEdit: Hashable, Sendable {
  /// The actions had not happened.
  case skip(ClosedRange<Int>)
  /// Another action had happened instead.
  case replace(Int, with: ActionForm)
  /// An action had happened in addition, behind this revision; several behind one revision happen in the order of the edits.
  case insert(ActionForm, after: Int)
  /// An action had happened behind this revision and not where it did.
  case move(Int, after: Int)
}

extension HistoryEdit {
  /// Another action had happened instead.
  ///
  /// - Parameters:
  ///   - revision: The revision of the action that would not have happened.
  ///   - action: The action in its place.
  /// - Throws: When the action cannot be encoded.
  public static func replacing(_ revision: Int, with action: some Encodable) throws -> HistoryEdit {
    .replace(revision, with: try ActionCoding.encode(action))
  }

  /// An action had happened in addition, behind this revision.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - revision: The revision that it would have met.
  /// - Throws: When the action cannot be encoded.
  public static func inserting(_ action: some Encodable, after revision: Int) throws -> HistoryEdit {
    .insert(try ActionCoding.encode(action), after: revision)
  }
}

/// What would be, had a history been otherwise.
public struct WhatIfAnswer<State: Sendable>: Sendable {
  /// The state at the end of the branch.
  public let state: State
  /// From the state at the end of the history to that at the end of the branch.
  public let difference: StateDiff
  /// The first revision of the history at which the states differ; `nil` if they do nowhere.
  public let firstDivergence: Int?
  /// The actions that were passed over because they are refused in the branch, in their order; at most ``refusalLimit``.
  public let refusals: [BranchRefusal]
  /// How many there were.
  public let refusedCount: Int
  /// The last revision that history and branch have in common by their actions.
  public let stem: Int
  /// How many actions there are in the history as far as was asked, and how many in the branch.
  public let counts: (history: Int, branch: Int)
  /// The work of the search. ``QuestionWork/statesVisited`` counts comparisons of two states.
  public let work: QuestionWork

  /// So many refusals are told one by one: a branch that lost its beginning can refuse everything.
  public static var refusalLimit: Int { 1_000 }
}

/// An action of a branch that was passed over.
public struct BranchRefusal: Sendable {
  /// The revision of the action in the history; of one that was put in, the revision behind which it was.
  public let revision: Int
  /// Its type.
  public let type: String
  /// Whether an edit put it there.
  public let isEdited: Bool
  /// What the reducer threw; for a branch that is folded by another model, perhaps why the action is none of that model's.
  public let error: any Error
}
