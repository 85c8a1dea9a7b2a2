/// What a backup copied.
public struct BackupReport: Sendable, Equatable {
  /// The files, as paths within the log's directory.
  public var files: [String]
  /// How many bytes they have.
  public var sizeBytes: Int
  /// Bytes at the end of the log that were left out because they were no whole line: a batch that was being written.
  public var unfinishedBytes: Int
  /// Snapshots that could not be read and are not in the copy, or `snapshots` when none could: paths within the log's directory. The
  /// log opens without them, and is folded from the beginning or an older one.
  public var unreadableSnapshots: [String] = []
}
