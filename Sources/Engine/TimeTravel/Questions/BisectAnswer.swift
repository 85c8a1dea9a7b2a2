public import ActionLog

/// The first revision at which a condition holds, found by halving.
public struct BisectAnswer: Sendable {
  /// A revision at which the condition was evaluated to halve the range.
  public struct Probe: Hashable, Sendable {
    /// The revision.
    public let revision: Int
    /// Whether the condition holds there.
    public let holds: Bool
  }

  /// The first revision at which the condition holds; `nil` if it holds nowhere.
  public let revision: Int?
  /// The action that led there; `nil` at the beginning of the range.
  public let record: LogRecord?
  /// The revisions at which the range was halved, in the order of their evaluation. None of them cost a fold.
  public let probes: [Probe]
  /// Whether no probe contradicts halving: `false` if the condition holds at one and no longer at a later one.
  public let isMonotonic: Bool
  /// Whether every state from the beginning of the range to the answer was visited, so that no earlier revision can be the answer.
  public let wasScanned: Bool
  /// What it took to find out.
  public let work: QuestionWork
}
