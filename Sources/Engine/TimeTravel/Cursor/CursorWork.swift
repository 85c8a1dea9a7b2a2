/// The work that a cursor did so far, counted.
public struct CursorWork: Hashable, Sendable {
  /// Actions that the reducer folded, those of replays included.
  public var actionsFolded = 0
  /// Actions that were read and decoded.
  public var actionsRead = 0
  /// Times that a state was rebuilt from a snapshot, from the beginning, or from a keyframe far away.
  public var replays = 0
  /// Snapshots that were loaded.
  public var snapshotsLoaded = 0
  /// Bytes that were read from the log's segments.
  public var bytesRead = 0
  /// States that are kept at the moment.
  public var keyframesHeld = 0

  /// A count of nothing done.
  public init() {}
}
