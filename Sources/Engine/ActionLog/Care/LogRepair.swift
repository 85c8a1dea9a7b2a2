/// Cuts off what a crash has left at the end of a log, as the next writer would.
public enum LogRepair {
  /// Repairs a log.
  ///
  /// The torn bytes go to the quarantine, and `@open` and `@close` records say that they were cut. A log that needs nothing
  /// is not touched. Damage is refused: only ``LogSalvage`` deals with it, and never in place.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - fileSystem: The door to the disk.
  ///   - environment: What the `@open` record names.
  ///   - dryRun: Whether only to say what would be done.
  /// - Throws: ``LogError`` with code `damaged`, `locked`, and as ``LogWriter/open(_:model:schema:parent:fileSystem:configuration:)``.
  /// - Complexity: O(length of the last segment + number of segments).
  public static func repair(
    _ path: String,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    environment: LogEnvironment = .live,
    dryRun: Bool = false
  ) throws(LogError) -> RepairReport {
    let reader = try LogReader.open(path, fileSystem: fileSystem)
    guard !reader.isSingleSegment else {
      throw LogError(.notALog, "a log is repaired as a whole, by its directory", path: path)
    }
    _ = try HeadEvidence.forWriting(reader.path, fileSystem)
    let extent = try reader.extent()
    var report = RepairReport(
      lastSeq: extent.lastSeq, cutBytes: 0, removedFiles: try LogFolder.list(reader.path, fileSystem).unfinished,
      isDryRun: dryRun)
    switch extent.ending {
    case .clean, .closed: break
    case .torn(let bytes, _): report.cutBytes = bytes
    case .damaged(var error):
      error.advice =
        LogError.intact(from: extent.firstRead, through: extent.lastSeq)
        + " 'action-log salvage' writes what is intact to a new log."
      throw error
    }
    if report.isNeeded, !dryRun {
      let opening = try open(reader, extent, fileSystem, environment)
      report.cutBytes = opening.recovered?.bytes ?? 0
      report.quarantineFile = opening.recovered?.file
      report.lastSeq = opening.lastSeq
    }
    return report
  }

  /// Opens and closes the log as a writer of its own schema.
  private static func open(
    _ reader: LogReader, _ extent: LogExtent, _ fileSystem: any LogFileSystem, _ environment: LogEnvironment
  ) throws(LogError) -> LogOpening {
    let writer = try LogWriter.open(
      reader.path, model: reader.header.model, schema: extent.schema, fileSystem: fileSystem,
      configuration: LogConfiguration(environment: environment))
    try writer.closeNow()
    return writer.opening
  }
}

/// What a repair did, or would do.
public struct RepairReport: Sendable, Equatable {
  /// The last revision, before and after.
  public var lastSeq: Int
  /// How many torn bytes were cut off; 0 when there was nothing to repair.
  public var cutBytes: Int
  /// The file that keeps them, as a path within the log's directory; `nil` when nothing was cut, or yet.
  public var quarantineFile: String?
  /// Segments that were being made when their writer died, and were removed.
  public var removedFiles: [String]
  /// Whether nothing was changed because only a look was asked for.
  public var isDryRun: Bool

  /// Whether there was, or would be, anything to do.
  public var isNeeded: Bool { cutBytes > 0 || !removedFiles.isEmpty }
}
