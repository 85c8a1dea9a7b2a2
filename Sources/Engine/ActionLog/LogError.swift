/// An error of the log.
public struct LogError: DescribedError, Sendable {
  /// The kinds of failure that callers distinguish.
  public enum Code: String, Sendable, CaseIterable {
    /// The path does not exist.
    case notFound
    /// The path is not a log: a directory without segments, or a file that is not a segment.
    case notALog
    /// A file or directory cannot be read or written: missing permission, read-only file system, device failure.
    case inputOutput
    /// No space is left. The rejected batch is not in the log; the writer works again when there is space.
    case noSpace
    /// Another writer holds the log.
    case locked
    /// The log holds invalid bytes that a crash does not explain.
    case damaged
    /// The log ends in a torn tail, and the recovery policy forbids truncating it.
    case tornTail
    /// This version does not read the log's format.
    case unsupportedFormat
    /// The log was written for another model.
    case wrongModel
    /// The log has a newer schema than the program.
    case schemaTooNew
    /// An action could not be encoded, or a record breaks a rule of the format.
    case invalidRecord
    /// A record, a name or a nesting depth exceeds a limit of the format.
    case beyondLimit
    /// The log does not have the requested revision.
    case revisionOutOfRange
    /// The revision is before the state that a pruned log begins with.
    case pruned
    /// The batch could not be written; none of it is in the log.
    case rejected
    /// A sync failed: it is unknown whether the batch is durable, and the log accepts nothing more until it is
    /// reopened.
    case failed
    /// The writer or recorder was closed.
    case closed
    /// The path of a new log or file is already in use.
    case exists
    /// An argument or a configuration is invalid.
    case invalidArgument
  }

  /// The kind of failure.
  public var code: Code
  /// The failure: one sentence or fragment in lower case, without the location.
  public var message: String
  /// The file or directory.
  public var path: String?
  /// The line in the file, counted from 1.
  public var line: Int?
  /// The offset of the line in the file, counted from 0.
  public var byteOffset: Int?
  /// The revision at that location, or the one expected there.
  public var revision: Int?
  /// The things that are intact, in complete sentences.
  public var intact: String?
  /// Advice on what to do, in complete sentences.
  public var advice: String?
  /// The error that caused this one.
  public var underlying: (any Error)?

  /// Creates an error.
  public init(
    _ code: Code,
    _ message: String,
    path: String? = nil,
    line: Int? = nil,
    byteOffset: Int? = nil,
    revision: Int? = nil,
    intact: String? = nil,
    advice: String? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.line = line
    self.byteOffset = byteOffset
    self.revision = revision
    self.intact = intact
    self.advice = advice
    self.underlying = underlying
  }

  /// The path, the line, the revision and the byte.
  public var location: ErrorLocation {
    ErrorLocation(path: path, line: line, revision: revision, byteOffset: byteOffset)
  }
}
