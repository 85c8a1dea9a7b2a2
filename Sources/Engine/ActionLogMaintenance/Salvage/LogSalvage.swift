public import ActionLog
import Platform

/// Copies the intact records of a damaged log to a new log.
///
/// Marks are not copied; the command `salvage` copies them.
public enum LogSalvage {
  /// Copies the intact actions of a log to a new log that names the old one as its parent. The old log is not
  /// changed.
  ///
  /// Valid records from past the first gap go to `after-gap.jsonl` in the new log's directory. They are not part of
  /// the new log, because the state that they were recorded on is lost.
  ///
  /// The new log of a pruned log begins with the same base: revisions keep their numbers.
  ///
  /// A writer may hold the old log; records it adds during the salvage are ignored. Unreadable pages, and segments
  /// that are not regular files, are gaps; ``SalvageReport/Gap/message`` gives the reason.
  ///
  /// - Parameters:
  ///   - path: The old log's directory.
  ///   - target: A path that does not exist, or an empty directory; not inside the old log.
  ///   - model: The name of the model, required if no segment has a valid first line.
  ///   - fileSystem: The file system.
  ///   - environment: The clock and the identifier of the new log.
  /// - Throws: `LogError` with code `notFound`, `notALog`, `exists`, `invalidArgument`, `noSpace`, `inputOutput`,
  ///   `damaged` if the base of a pruned log is unusable, and like
  ///   `LogWriter.open(at:model:schema:parent:fileSystem:configuration:)`. The target does not exist then, unless only its name
  ///   could not be made durable: the new log is made next to it, in `TARGET.unfinished`, and renamed when it is complete.
  /// - Complexity: O(length of the log); memory O(longest line + number of gaps).
  public static func salvage(
    at path: String,
    to target: String,
    model: String? = nil,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    environment: LogEnvironment = .live
  ) throws(LogError) -> SalvageReport {
    try salvage(at: path, to: target, model: model, fileSystem: fileSystem, environment: environment) { _, _ in }
  }

  /// Salvages a log and lets the caller add files to the new one before it is renamed.
  ///
  /// - Parameter complete: Called when everything is durable, with the directory of the unfinished log. Its files
  ///   must be durable when it returns; if it throws, there is no new log.
  package static func salvage(
    at path: String, to target: String, model: String?, fileSystem: any LogFileSystem,
    environment: LogEnvironment, completing complete: (_ directory: String, SalvageReport) throws(LogError) -> Void
  ) throws(LogError) -> SalvageReport {
    let path = LogFolder.trimmed(path)
    let target = LogFolder.trimmed(target)
    let folder = try LogFolder.list(path, fileSystem)
    guard !folder.segments.isEmpty else { throw LogError(.notALog, "the directory holds no segment", path: path) }
    try LogFolder.check(target, isOutside: path, fileSystem, "the new log")
    let source = try SalvageSource(folder, fileSystem, model: model)
    var isFilled = false
    do throws(LogError) {
      var sink = try SalvageSink(to: target, source, fileSystem, environment)
      do throws(LogError) {
        try source.forEachIntact { (record) throws(LogError) in try sink.append(intact: record) }
        let gaps = try source.forEachBeyond { (line) throws(LogError) in try sink.keep(line) }
        return try sink.finish(gaps) { (directory, report) throws(LogError) in
          isFilled = true
          try complete(directory, report)
        }
      } catch {
        sink.abandon()
        throw error
      }
    } catch  where error.code == .noSpace && !isFilled {
      throw LogError(
        .noSpace, "no space is left for the new log", path: target,
        intact: "The damaged log was not changed, and there is no new one.",
        advice: "Free space, or name a path on another disk, and repeat the command.", underlying: error)
    }
  }
}

/// The result of a salvage.
public struct SalvageReport: Sendable, Equatable {
  /// A part of a log that is unreadable or missing.
  public struct Gap: Sendable, Equatable {
    /// The fault of its first line.
    public var message: String
    /// The file.
    public var path: String
    /// Its offset in the file.
    public var byteOffset: Int
    /// Its length in bytes; 0 if lines are missing without a trace.
    public var sizeBytes: Int
    /// The highest revision before it.
    public var lastRevisionBefore: Int
    /// The first revision after it; `nil` if there is none.
    public var firstRevisionAfter: Int?
  }

  /// The revision that both logs begin with: 0, or that of the base of a pruned log.
  public internal(set) var firstRevision = 0
  /// The last revision of the new log, and the last intact action of the old one.
  public var lastRevision: Int
  /// The number of valid records past the first gap.
  public var afterGapCount: Int
  /// The file that holds them, in the new log's directory; `nil` if there are none.
  public var afterGapPath: String?
  /// The gaps, in the order of the log.
  public var gaps: [Gap]
  /// The number of unknown control records, which were not copied.
  public var skippedCount: Int
}

extension SalvageReport {
  /// The number of actions in the new log.
  public var actionCount: Int { lastRevision - firstRevision }

  /// The revisions of both logs.
  package var revisions: ClosedRange<Int> { firstRevision...max(firstRevision, lastRevision) }
}
