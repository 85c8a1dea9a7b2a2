import EventSourcing

/// The work that the answer to a question took, counted.
public struct QuestionWork: Equatable, Sendable {
  /// Actions that the reducer folded.
  public var actionsFolded = 0
  /// States that were looked at.
  public var statesVisited = 0
  /// Snapshots that were loaded.
  public var snapshotsLoaded = 0
  /// Bytes read from the log's segments.
  public var bytesRead = 0

  /// No work.
  public init() {}

  /// Adds what a replay did.
  mutating func add(_ report: ReplayReport) {
    actionsFolded += report.actionsFolded
    snapshotsLoaded += report.snapshotsLoaded
    bytesRead += report.bytesRead
  }
}
