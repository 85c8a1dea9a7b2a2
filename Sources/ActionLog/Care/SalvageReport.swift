/// What a salvage found and wrote.
public struct SalvageReport: Sendable, Equatable {
  /// A stretch of a log that cannot be read, or is not there.
  public struct Gap: Sendable, Equatable {
    /// What is wrong with its first line.
    public var message: String
    /// The file.
    public var path: String
    /// Where it begins in the file.
    public var byteOffset: Int
    /// How many bytes it has; 0 when lines are missing altogether.
    public var sizeBytes: Int
    /// The highest revision before it.
    public var lastSeqBefore: Int
    /// The first revision after it; `nil` when none is left.
    public var firstSeqAfter: Int?
  }

  /// How many actions the new log holds.
  public var lastSeq: Int
  /// The actions 1 to this one are those of the old log.
  public var intactSeq: Int
  /// How many actions from beyond gaps were put behind them, with new numbers.
  public var joinedCount: Int
  /// How many good records lie beyond the first gap.
  public var afterGapCount: Int
  /// The file that holds them, in the new log's directory; `nil` when there are none.
  public var afterGapPath: String?
  /// What is missing, in the order of the log.
  public var gaps: [Gap]
  /// Control records that this version does not know and did not take over.
  public var skippedCount: Int
}
