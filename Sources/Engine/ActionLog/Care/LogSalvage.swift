/// Saves what is good of a damaged log, in a new one.
///
/// What lies beside the records of a log, names and remarks for instance, is not this module's: `TimeTravel` takes the marks
/// along.
public enum LogSalvage {
  /// Writes the intact actions of a log to a new one that names the old one as its parent. The old log is not changed.
  ///
  /// Good records from beyond the first gap go to `after-gap.jsonl` beside the new segments: they are not part of the new
  /// log, because the state that they were recorded on is lost.
  ///
  /// A writer may be at work on the old log: what it adds meanwhile is left to it. Pages that cannot be read, and what lies at the
  /// name of a segment and is none, are gaps: ``SalvageReport/Gap/message`` says why.
  ///
  /// - Parameters:
  ///   - path: The old log's directory.
  ///   - target: A path at which nothing lies, or an empty directory; not within the old log.
  ///   - join: Whether to put the actions from beyond gaps behind the intact ones all the same, with new numbers, the old
  ///     number kept in `meta.was`. They may mean something else there, or be refused by the reducer. A `meta.cause` becomes the
  ///     number that the cause has in the new log, and is left out when it is not there.
  ///   - model: The name of the model, for a log of which no segment has a good first line.
  ///   - fileSystem: The door to the disk.
  ///   - environment: Clock and identifier of the new log.
  /// - Throws: ``LogError`` with code `notFound`, `notALog`, `exists`, `invalidArgument`, `noSpace`, `inputOutput`, and as
  ///   ``LogWriter/open(_:model:schema:parent:fileSystem:configuration:)``. Nothing is at the target then, unless only its name
  ///   could not be made durable: the new log is made beside it, as `TARGET.unfinished`, and gets its name when it is whole.
  /// - Complexity: O(length of the log), and O(log(number of gaps)) for each joined action that names a cause; memory
  ///   O(longest line + number of gaps).
  public static func salvage(
    _ path: String,
    to target: String,
    join: Bool = false,
    model: String? = nil,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    environment: LogEnvironment = .live
  ) throws(LogError) -> SalvageReport {
    try salvage(path, to: target, join: join, model: model, fileSystem: fileSystem, environment: environment) { _, _ in
    }
  }

  /// Does the same, and lets something be added to the new log before it gets its name.
  ///
  /// - Parameter complete: Is called once everything is durable, with the directory in which the new log lies until it has its
  ///   name. What it writes there must be durable when it returns; when it throws, there is no new log.
  package static func salvage(
    _ path: String, to target: String, join: Bool, model: String?, fileSystem: any LogFileSystem,
    environment: LogEnvironment, completing complete: (_ directory: String, SalvageReport) throws(LogError) -> Void
  ) throws(LogError) -> SalvageReport {
    let path = LogFolder.trimmed(path)
    let target = LogFolder.trimmed(target)
    let folder = try LogFolder.list(path, fileSystem)
    guard !folder.segments.isEmpty else { throw LogError(.notALog, "the directory holds no segment", path: path) }
    try LogFolder.check(target, isOutside: path, fileSystem, "the new log")
    let source = try SalvageSource(folder, fileSystem, model: model)
    let directory = try NewDirectory(at: target, fileSystem, failure: failure)
    do throws(LogError) {
      let report = try fill(directory.path, target, source, fileSystem, environment, join: join)
      try complete(directory.path, report)
      try directory.finish(failure: failure)
      return report
    } catch {
      directory.discard()
      throw error
    }
  }

  private static let failure = "the new log cannot be made"

  private static func fill(
    _ path: String, _ target: String, _ source: SalvageSource, _ fileSystem: any LogFileSystem,
    _ environment: LogEnvironment, join: Bool
  ) throws(LogError) -> SalvageReport {
    var sink = try SalvageSink(path, target: target, source, fileSystem, environment)
    do throws(LogError) {
      try source.forEachIntact { (record) throws(LogError) in try sink.take(intact: record) }
      try sink.finishIntact()
      let gaps = try source.forEachBeyond { (line) throws(LogError) in try sink.take(beyond: line, join: join) }
      return try sink.finish(gaps)
    } catch {
      sink.abandon()
      throw error
    }
  }
}

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

  /// Actions from beyond a gap that follow each other in both logs.
  public struct JoinedRange: Sendable, Equatable {
    /// Their revisions in the old log.
    public internal(set) var oldRevisions: ClosedRange<Int>
    /// The revision of the first of them in the new log.
    public var firstRevision: Int
  }

  /// How many actions the new log holds.
  public var lastSeq: Int
  /// The actions 1 to this one are those of the old log.
  public var intactSeq: Int
  /// The actions from beyond gaps that were put behind them, with new numbers, in the order of both logs.
  public internal(set) var joined: [JoinedRange]
  /// How many actions from beyond gaps were to be joined and were not: they stand behind actions with higher numbers, or under an
  /// older schema, so that nothing says where they belong. They are among the records beyond the first gap.
  public internal(set) var unjoinedCount = 0
  /// How many good records lie beyond the first gap.
  public var afterGapCount: Int
  /// The file that holds them, in the new log's directory; `nil` when there are none.
  public var afterGapPath: String?
  /// What is missing, in the order of the log.
  public var gaps: [Gap]
  /// Control records that this version does not know and did not take over.
  public var skippedCount: Int
}

extension SalvageReport {
  /// How many actions from beyond gaps were put behind the intact ones.
  ///
  /// - Complexity: O(number of gaps).
  public var joinedCount: Int { joined.reduce(0) { count, stretch in count + stretch.oldRevisions.count } }

  /// The revision that an action of the old log has in the new one.
  ///
  /// - Parameter old: Its revision in the old log.
  /// - Returns: `nil` when the new log does not hold it.
  /// - Complexity: O(log(number of gaps)).
  public func revision(ofOld old: Int) -> Int? {
    if old <= intactSeq { return old >= 0 ? old : nil }
    // The last stretch that does not begin behind it lies before `end`.
    var (start, end) = (0, joined.count)
    while start < end {
      let middle = start + (end - start) / 2
      if joined[middle].oldRevisions.lowerBound <= old { start = middle + 1 } else { end = middle }
    }
    guard end > 0, joined[end - 1].oldRevisions.contains(old) else { return nil }
    return joined[end - 1].firstRevision + (old - joined[end - 1].oldRevisions.lowerBound)
  }

  /// Notes that the next action of the new log is one from beyond a gap, later in the old log than those before it.
  mutating func noteJoined(_ old: Int) {
    if let last = joined.last, last.oldRevisions.upperBound + 1 == old {
      joined[joined.count - 1].oldRevisions = last.oldRevisions.lowerBound...old
    } else {
      let last = joined.last.map { stretch in stretch.firstRevision + stretch.oldRevisions.count - 1 } ?? intactSeq
      joined.append(JoinedRange(oldRevisions: old...old, firstRevision: last + 1))
    }
  }
}
