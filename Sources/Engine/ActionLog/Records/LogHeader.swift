/// What the first line of a segment says about the log: the `data` of its `@segment` record.
public struct LogHeader: Sendable, Equatable {
  /// The log that another one was made from, and the point up to which they agree.
  public struct Parent: Sendable, Equatable {
    /// The other log's identifier.
    public var log: String
    /// The last revision that was taken over.
    public var seq: Int
    /// The checksum of the other log's line at that revision, or of its first line when `seq` is 0.
    public var crc: UInt32

    /// Makes a parent from its parts.
    public init(log: String, seq: Int, crc: UInt32) {
      self.log = log
      self.seq = seq
      self.crc = crc
    }
  }

  /// The name of the format: ``LogFormat/name``.
  public var format: String
  /// The log's identifier: a UUID in lower case, the same in all its segments.
  public var log: String
  /// The name of the model whose actions it holds.
  public var model: String
  /// The version of the shape of the actions, from 1.
  public var schema: Int
  /// The `seq` of the segment's first action.
  public var first: Int
  /// How many writers the log has had, the segment's own included.
  public var epoch: Int
  /// When the segment was made.
  public var created: LogTime
  /// The log that this one was made from.
  public var parent: Parent?

  /// Makes a header from its parts.
  public init(
    format: String = LogFormat.name,
    log: String,
    model: String,
    schema: Int,
    first: Int,
    epoch: Int,
    created: LogTime,
    parent: Parent? = nil
  ) {
    self.format = format
    self.log = log
    self.model = model
    self.schema = schema
    self.first = first
    self.epoch = epoch
    self.created = created
    self.parent = parent
  }
}
