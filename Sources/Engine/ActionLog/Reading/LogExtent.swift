/// How far a log goes.
public struct LogExtent: Sendable {
  /// An action, without its contents.
  public struct LastAction: Sendable, Equatable {
    /// Its revision.
    public var seq: Int
    /// When it was recorded.
    public var time: LogTime
    /// The checksum of its line.
    public var crc: UInt32
  }

  /// The last revision that can be read; 0 when there is no action.
  public var lastSeq: Int
  /// The action at that revision.
  public var lastAction: LastAction?
  /// The schema in force at the end.
  public var schema: Int
  /// How it ends.
  public var ending: LogEnding
  /// The first action of those up to the last that were read, and not only taken from the seams between segments.
  var firstRead = 1
}
