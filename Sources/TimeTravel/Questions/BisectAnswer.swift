public import ActionLog

/// The first revision at which a condition holds, found by halving.
public struct BisectAnswer: Sendable {
  /// A revision at which the condition was looked at.
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
  /// The revisions that were looked at, in the order in which they were.
  public let probes: [Probe]
  /// Whether the condition was seen to hold and later not to hold, so that halving says nothing.
  public let isMonotonic: Bool
  /// Whether every state was looked at, because halving says nothing or found nothing.
  public let wasScanned: Bool
  /// What it took to find out.
  public let work: QuestionWork
}
