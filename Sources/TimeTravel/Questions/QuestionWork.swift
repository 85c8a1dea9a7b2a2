import EventSourcing
public import JSONCoding

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
  /// Places of the state that the question named, and at which no state that was looked at had anything: mistyped, perhaps.
  /// ``StateTree/value(at:)`` of any of those states says why there is nothing.
  public var emptyPlaces: [JSONPointer] = []
  /// Values of actions that the question named, and that no action that was looked at had.
  public var absentMembers: [AbsentMember] = []

  /// No work.
  public init() {}

  /// Adds what a replay did.
  mutating func add(_ report: ReplayReport) {
    actionsFolded += report.actionsFolded
    snapshotsLoaded += report.snapshotsLoaded
    bytesRead += report.bytesRead
  }
}
