/// The result of an append: the last revision and its durability.
public struct LogReceipt: Sendable, Hashable {
  /// The revision of the last action that the receipt covers.
  public var revision: Int
  /// The level that was reached.
  public var durability: Durability

  package init(revision: Int, durability: Durability) {
    self.revision = revision
    self.durability = durability
  }
}

/// The position of a unit in a writer's queue. Valid only for the writer that returned it.
public struct LogTicket: Sendable, Hashable {
  /// The revision of the last draft, unless the unit is rejected.
  public let revision: Int
  /// The number of rejections before this ticket. After a rejection the same revision is assigned again.
  package let generation: Int
  /// The number of accepted units including this one. Never assigned again.
  package let ordinal: Int
}

/// The status of a writer at one moment.
public struct LogStatus: Sendable {
  /// The last accepted revision.
  public var lastRevision: Int
  package var lastCRC: UInt32
  /// The last revision that the operating system has.
  public var writtenRevision: Int
  /// The last revision that the device has.
  public var syncedRevision: Int
  /// The bytes that are accepted and not yet written.
  public var pendingBytes: Int
  /// The number of successful syncs, including those that seal segments.
  package var syncCount: Int
  /// The number of batches written.
  package var batchCount: Int
  /// The number of rejected batches.
  package var rejectionCount: Int
  /// The reason why the writer accepts nothing more, if it has failed.
  public var failure: LogError?
  /// The reason why `HEAD` could not be written the last time. The log is intact, but recovery has a weaker hint.
  public var headFailure: LogError?
  /// Whether the writer was closed.
  public var isClosed: Bool
  /// The path of the active segment.
  public var segmentPath: String
}
