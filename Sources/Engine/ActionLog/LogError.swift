/// What went wrong with a log, where, what is still good, and what to do.
///
/// Programs branch on ``code``; ``description`` is for people and may change.
public struct LogError: Error, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// Nothing lies at the path.
    case notFound
    /// What lies at the path is not a log: a directory without segments, or a file that is not a segment.
    case notALog
    /// A file or directory cannot be read or written: permission, read-only file system, device failure.
    case inputOutput
    /// No space is left. Nothing of the refused batch is in the log, which works again when there is space.
    case noSpace
    /// Another writer holds the log.
    case locked
    /// The log holds bytes that do not check and that a crash does not explain.
    case damaged
    /// The log ends in a torn tail, and the policy forbids cutting it.
    case tornTail
    /// The log's format is not one that this version reads.
    case unsupportedFormat
    /// The log was written for another model.
    case wrongModel
    /// The log was written by a newer schema of the model than the program has.
    case schemaTooNew
    /// An action could not be encoded, or one of its parts breaks a rule of the format.
    case invalidRecord
    /// A record, a name or a nesting is beyond a limit of the format.
    case beyondLimit
    /// There is no such revision in the log.
    case revisionOutOfRange
    /// The batch was refused as a whole; nothing of it is in the log.
    case rejected
    /// A sync failed: it is unknown whether the batch is durable, and the log takes nothing more until it is opened anew.
    case failed
    /// The writer or recorder was closed.
    case closed
    /// Something lies at a path where a new log or file was to be made.
    case exists
    /// A caller's argument or configuration is not usable.
    case invalidArgument
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened, in words: lower case, one sentence or fragment, without place.
  public var message: String
  /// The file or directory.
  public var path: String?
  /// The line in the file, counted from 1.
  public var line: Int?
  /// The first byte of the line in the file, counted from 0.
  public var byteOffset: Int?
  /// The revision that the place stands at or would have.
  public var seq: Int?
  /// What is still good, and what to do: whole sentences.
  public var advice: String?
  /// The error that caused this one.
  public var underlying: (any Error)?

  /// Makes an error from its parts.
  public init(
    _ code: Code,
    _ message: String,
    path: String? = nil,
    line: Int? = nil,
    byteOffset: Int? = nil,
    seq: Int? = nil,
    advice: String? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.line = line
    self.byteOffset = byteOffset
    self.seq = seq
    self.advice = advice
    self.underlying = underlying
  }
}

extension LogError: CustomStringConvertible {
  /// For instance `checksum mismatch: animals/0000000000000001.jsonl:48, seq 47, byte 5120. Actions 1…46 are intact.`
  public var description: String {
    var place: [String] = []
    if let path {
      place.append(line.map { line in "\(path):\(line)" } ?? path)
    }
    if let seq { place.append("seq \(seq)") }
    if let byteOffset { place.append("byte \(byteOffset)") }
    var text = message
    if !place.isEmpty { text += ": " + place.joined(separator: ", ") }
    if let advice { text += ". " + advice }
    return text
  }
}
