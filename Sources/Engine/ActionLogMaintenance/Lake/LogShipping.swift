public import ActionLog
import Platform

/// Copies the finished segments of a log to a directory that other programs read. A writer may hold the log.
///
/// Every sealed segment is finished, and so is the last segment of a closed log if it has an action, or the record of a redaction or
/// pruning. A sealed segment never changes and is named for its first action, so shipping can be repeated at any time: existing files
/// are kept, and missing ones are added. The layout is the one by which SQL engines partition data (Hive):
/// `model=NAME/log=IDENTIFIER/date=YYYY-MM-DD/0000000000000001.jsonl`, with the day (UTC) on which the segment began.
/// `LogReader` and ``LogVerifier`` accept each file by itself. The files of one log, copied to one directory, are
/// that log up to the last segment shipped.
///
/// When a closed log is opened again, its last segment grows. The next shipping replaces the shorter copy.
///
/// A segment whose values were redacted is shipped last if it replaces an earlier copy, so that the segment with the `@redact`
/// record is there first. The record can also be in the segment that is still open, whose beginning is copied before. A directory with
/// the record and some of the earlier copies is a log whose redaction is not complete: shipping again completes it, and so does a restore.
public struct LogShipping: Sendable {
  /// The segments that can be shipped, each with its path in the directory: in the order of the log, and after them those that replace
  /// an earlier copy because values were redacted. They are to be shipped in this order.
  package let segments: [ShippedSegment]
  /// The last segment, if the log is not closed, so that it cannot be shipped yet.
  package let openSegment: LogSegment?
  /// The directory.
  package let root: String

  let fileSystem: any LogFileSystem
  let source: String
  let base: LogBase?
  /// Whether values of the state that the log begins with were redacted, so that an older one must not be kept.
  let isBaseRedacted: Bool
  /// The first revisions of the segments with a `@redact` record, and of those that such a record names.
  let recordingSegments: Set<Int>
  let redactedSegments: Set<Int>
  let manifestDirectory: String
  /// The directory of this log's segments, which is locked during changes.
  var logDirectory: String { logDirectories[2] }
  /// That directory and those that contain it, starting with the root.
  let logDirectories: [String]

  /// Lists what can be shipped. Changes nothing.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - root: The directory to ship to. It need not exist, may be shared by many logs, and must not be inside the log or
  ///     contain it.
  ///   - fileSystem: The file system of both.
  /// - Throws: `LogError` with code `notFound`, `notALog`, `inputOutput`; `invalidArgument` when the directory is a log itself, is
  ///   inside this one or contains it; `damaged` when a segment does not follow the one before it, or the last segment of a log that
  ///   is not closed is damaged.
  /// - Complexity: O(number of segments), and O(length of the last segment) if the log is not closed.
  package init(
    at path: String, to root: String, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) {
    let reader = try LogReader.openWhole(at: path, fileSystem, toBe: "shipped")
    guard try !LakeFileSystem.isShippedLog(path, fileSystem) else {
      throw LogError(
        .invalidArgument, "the log is in a lake already", path: path,
        advice: "Copy the lake's files with any program, or restore the log and ship that.")
    }
    let root = LogFolder.trimmed(root)
    self.root = root
    self.fileSystem = fileSystem
    try Self.check(root, beside: reader.path, fileSystem)
    // Only the boundaries between segments reveal a missing one.
    let folderSegments = reader.segments.map(\.entry)
    let sealed = SealedSegments(fileSystem: fileSystem)
    let boundary = try sealed.check(folderSegments, after: reader.base)
    let redactions = try reader.redactionList().entries
    isBaseRedacted = redactions.contains { entry in entry.record.base != nil }
    recordingSegments = Set(redactions.map(\.segment.first))
    let redactedSegments = Set(redactions.flatMap { entry in entry.record.lines.map(\.segment) })
    self.redactedSegments = redactedSegments
    func shipped(_ segment: LogSegment, isSealed: Bool) throws(LogError) -> ShippedSegment {
      ShippedSegment(
        segment, try Self.beginning(of: segment.path, fileSystem), root: root, isSealed: isSealed,
        isRedacted: redactedSegments.contains(segment.first))
    }
    var segments: [ShippedSegment] = []
    for segment in reader.segments.dropLast() { segments.append(try shipped(segment, isSealed: true)) }
    var openSegment: LogSegment?
    if var last = reader.segments.last {
      let line: RecordLines.Record?
      (line, last.sizeBytes) = try Self.lastRecord(of: last, fileSystem)
      // A log that was shortened to an earlier `@close` looks closed.
      if let head = try HeadFile(reader.path, fileSystem).head,
        (head.segment, head.bytes) > (last.first, last.sizeBytes),
        let damage = try reader.extent().ending.damage
      {
        throw damage
      }
      // Anything but a good `@close` leaves the segment open; opening the log decides whether it is damaged.
      if let line, line.controlType == .close {
        _ = try sealed.header(ofLast: folderSegments[folderSegments.count - 1], after: boundary)
        var isNeeded = line.parsed.revision >= last.first || reader.segments.count == 1
        if !isNeeded { isNeeded = try Self.recordsChange(last.path, fileSystem) }
        // A redaction replaces the last segment as long as it has no action.
        if isNeeded { segments.append(try shipped(last, isSealed: false)) }
      } else {
        // A segment that a writer extends, or that a crash ended, looks like a damaged one at its last line.
        if let damage = try reader.extent().ending.damage { throw damage }
        openSegment = reader.segments.last
      }
    }
    self.openSegment = openSegment
    source = reader.path
    base = reader.base
    logDirectories = Array(ShippedSegment.directories(of: reader.header, in: self.root).prefix(3))
    manifestDirectory = self.root + "/_logs/" + reader.header.log
    if segments.contains(where: \.isRedacted) {
      let manifest = try ShippingManifest(
        at: manifestDirectory + "/" + LogFormat.manifestName, ofLogIn: logDirectories[2], fileSystem)
      for index in segments.indices where segments[index].isRedacted {
        segments[index].replacesCopy = try segments[index].hasCompleteCopy(manifest, fileSystem)
      }
    }
    self.segments = segments.filter { segment in !segment.replacesCopy } + segments.filter(\.replacesCopy)
  }

  /// Ships a log: its finished segments, the durable beginning of an open one, snapshots, checkpoints, and a manifest that lists the
  /// segments.
  ///
  /// Each copy is verified, compared with its source, and renamed when it is complete and durable. What was shipped before is kept, so
  /// shipping again after an error or a crash adds only what is missing.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - root: The directory to ship to. It need not exist, may be shared by many logs, and must not be inside the log or
  ///     contain it.
  ///   - fileSystem: The file system of both.
  ///   - environment: The clock for the times in the manifest.
  /// - Returns: The snapshots, checkpoints and tiles that cannot be read, and were not shipped.
  /// - Throws: `LogError` with code `notFound`, `notALog`, `inputOutput`, `noSpace`; `invalidArgument` when the directory is a log
  ///   itself, is inside this one or contains it; `damaged` when a segment is not intact or does not follow the one before it; `exists`
  ///   when the directory has another history of the log; `locked` while another process ships the log to it.
  /// - Complexity: O(length of what is shipped + number of segments); memory O(longest line).
  @discardableResult
  public static func ship(
    at path: String, to root: String, fileSystem: any LogFileSystem = POSIXFileSystem(),
    environment: LogEnvironment = .live
  ) throws -> [BackupReport.LeftOut] {
    let shipping = try LogShipping(at: path, to: root, fileSystem: fileSystem)
    var pass = try ShippingPass(shipping, now: environment.now)
    for segment in shipping.segments { _ = try pass.ship(segment) }
    _ = try pass.finish()
    return pass.leftOut
  }

  /// Ships a segment. The log is locked.
  ///
  /// - Returns: The verified copy, and its digest.
  func shipLocked(_ segment: ShippedSegment) throws(LogError) -> (verified: LogReport.Segment, sha256: String) {
    try makeDirectories(segment.directories, for: segment.target)
    let unfinished = segment.target + LogFormat.unfinishedSuffix
    let copy: (verified: LogReport.Segment, sha256: String)
    do throws(LogError) {
      copy.sha256 = try self.copy(segment, to: unfinished)
      copy.verified = try verified(unfinished, of: segment)
    } catch {
      // The error to report is the one that ended the copy.
      do throws(FileSystemError) { try fileSystem.remove(unfinished) } catch {}
      throw error.code == .damaged || error.code == .notALog ? Self.damage(segment) : error
    }
    try Self.files(segment.target) { () throws(FileSystemError) in
      try fileSystem.rename(unfinished, to: segment.target)
      try fileSystem.syncDirectory(LogFolder.parent(of: segment.target))
    }
    return copy
  }

  func verified(_ path: String, of segment: ShippedSegment) throws(LogError) -> LogReport.Segment {
    let report = try LogVerifier.verify(at: path, fileSystem: fileSystem)
    guard report.verdict == .clean, let verified = report.segments.first, verified.ends?.first == segment.first else {
      throw Self.damage(segment)
    }
    return verified
  }

  /// Begins a new segment of a closed or crashed log, so that every action is in a sealed segment and can be shipped
  /// permanently.
  ///
  /// Does nothing if the last segment has no action.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - fileSystem: The file system.
  ///   - environment: The clock and the names recorded in `@open`.
  /// - Returns: Whether a segment was begun.
  /// - Throws: `LogError` with code `locked` while a writer holds the log, and like
  ///   `LogWriter.open(at:model:schema:parent:fileSystem:configuration:)`.
  /// - Complexity: O(length of the last segment + number of segments).
  @discardableResult
  public static func seal(
    at path: String, fileSystem: any LogFileSystem = POSIXFileSystem(), environment: LogEnvironment = .live
  ) throws(LogError) -> Bool {
    let reader = try LogReader.openWhole(at: path, fileSystem, toBe: "sealed")
    var opener = try reader.opener(environment)
    guard let last = reader.segments.last, try reader.extent().lastRevision >= last.first else { return false }
    opener.beginsSegment = true
    try opener.open().closeNow()
    return true
  }
}

extension LogShipping {
  /// Reads the last line of a segment, which ends at its length.
  private static func lastRecord(
    of segment: LogSegment, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> (line: RecordLines.Record?, sizeBytes: Int) {
    let file = try SourceFile(segment.path, fileSystem)
    defer { file.close() }
    let sizeBytes = try file.size()
    return (try RecordLines.last(of: file, endingAt: sizeBytes), sizeBytes)
  }

  /// Whether a segment records a redaction or a pruning before its first action. Redacted lines and the base of a pruned log are damage
  /// without that record.
  static func recordsChange(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) -> Bool {
    let file = try SourceFile(path, fileSystem)
    defer { file.close() }
    // They end at a torn tail; a damaged line is reported where the segment is verified.
    var lines = RecordLines(file)
    while let record = try lines.next(), record.parsed.isControl {
      if record.controlType == .redact || record.controlType == .prune { return true }
    }
    return false
  }

  private static func beginning(
    of path: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> (header: LogHeader, previous: UInt32) {
    let file = try SourceFile(path, fileSystem)
    defer { file.close() }
    let header = try SealedSegments.header(of: file, ChainState(beforeSegment: ChainState.Expectation(), after: nil))
    var lines = RecordLines(file)
    guard let first = try lines.next() else { throw damage(path) }
    return (header, first.parsed.prev)
  }

  private static func damage(_ segment: ShippedSegment) -> LogError { damage(segment.source) }

  static func damage(_ path: String) -> LogError {
    LogError(
      .damaged, "the segment is not intact and was not shipped", path: path,
      advice: .fullReport)
  }

  static func failure(_ error: FileSystemError, _ path: String) -> LogError {
    var failure = LogError.making(error, "the segment cannot be shipped", path: path)
    failure.intact = failure.intact ?? "The log was not changed, and what was shipped before is intact."
    failure.advice = failure.advice ?? "Ship again when the cause is mended: existing copies are kept."
    return failure
  }

  /// Makes calls of a file system, and converts the error of the one that fails.
  static func files<Value>(
    _ path: String, _ calls: () throws(FileSystemError) -> Value
  ) throws(LogError) -> Value {
    do throws(FileSystemError) { return try calls() } catch { throw failure(error, path) }
  }

  /// Locks a directory of this log; those of other logs stay free.
  static func lock(_ directory: String, _ fileSystem: any LogFileSystem) throws(LogError) -> any DirectoryLock {
    do throws(FileSystemError) { return try fileSystem.lock(directory: directory) } catch {
      guard error.code == .locked else { throw failure(error, directory) }
      let holder = error.holder.map { process in " (process \(process))" } ?? ""
      throw LogError(
        .locked, "another process is shipping this log\(holder)", path: directory,
        advice: "Try again when it has finished: nothing is shipped twice.", underlying: error)
    }
  }

  /// Refuses a directory that is a log, is inside this one or contains it: a search in one would find the other.
  private static func check(
    _ root: String, beside log: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) {
    let message: String
    do throws(FileSystemError) {
      if try fileSystem.path(root, isWithin: log) {
        message = "the directory to ship to is inside the log"
      } else if try fileSystem.path(log, isWithin: root) {
        message = "the log is inside the directory to ship to"
      } else {
        guard let status = try fileSystem.status(of: root) else { return }
        guard status.kind == .directory || status.isSymbolicLink else {
          throw FileSystemError(code: .notADirectory, operation: "opendir", path: root)
        }
        let folder = try LogFolder(root, fileSystem)
        guard !folder.segments.isEmpty || folder.hasHead || folder.hasBase else { return }
        message = "the directory to ship to is a log"
      }
    } catch {
      guard error.code == .notADirectory else {
        throw LogError.files(error, "the directory cannot be read", path: root)
      }
      message = "the path to ship to is not a directory"
    }
    throw LogError(
      .invalidArgument, message, path: root, advice: "Name a separate directory for the shipped segments.")
  }

  /// Creates the missing directories and makes each durable in its parent.
  ///
  /// An existing directory may have been created by a shipping that was killed before it was durable. The parent of
  /// the first directory is not synced if the first one is in use: it belongs to others and may be unreadable.
  func makeDirectories(_ directories: [String], for path: String) throws(LogError) {
    try Self.files(path) { () throws(FileSystemError) in
      for (index, directory) in directories.enumerated() {
        let isNew = try fileSystem.createDirectoryIfMissing(directory)
        if !isNew, index == 0, try !fileSystem.names(in: directory).isEmpty { continue }
        try fileSystem.syncDirectory(LogFolder.parent(of: directory))
      }
    }
  }

  /// Copies a segment, and compares the copy with what was read.
  ///
  /// - Returns: The digest of both.
  private func copy(_ segment: ShippedSegment, to unfinished: String) throws(LogError) -> String {
    try Self.files(segment.target) { () throws(FileSystemError) in
      // A power cut must not remove shipped actions from the log. Sealed segments are durable.
      if !segment.isSealed { try fileSystem.syncFile(segment.source) }
      // The lock proves that no process uses the leftover of an earlier attempt.
      var hash = SHA256()
      let sizeBytes = try fileSystem.copy(segment.source, limitBytes: segment.sizeBytes, to: unfinished) { _, bytes in
        bytes.withUnsafeBytes { bytes in hash.update(bytes) }
        return true
      }
      // The segment was truncated after it was listed.
      guard sizeBytes == segment.sizeBytes else {
        throw FileSystemError(code: .inputOutput, operation: "read", path: segment.source)
      }
      let digest = hash.digest()
      guard try fileSystem.digest(of: unfinished) == digest else {
        throw FileSystemError(code: .inputOutput, operation: "compare", path: unfinished)
      }
      return digest.hexadecimal
    }
  }
}
