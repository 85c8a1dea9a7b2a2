public import ActionLog

/// The result of verifying a log.
public struct LogReport: Sendable, Equatable {
  /// The state of a log in one word.
  public enum Verdict: String, Sendable, CaseIterable {
    /// Every byte is valid.
    case clean
    /// Everything is valid except the end, which a crash tore. The next writer, or `repair`, truncates it.
    case torn
    /// Durable bytes are missing or changed.
    case damaged
  }

  /// The contents of one segment.
  public struct Segment: Sendable, Equatable {
    /// The file.
    public var path: String
    /// The revision of its first action, as in its name.
    public var first: Int
    /// Its length in bytes.
    public var sizeBytes: Int
    /// The number of valid lines.
    public var recordCount: Int
    /// The number of actions among them.
    public var actionCount: Int
    /// Both ends of its checksum chain; `nil` if its first line is invalid.
    package var ends: SegmentEnds?
  }

  /// Consecutive actions recorded under one schema.
  public struct SchemaRange: Sendable, Equatable {
    /// The schema.
    public var schema: Int
    /// The first and the last of the actions.
    public var revisions: ClosedRange<Int>
  }

  /// The state of the log.
  public internal(set) var verdict = Verdict.clean
  /// The header in the first line; `nil` if it is invalid.
  public internal(set) var header: LogHeader?
  /// The segments.
  public internal(set) var segments: [Segment] = []
  /// The revision that the log begins with: 0, or that of the base of a pruned log.
  public internal(set) var firstRevision = 0
  /// The last revision that can be rebuilt: all actions of the log up to it are intact.
  public internal(set) var lastRevision = 0
  /// The schemas of the actions, in the order of the log; at most ``problemLimit``.
  public internal(set) var schemas: [SchemaRange] = []
  /// Whether the last record is `@close`.
  public internal(set) var isClosed = false
  /// The length of the torn tail.
  public internal(set) var tornBytes = 0
  /// The problems, in the order of the log; at most ``problemLimit``.
  public internal(set) var problems: [LogProblem] = []
  /// The warnings: findings that are not problems.
  public internal(set) var warnings: [LogProblem] = []
  /// The number of problems beyond the limit.
  public internal(set) var unlistedProblemCount = 0
  /// The number of stored checkpoints that the log leads to.
  public internal(set) var checkpointCount = 0
  package internal(set) var largestBufferBytes = 0

  /// The maximum number of problems to list: enough to show what happened, few enough for a file of noise.
  public static let problemLimit = 1_000

  /// The valid lines in all segments.
  public var recordCount: Int { segments.reduce(0) { sum, segment in sum + segment.recordCount } }
  /// The actions in all segments, including those past damage.
  public var actionCount: Int { segments.reduce(0) { sum, segment in sum + segment.actionCount } }
  /// The bytes in all segments.
  public var sizeBytes: Int { segments.reduce(0) { sum, segment in sum + segment.sizeBytes } }
}

extension LogReport {
  /// Both ends of the checksum chain of a segment.
  ///
  /// The segments of a log are intact together if each is intact, and if ``previousChecksum`` and ``first`` of each continue
  /// ``lastChecksum`` and ``lastRevision`` of the one before it. So they can be verified in any order, or on different machines.
  package struct SegmentEnds: Sendable, Equatable {
    /// The revision of the first action, as in its header.
    package var first: Int
    /// The checksum of the line before the first one; 0 at the beginning of a log.
    package var previousChecksum: UInt32
    /// The checksum of the last valid line.
    package var lastChecksum: UInt32
    /// The revision of that line: ``first`` − 1 if the segment has no action.
    package var lastRevision: Int
    /// The revision that was durable when that line was written.
    package var syncedRevision: Int
    /// The number of the last writer.
    package var epoch: Int
    /// The schema at the end.
    package var schema: Int
  }
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

  mutating func add(_ range: SchemaRange) {
    if schemas.count < LogReport.problemLimit { schemas.append(range) }
  }

  mutating func changePaths(_ changed: (_ path: String) -> String) {
    for index in segments.indices { segments[index].path = changed(segments[index].path) }
    for index in problems.indices { problems[index].path = changed(problems[index].path) }
    for index in warnings.indices { warnings[index].path = changed(warnings[index].path) }
  }

  mutating func warn(_ warning: LogProblem) {
    if warnings.count < LogReport.problemLimit { warnings.append(warning) }
  }
}

/// A finding of verification: a problem or a warning.
public struct LogProblem: Sendable, Equatable {
  /// The kind of finding.
  public enum Kind: String, Sendable, CaseIterable {
    /// The log ends in bytes that a crash tore; none of them was acknowledged.
    case tornTail
    /// The log is shorter than `HEAD` recorded.
    case missingEnd
    /// The last line has no line feed.
    case unfinishedLine
    /// A unit lacks actions, and more than a crash explains.
    case unfinishedUnit
    /// A line exceeds the length limit of the format.
    case lineTooLong
    /// A line does not end with a checksum.
    case noCommitMark
    /// A line does not match its checksum.
    case checksumMismatch
    /// A line is not strict JSON.
    case invalidJSON
    /// A member is missing or has the wrong type.
    case invalidMember
    /// A redacted line was changed: what was kept is not what the line was committed to.
    case wrongCommitment
    /// A line does not follow the previous one: lines are missing, inserted or reordered.
    case wrongPrevious
    /// A line's revision does not follow that of the previous line.
    case wrongRevision = "wrongSeq"
    /// A line records actions as durable that cannot have been.
    case wrongSynced
    /// A segment does not begin with `@segment`, or another line is a `@segment`.
    case misplacedHeader
    /// A segment belongs to another log, or its name does not match its header.
    case foreignHeader
    /// This version does not read the segment's format.
    case unsupportedFormat
    /// A writer with another schema appended to a segment with actions. A reader that starts in its middle would
    /// misread them.
    case schemaChangedInSegment
    /// A segment cannot be read, or is not a regular file; the message gives the reason.
    case unreadableSegment
    /// `HEAD` exists and cannot be read; no writer opens the log.
    case inaccessibleHead
    /// The base of a pruned log cannot be read, or does not match the record of the pruning.
    case unusableBase
    /// A line is redacted, and no `@redact` record names it.
    case unrecordedRedaction
    /// A redacted line is not what the `@redact` record made of it.
    case changedRedaction
    /// A line that a `@redact` record names is not redacted.
    case missingRedaction
    /// The log does not have the lines that a stored or a kept checkpoint, or the tiles of its tree, cover.
    case wrongCheckpoint
    /// A stored checkpoint cannot be read, or is malformed.
    case unusableCheckpoint
    /// The tiles of the lines that a pruning removed are missing or do not fit the base; no checkpoint can be made without them.
    case missingTiles

    /// A segment that the manifest of a lake lists is missing.
    case missingSegment
    /// A segment of a lake is not the one that the manifest lists.
    case changedSegment

    /// The manifest of a lake is missing or damaged, so missing newest segments are not noticed.
    case missingManifest
    /// The manifest of a lake does not list a segment, or lists it as it was before or after a redaction.
    case unlistedSegment
    /// A redaction was interrupted; the next writer completes it. In a lake, its shipping was, and the next one completes it.
    case unfinishedRedaction
    /// The clock went back between two actions.
    case clockWentBack
    /// An action's cause is not an earlier action.
    case danglingCause
    /// An unknown control record was ignored.
    case unknownControlRecord
    /// A writer's `@open` states an older schema than the actions that it recorded have.
    case misstatedSchema
    /// `HEAD` is missing, so the end of the log cannot be confirmed.
    case missingHead
    /// `HEAD` is malformed and was ignored.
    case unreadableHead
    /// `HEAD` does not match the line that it refers to.
    case headDisagrees
    /// A writer stopped while it created a segment; the next writer removes it.
    case unfinishedSegment
    /// A segment before the base of a pruned log was not removed yet.
    case outdatedSegment
    /// A file is named like a segment with a revision that none can have; it is not part of the log.
    case misnamedSegment
    /// A pruning was interrupted, and the next writer finishes it or makes it void.
    case unfinishedPruning
  }

  /// The kind of finding.
  public var kind: Kind
  /// The message, without the location.
  public var message: String
  /// The file.
  public var path: String
  /// The line in the file, counted from 1.
  public var line: Int?
  /// The offset of the line, counted from 0.
  public var byteOffset: Int?
  /// The revision at that location, or the one expected there.
  public var revision: Int?
  /// Advice on what to do, in complete sentences.
  public var advice: MessageText?

  init(
    _ kind: Kind, _ message: String, path: String, line: Int? = nil, byteOffset: Int? = nil, revision: Int? = nil,
    advice: MessageText? = nil
  ) {
    self.kind = kind
    self.message = message
    self.path = path
    self.line = line
    self.byteOffset = byteOffset
    self.revision = revision
    self.advice = advice
  }

  init(_ kind: Kind, _ message: String, at place: LogPlace, revision: Int, advice: MessageText? = nil) {
    self.init(
      kind, message, path: place.path, line: place.line, byteOffset: place.byteOffset, revision: revision,
      advice: advice)
  }
}

extension LogProblem: CustomStringConvertible {
  /// For example `checksum mismatch: animals/0000000000000001.jsonl:48, seq 47, byte 5120`.
  public var description: String { text.description }

  package var text: MessageText {
    LogError(.damaged, message, path: path, line: line, byteOffset: byteOffset, revision: revision, advice: advice).text
  }
}

extension LogProblem.Kind {
  init(_ fault: LineFault) {
    self =
      switch fault {
      case .unfinished: .unfinishedLine
      case .unfinishedUnit: .unfinishedUnit
      case .tooLong: .lineTooLong
      case .noCommitMark: .noCommitMark
      case .checksumMismatch: .checksumMismatch
      case .invalidJSON: .invalidJSON
      case .invalidMember, .invalidForm: .invalidMember
      case .wrongCommitment: .wrongCommitment
      case .wrongPrevious: .wrongPrevious
      case .wrongRevision: .wrongRevision
      case .wrongSynced: .wrongSynced
      case .misplacedHeader: .misplacedHeader
      case .unsupportedFormat: .unsupportedFormat
      case .foreignHeader: .foreignHeader
      case .wrongSchema: .schemaChangedInSegment
      }
  }
}
