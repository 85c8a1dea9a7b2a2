/// One file of a log.
public struct LogSegment: Sendable, Equatable {
  /// The file.
  public var path: String
  /// The `seq` of its first action.
  public var first: Int
  /// Its length in bytes; 0 when what lies there is no file.
  public var sizeBytes: Int
}
