public import ActionLog

/// A log that was made of a branch.
public struct BranchReport<State: Sendable>: Sendable {
  /// Where it lies.
  public let path: String
  /// The log that it comes from, and the last revision that both have in common.
  public let parent: LogHeader.Parent
  /// Its last revision.
  public let lastRevision: Int
  /// What is different in it.
  public let answer: WhatIfAnswer<State>
}
