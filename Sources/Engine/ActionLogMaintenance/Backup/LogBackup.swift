public import ActionLog

/// Copies a log, also while a writer holds it.
public enum LogBackup {
  /// Copies a log with its snapshots, subscriptions, marks and proofs to a new directory, makes the copy durable, and verifies it.
  ///
  /// `HEAD` is read first, so that the copy has everything `HEAD` records as durable. Snapshots and the positions of
  /// subscriptions are copied before the segments, so that none is ahead of them, and so are checkpoints and tiles, so that the
  /// copy has every line that they cover. An unfinished line or unit at the end is left
  /// out, and so are `HEAD`, marks, proofs, positions and snapshots that cannot be read (``BackupReport/leftOut``). The
  /// quarantine is not copied, nor are projections, which can be rebuilt from the copy. Damage is copied unchanged and
  /// reported in ``BackupReport/verification``.
  ///
  /// If values are redacted while the log is copied, the segments that were replaced are copied again. Snapshots from before a
  /// redaction that may hold the removed values are not in the copy.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - target: A path that does not exist, or an empty directory; not inside the log.
  ///   - fileSystem: The file system.
  /// - Throws: `LogError` with code `notFound`, `notALog`, `exists`, `invalidArgument`, `locked`, `noSpace`,
  ///   `inputOutput`, or `damaged` if the first line is invalid or the path of a segment is not a regular file. The
  ///   target does not exist then, unless only its name could not be made durable: the copy is made next to it, in
  ///   `TARGET.unfinished`, and renamed when it is complete.
  /// - Complexity: O(length of the log); memory O(longest line).
  public static func backup(
    at path: String, to target: String, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) -> BackupReport {
    let reader = try LogReader.openWhole(at: path, fileSystem, toBe: "copied")
    let target = LogFolder.trimmed(target)
    try LogFolder.check(target, isOutside: reader.path, fileSystem, "a copy")
    let directory = try NewDirectory(at: target, fileSystem, failure: failure)
    do throws(LogError) {
      var report = try copy(reader.path, to: directory.path, fileSystem)
      report.verification = try LogVerifier.verify(at: directory.path, fileSystem: fileSystem)
      report.verification.changePaths { path in
        path.hasPrefix(directory.path) ? target + path.dropFirst(directory.path.count) : path
      }
      if report.unfinishedBytes > LogFormat.tornLimitBytes {
        report.verification.add(
          LogProblem(
            .missingEnd,
            "\(report.unfinishedBytes) bytes without a line feed, more than a crash can tear, were left out with what follows",
            path: target, revision: report.verification.lastRevision + 1))
      }
      try directory.finish(failure: failure)
      return report
    } catch {
      directory.discard()
      throw error
    }
  }

  private static let failure = "the log cannot be copied"

  private static func copy(
    _ path: String, to target: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> BackupReport {
    var copy = BackupCopy(source: path, target: target, fileSystem: fileSystem)
    // Before `HEAD`, which refers to bytes of a segment that a redaction may replace.
    var redactions = try redactions(of: path, fileSystem)
    var head = try HeadFile(path, fileSystem)
    // Before the segments, which then have all lines that the checkpoints and tiles cover.
    var proofs = ProofsCopy(source: path, target: target, fileSystem: fileSystem)
    try run(&proofs, path)
    try files { () throws(FileSystemError) in try copy.run(head) }
    for attempt in 0... {
      let now = try self.redactions(of: path, fileSystem)
      let replaced = now.flatMap { now in redactions?.segmentsReplaced(until: now) }
      let isPruned = try files { () throws(FileSystemError) in try proofs.isOutdated(by: copy.base) }
      guard replaced != nil || isPruned else { break }
      guard attempt < BackupCopy.attemptLimit else {
        throw changed(path, "Values are being redacted again and again. Copy the log afterward.")
      }
      head = try HeadFile(path, fileSystem)
      if let now { redactions = now }
      if isPruned { try run(&proofs, path) }
      try files { () throws(FileSystemError) in try copy.runAgain(head, copying: replaced ?? []) }
    }
    try files { () throws(FileSystemError) in try copy.finish(head, redactions, proofs) }
    guard copy.hasSegment else {
      throw LogError(.notALog, "\(failure): its segments were removed while it was copied", path: path)
    }
    guard copy.isSettled else {
      throw changed(
        path, "A writer keeps rolling back batches that it cannot write. Copy the log when the writer is idle.")
    }
    return copy.report
  }

  private static func run(_ proofs: inout ProofsCopy, _ path: String) throws(LogError) {
    guard try files({ () throws(FileSystemError) in try proofs.run() }) else {
      throw changed(path, "Tiles are being made again and again. Copy the log when no program makes checkpoints.")
    }
  }

  private static func changed(_ path: String, _ advice: MessageText) -> LogError {
    LogError(.inputOutput, "the log changed while it was copied", path: path, advice: advice)
  }

  /// Reads the redactions of a log; `nil` if it is so damaged that they are unknown.
  private static func redactions(
    of path: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> LogRedactions? {
    do throws(LogError) { return try LogReader.open(at: path, fileSystem: fileSystem).redactionList() } catch {
      // The copy reports a file that it cannot read.
      guard error.underlying is FileSystemError, !error.concernsFile else { return nil }
      throw error
    }
  }

  private static func files<Value>(_ calls: () throws(FileSystemError) -> Value) throws(LogError) -> Value {
    do throws(FileSystemError) { return try calls() } catch {
      guard error.code == .notARegularFile else { throw LogError.files(error, failure) }
      throw LogError.segment(error, failure, path: error.path)
    }
  }
}

/// The result of a backup.
public struct BackupReport: Sendable, Equatable {
  /// A file or directory that is not in the copy.
  public struct LeftOut: Sendable, Equatable {
    /// The path within the log's directory.
    public var path: String
    /// Why it was left out.
    public var message: String
    /// Whether the copy lacks something without it. It does not without a snapshot, or a malformed `HEAD`, which records nothing.
    package let isNeeded: Bool

    init(path: String, message: String, isNeeded: Bool = true) {
      (self.path, self.message) = (path, message)
      self.isNeeded = isNeeded && !path.hasPrefix(LogFormat.snapshotsName)
    }
  }

  /// The files, as paths within the log's directory.
  public var files: [String] = []
  /// The total size of the files.
  public var sizeBytes = 0
  /// The bytes at the end of the log that were left out because their line, or the unit of their lines, was incomplete: a batch that was
  /// being written.
  public var unfinishedBytes = 0
  /// The files that could not be read, or are longer than any that is read, and are not in the copy: `HEAD`, the marks, files of
  /// subscriptions, snapshots, proofs, or the entire directory of these; also snapshots from before a redaction, which no replay would
  /// use. The copy opens without them: without snapshots it is replayed from an older one or from the beginning, without its position a
  /// subscription starts over, without `HEAD` recovery lacks a hint, and without tiles a pruned log has no checkpoints.
  public var leftOut: [LeftOut] = []
  /// The result of verifying the copy: damage of the log, or of the copy itself.
  public internal(set) var verification = LogReport()
}

// MARK: - Copying files

/// Copies files that a log can do without, such as snapshots and checkpoints. A file that cannot be read is left out.
struct SideFileCopying {
  let source: String
  let target: String
  let fileSystem: any LogFileSystem
  private(set) var files: [(path: String, sizeBytes: Int)] = []
  private(set) var leftOut: [BackupReport.LeftOut] = []

  static let wrongKind = "a different kind of file has its name"

  mutating func copyFolder(
    _ folder: String, limitBytes: Int, where isCopied: (_ name: String) -> Bool
  ) throws(FileSystemError) {
    if let names = try names(in: folder) { try copy(names.filter(isCopied), in: folder, limitBytes: limitBytes) }
  }

  mutating func copy(_ names: [String], in folder: String, limitBytes: Int) throws(FileSystemError) {
    guard !names.isEmpty else { return }
    try fileSystem.makeDirectories(target + "/" + folder)
    for name in names { try copy(folder + "/" + name, limitBytes: limitBytes) }
    try fileSystem.syncDirectory(target + "/" + folder)
  }

  /// Returns the names in a folder; none if it does not exist, `nil` if it is left out.
  mutating func names(in folder: String) throws(FileSystemError) -> [String]? {
    do throws(FileSystemError) {
      guard let status = try fileSystem.status(of: source + "/" + folder) else { return [] }
      if status.kind == .directory { return try fileSystem.names(in: source + "/" + folder) }
      leaveOut(folder, Self.wrongKind)
    } catch {
      guard error.concernsFile else { throw error }
      leaveOut(folder, error.code == .notADirectory ? Self.wrongKind : "it cannot be listed (\(error))")
    }
    return nil
  }

  /// Copies a file, unless it cannot be read, or was removed since it was listed.
  ///
  /// - Returns: Whether it was copied.
  @discardableResult
  mutating func copy(_ path: String, limitBytes: Int, suffix: String = "") throws(FileSystemError) -> Bool {
    let copy = target + "/" + path + suffix
    do throws(FileSystemError) {
      guard let status = try fileSystem.status(of: source + "/" + path) else { return false }
      guard status.kind == .file, status.sizeBytes <= limitBytes else {
        leaveOut(
          path,
          status.kind == .file
            ? "it has \(status.sizeBytes) bytes, more than the \(limitBytes) that are read of such a file"
            : Self.wrongKind)
        return false
      }
      files.append((path, try fileSystem.copy(source + "/" + path, limitBytes: limitBytes, to: copy)))
      return true
    } catch {
      guard error.path != copy, error.concernsFile else { throw error }
      // The recorder may have removed it since it was listed.
      if error.code != .notFound { leaveOut(path, "it cannot be read (\(error))") }
      return false
    }
  }

  private mutating func leaveOut(_ path: String, _ message: String) {
    guard !leftOut.contains(where: { other in other.path == path }) else { return }
    leftOut.append(BackupReport.LeftOut(path: path, message: message))
  }
}
