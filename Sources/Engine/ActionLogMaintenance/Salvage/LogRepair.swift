public import ActionLog

/// Truncates a torn tail as the next writer would.
public enum LogRepair {
  /// Repairs a log.
  ///
  /// The torn bytes go to the quarantine, and `@open` and `@close` records document that. A log without a torn tail
  /// is not changed. Damage is refused; only ``LogSalvage`` handles it, and never in place.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - fileSystem: The file system.
  ///   - environment: The names recorded in `@open`.
  ///   - dryRun: Whether only to report what would be done.
  /// - Throws: `LogError` with code `damaged`, `locked`, and like
  ///   `LogWriter.open(at:model:schema:parent:fileSystem:configuration:)`.
  /// - Complexity: O(length of the last segment + number of segments).
  public static func repair(
    at path: String,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    environment: LogEnvironment = .live,
    dryRun: Bool = false
  ) throws(LogError) -> RepairReport {
    // Before anything is read: a file can also be one of the system, such as /proc/self/mem.
    let status: FileStatus?
    do throws(FileSystemError) { status = try fileSystem.status(of: path) } catch { status = nil }
    guard status?.kind != .file else {
      throw LogError(.notALog, "a log can only be repaired as a directory", path: path)
    }
    let reader = try LogReader.open(at: path, fileSystem: fileSystem)
    _ = try HeadFile.forWriting(reader.path, fileSystem)
    let extent = try reader.extent()
    var report = RepairReport(
      lastRevision: extent.lastRevision, truncatedBytes: 0,
      removedFiles: try LogFolder.list(reader.path, fileSystem).unfinished,
      isDryRun: dryRun)
    switch extent.ending {
    case .clean, .closed: break
    case .torn(let bytes, _): report.truncatedBytes = bytes
    case .damaged(var error):
      error.intact = LogError.intact(from: extent.firstRead, through: extent.lastRevision)
      error.advice = "\(.salvage) copies them to a new log."
      throw error
    }
    if report.isNeeded, !dryRun {
      let writer = try LogOpener(maintaining: reader, extent, environment).open()
      try writer.closeNow()
      let opening = writer.opening
      report.truncatedBytes = opening.recovered?.bytes ?? 0
      report.quarantineFile = opening.recovered?.file
      report.lastRevision = opening.lastRevision
    }
    return report
  }
}

/// The result of a repair.
public struct RepairReport: Sendable, Equatable {
  /// The last revision, which repair does not change.
  public var lastRevision: Int
  /// The number of truncated bytes; 0 if nothing needed repair.
  public var truncatedBytes: Int
  /// The file that holds them, relative to the log's directory; `nil` if nothing was truncated.
  public var quarantineFile: String?
  /// Unfinished segments of earlier writers that were removed.
  public var removedFiles: [String]
  /// Whether this was a dry run, which changes nothing.
  public var isDryRun: Bool

  /// Whether there was anything to repair.
  public var isNeeded: Bool { truncatedBytes > 0 || !removedFiles.isEmpty }
}
