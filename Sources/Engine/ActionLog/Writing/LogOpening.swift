/// What a writer found when it opened a log.
public struct LogOpening: Sendable, Equatable {
  /// A torn tail that was cut off.
  public struct Recovered: Sendable, Equatable {
    /// How many bytes.
    public var bytes: Int
    /// The file that keeps them, as a path within the log's directory.
    public var file: String

    /// Makes it from its parts.
    public init(bytes: Int, file: String) {
      self.bytes = bytes
      self.file = file
    }
  }

  /// Whether the log was made by this opening.
  public var isNew: Bool
  /// What was cut off, if a crash had torn the end.
  public var recovered: Recovered?
  /// The number of this writer, from 1.
  public var epoch: Int
  /// What the first line of the log says.
  public var header: LogHeader
  /// The last revision.
  public var lastSeq: Int
  /// Whether the writer before this one closed the log; true for a new log.
  public var wasClosed: Bool
}
