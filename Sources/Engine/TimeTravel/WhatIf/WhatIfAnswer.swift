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
  /// What it took to find out. ``QuestionWork/statesVisited`` counts comparisons of two states.
  public let work: QuestionWork

  /// So many refusals are told one by one: a branch that lost its beginning can refuse everything.
  public static var refusalLimit: Int { 1_000 }
}
