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
