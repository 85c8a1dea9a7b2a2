/// How a writer works.
public struct LogConfiguration: Sendable {
  /// When appends are acknowledged.
  public var durability: Durability
  /// The length from which the next action begins a new segment. Segments can be longer by one unit of drafts.
  public var segmentLimitBytes: Int
  /// How many bytes may wait for the disk before ``LogWriter/enqueue(_:)`` refuses more. One unit that is larger is taken
  /// when nothing else waits.
  public var bufferLimitBytes: Int
  /// What opening does with a torn tail.
  public var recovery: RecoveryPolicy
  /// Clock, identifiers and names.
  public var environment: LogEnvironment

  /// 32 MiB: a segment is scanned in a few hundredths of a second when a log is opened.
  public static let defaultSegmentLimitBytes = 32 << 20

  /// 8 MiB: what arrives during a synchronisation of 5 ms at full speed; 3 MiB were measured to be too few.
  public static let defaultBufferLimitBytes = 8 << 20

  /// Makes a configuration; what is not named is as most programs want it.
  public init(
    durability: Durability = .commit,
    segmentLimitBytes: Int = LogConfiguration.defaultSegmentLimitBytes,
    bufferLimitBytes: Int = LogConfiguration.defaultBufferLimitBytes,
    recovery: RecoveryPolicy = .standard,
    environment: LogEnvironment = .live
  ) {
    self.durability = durability
    self.segmentLimitBytes = segmentLimitBytes
    self.bufferLimitBytes = bufferLimitBytes
    self.recovery = recovery
    self.environment = environment
  }
}
