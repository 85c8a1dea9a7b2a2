/// What a repair did, or would do.
public struct RepairReport: Sendable, Equatable {
  /// The last revision, before and after.
  public var lastSeq: Int
  /// How many torn bytes were cut off; 0 when there was nothing to repair.
  public var cutBytes: Int
  /// The file that keeps them, as a path within the log's directory; `nil` when nothing was cut, or yet.
  public var quarantineFile: String?
  /// Segments that were being made when their writer died, and were removed.
  public var removedFiles: [String]
  /// Whether nothing was changed because only a look was asked for.
  public var isDryRun: Bool

  /// Whether there was, or would be, anything to do.
  public var isNeeded: Bool { cutBytes > 0 || !removedFiles.isEmpty }
}
