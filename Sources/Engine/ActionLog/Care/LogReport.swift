/// What a full reading of a log found.
public struct LogReport: Sendable, Equatable {
  /// The state of a log in one word.
  public enum Verdict: String, Sendable, CaseIterable {
    /// Every byte checks.
    case clean
    /// Everything checks but the end, which a crash has cut. The next writer, or `repair`, cuts the rest off.
    case torn
    /// Something durable is missing or changed.
    case damaged
  }

  /// What was found in one file.
  public struct Segment: Sendable, Equatable {
    /// The file.
    public var path: String
    /// The `seq` of its first action, which is its name.
    public var first: Int
    /// Its length in bytes.
    public var sizeBytes: Int
    /// Its good lines.
    public var recordCount: Int
    /// How many of them are actions.
    public var actionCount: Int
  }

  /// Actions in a row that were recorded under one schema.
  public struct SchemaRange: Sendable, Equatable {
    /// The schema.
    public var schema: Int
    /// The first and the last of the actions.
    public var revisions: ClosedRange<Int>
  }

  /// The state of the log.
  public internal(set) var verdict = Verdict.clean
  /// What the first line says; `nil` when it does not check.
  public internal(set) var header: LogHeader?
  /// The files.
  public internal(set) var segments: [Segment] = []
  /// The last revision that can be rebuilt: all actions up to it are intact.
  public internal(set) var lastSeq = 0
  /// The schemas of the actions, in the order of the log; at most ``problemLimit``.
  public internal(set) var schemas: [SchemaRange] = []
  /// Whether the last record is `@close`.
  public internal(set) var isClosed = false
  /// How many bytes of a torn tail there are.
  public internal(set) var tornBytes = 0
  /// What is wrong, in the order of the log; at most ``problemLimit`` of each kind of list.
  public internal(set) var problems: [LogProblem] = []
  /// What is worth knowing and not wrong.
  public internal(set) var warnings: [LogProblem] = []
  /// How many problems there were beyond the limit.
  public internal(set) var unlistedProblemCount = 0
  /// The largest stretch of memory that lines were read into.
  package internal(set) var largestBufferBytes = 0

  /// How many problems are listed: enough to see what happened, few enough for a file of noise.
  public static let problemLimit = 1_000

  /// The good lines in all files.
  public var recordCount: Int { segments.reduce(0) { sum, segment in sum + segment.recordCount } }
  /// The actions in all files, those beyond damage included.
  public var actionCount: Int { segments.reduce(0) { sum, segment in sum + segment.actionCount } }
  /// The bytes in all files.
  public var sizeBytes: Int { segments.reduce(0) { sum, segment in sum + segment.sizeBytes } }
}

extension LogReport {
  mutating func add(_ problem: LogProblem) {
    if problem.kind == .tornTail {
      if verdict == .clean { verdict = .torn }
    } else {
      verdict = .damaged
    }
    if problems.count < LogReport.problemLimit {
      problems.append(problem)
    } else {
      unlistedProblemCount += 1
    }
  }

  /// Adds actions in a row, which follow those that were added before.
  mutating func add(_ range: SchemaRange) {
    if schemas.count < LogReport.problemLimit { schemas.append(range) }
  }

  /// Says of another directory what was found in one.
  mutating func move(from old: String, to new: String) {
    func moved(_ path: String) -> String { path.hasPrefix(old) ? new + path.dropFirst(old.count) : path }
    for index in segments.indices { segments[index].path = moved(segments[index].path) }
    for index in problems.indices { problems[index].path = moved(problems[index].path) }
    for index in warnings.indices { warnings[index].path = moved(warnings[index].path) }
  }

  mutating func warn(_ warning: LogProblem) {
    if warnings.count < LogReport.problemLimit { warnings.append(warning) }
  }
}

/// Something that a full reading of a log found: a problem, or a warning.
public struct LogProblem: Sendable, Equatable {
  /// What kind of thing it is.
  public enum Kind: String, Sendable, CaseIterable {
    /// The log ends in bytes that a crash has cut; none of them was acknowledged.
    case tornTail
    /// The log is shorter than `HEAD` says that it was.
    case missingEnd
    /// The file ends before a line feed.
    case unfinishedLine
    /// A line is longer than the format allows.
    case lineTooLong
    /// A line does not end with a checksum.
    case noCommitMark
    /// A line's bytes are not those that its checksum was made from.
    case checksumMismatch
    /// A line is not strict JSON.
    case invalidJSON
    /// A member is missing or of another type.
    case invalidMember
    /// A line does not follow the one before it: lines are missing, added or in another order.
    case wrongPrevious
    /// A line's number does not follow.
    case wrongSeq
    /// A line claims that actions were durable which cannot have been.
    case wrongSynced
    /// A segment does not begin with `@segment`, or another line does.
    case misplacedHeader
    /// A segment belongs to another log or has another name.
    case foreignHeader
    /// A segment is of a format that this version does not read.
    case unsupportedFormat
    /// A writer with another schema went on in a segment that held actions: who reads from the midst of it would misread them.
    case schemaChangedInSegment
    /// A segment cannot be read, or what lies at its name is no regular file: the message says why.
    case unreadableSegment
    /// `HEAD` is there and cannot be read: no writer goes on.
    case inaccessibleHead

    /// The clock went back between two records.
    case clockWentBack
    /// An action names as its cause one that is not before it: itself, a later one, or none that there can be.
    case danglingCause
    /// A control record that this version does not know was ignored.
    case unknownControlRecord
    /// There is no `HEAD`, so that less is known about the end of the log than could be.
    case missingHead
    /// `HEAD` does not say what it must and was ignored.
    case unreadableHead
    /// `HEAD` does not agree with the line that it names.
    case headDisagrees
    /// A segment was being made when its writer died; the next writer removes it.
    case unfinishedSegment
  }

  /// What kind of thing it is.
  public var kind: Kind
  /// What it is, in words, without place.
  public var message: String
  /// The file.
  public var path: String
  /// The line in the file, counted from 1.
  public var line: Int?
  /// The first byte of the line, counted from 0.
  public var byteOffset: Int?
  /// The revision that the place stands at or would have.
  public var seq: Int?

  init(
    _ kind: Kind, _ message: String, path: String, line: Int? = nil, byteOffset: Int? = nil, seq: Int? = nil
  ) {
    self.kind = kind
    self.message = message
    self.path = path
    self.line = line
    self.byteOffset = byteOffset
    self.seq = seq
  }
}

extension LogProblem: CustomStringConvertible {
  /// For instance `checksum mismatch: animals/0000000000000001.jsonl:48, seq 47, byte 5120`.
  public var description: String {
    LogError(.damaged, message, path: path, line: line, byteOffset: byteOffset, seq: seq).description
  }
}

extension LogProblem.Kind {
  init(_ fault: LineFault) {
    self =
      switch fault {
      case .unfinished: .unfinishedLine
      case .tooLong: .lineTooLong
      case .noCommitMark: .noCommitMark
      case .checksumMismatch: .checksumMismatch
      case .invalidJSON: .invalidJSON
      case .invalidMember: .invalidMember
      case .wrongPrevious: .wrongPrevious
      case .wrongSeq: .wrongSeq
      case .wrongSynced: .wrongSynced
      case .misplacedHeader: .misplacedHeader
      case .unsupportedFormat: .unsupportedFormat
      case .foreignHeader: .foreignHeader
      case .wrongSchema: .schemaChangedInSegment
      }
  }
}
