/// What a backup copied.
public struct BackupReport: Sendable, Equatable {
  /// A file or directory that is not in the copy.
  public struct LeftOut: Sendable, Equatable {
    /// The path within the log's directory.
    public var path: String
    /// Why it was left out.
    public var message: String
  }

  /// The files, as paths within the log's directory.
  public var files: [String] = []
  /// How many bytes they have.
  public var sizeBytes = 0
  /// Bytes at the end of the log that were left out because they were no whole line: a batch that was being written.
  public var unfinishedBytes = 0
  /// What could not be read and is not in the copy: `HEAD`, the marks, snapshots, or `snapshots` when none could. The copy opens
  /// without them: without snapshots it is folded from the beginning or an older one, without `HEAD` it says less about its end.
  public var leftOut: [LeftOut] = []
  /// What reading every byte of the copy found: damage that was copied, or that the copying did.
  public internal(set) var verification = LogReport()
}
