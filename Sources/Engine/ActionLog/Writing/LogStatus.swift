/// How a writer stands at one moment.
public struct LogStatus: Sendable {
  /// The last revision that was taken.
  public var lastSeq: Int
  /// The checksum of the last line that was taken.
  public var lastCRC: UInt32
  /// The last revision that the system has.
  public var writtenSeq: Int
  /// The last revision that the device has.
  public var syncedSeq: Int
  /// The bytes that are taken and not yet written.
  public var pendingBytes: Int
  /// How many synchronisations succeeded, those of rolling included.
  public var syncCount: Int
  /// How many batches were written.
  public var batchCount: Int
  /// How often batches were rejected.
  public var rejectionCount: Int
  /// Why the writer takes nothing more, if it does not.
  public var failure: LogError?
  /// Why `HEAD` could not be written the last time. The log is none the worse, but weaker evidence is left for a recovery.
  public var headFailure: LogError?
  /// Whether the writer was closed.
  public var isClosed: Bool
  /// The segment that is written to.
  public var segmentPath: String
}
