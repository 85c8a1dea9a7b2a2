package import ActionLog
import Platform

extension LogPruning {
  /// Puts the segments of a pruned log back.
  ///
  /// The segments must be all those before the log. They are verified: the checksum chain and the Merkle tree must lead to the base, or
  /// the chain to the log's first line if the base is missing or damaged, and the digest of each must be the one in the newest `@prune`
  /// record that names it.
  ///
  /// An interruption leaves a pruned log, or one that begins with its first action and does not record that. In both cases the same
  /// call completes it.
  ///
  /// - Parameters:
  ///   - directory: The directory with the archived segments; or a lake to which the log was shipped, or the log's directory there.
  ///   - actor: Who asked for it; `nil` if unknown.
  /// - Returns: What was recorded.
  package static func restore(
    at path: String, from directory: String, reason: String, actor: String?, environment: LogEnvironment,
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) -> PruneRecord {
    let path = LogFolder.trimmed(path)
    func putBack() throws(LogError) -> PruneRecord {
      try RestorableArchive(directory, of: path, fileSystem).putBack(reason: reason)
    }
    var restored: PruneRecord?
    if try RestorableArchive.lacksBase(path, fileSystem) {
      // No writer can open the log before it is complete.
      let lock = try LogError.files("the log cannot be locked", at: path) { () throws(FileSystemError) in
        try fileSystem.lockPresent(directory: path)
      }
      defer { lock.unlock() }
      restored = try putBack()
    }
    let opener = try LogReader.open(at: path, fileSystem: fileSystem).opener(environment)
    let acquired = try opener.acquire()
    let record: PruneRecord
    do throws(LogError) {
      if restored == nil { restored = try unrecordedRestoring(at: path, reason: reason, fileSystem) }
      record = if let restored { restored } else { try putBack() }
    } catch {
      acquired.release()
      throw error
    }
    try opener.start(acquired).recordAndClose(record, actor: actor) {}
    return record
  }

  /// Verifies that archived segments can be put back. Changes nothing.
  ///
  /// - Returns: The first action that the log has without them: 1 if it has them, and only the record is missing; `nil` if nothing is, because
  ///   they were put back before.
  package static func checkRestoring(
    at path: String, from directory: String, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) -> Int? {
    let path = LogFolder.trimmed(path)
    if try !RestorableArchive.lacksBase(path, fileSystem) {
      if try unrecordedRestoring(at: path, reason: "", fileSystem) != nil { return 1 }
      let reader = try LogReader.open(at: path, fileSystem: fileSystem)
      if try reader.listing().base == nil, try reader.lastPruning() != nil { return nil }
    }
    return try RestorableArchive(directory, of: path, fileSystem).firstKept
  }

  /// Returns the record that a log lacks if its newest `@prune` record names a base, and the log begins with its first action: its
  /// segments were put back and the program was interrupted, or the pruning was never carried out.
  static func unrecordedRestoring(
    at path: String, reason: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> PruneRecord? {
    let reader = try LogReader.open(at: path, fileSystem: fileSystem)
    guard try reader.listing().base == nil, let last = try reader.lastPruning()?.record, last.base != nil else {
      return nil
    }
    return PruneRecord(reason: reason, first: 1, lineCount: 0, base: nil, segments: last.segments, archive: nil)
  }
}

/// The archived segments of a pruned log, verified.
private struct RestorableArchive {
  /// The base; `nil` if it is missing or damaged.
  let base: LogBase?
  /// The first action that the log has without the archive.
  let firstKept: Int

  private let path: String
  private let directory: String
  private let fileSystem: any LogFileSystem
  private let files: [LogFolder.Segment]
  private let examined: ExaminedSegments
  private let kept: LogFolder.Segment

  init(_ directory: String, of path: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    let log = try Self.folder(path, fileSystem, "the log")
    base = try Self.base(of: log, fileSystem)
    guard let first = base?.first ?? log.segments.first?.first, first > 1 else {
      throw LogError(.invalidArgument, "the log was not pruned: it begins with its first action", path: path)
    }
    guard let kept = log.segments.first(where: { segment in segment.first >= first }) else {
      throw LogError(.damaged, "the log has no segment after its base", path: path, intact: "The log was not changed.")
    }
    self.kept = kept
    firstKept = first
    let header = try LogReader.open(at: kept.path, fileSystem: fileSystem).header
    let lake = try LakeArchive(at: LogFolder.trimmed(directory), of: header, fileSystem)
    let directory = lake?.directory ?? LogFolder.trimmed(directory)
    let fileSystem = lake == nil ? fileSystem : LakeFileSystem(fileSystem)
    (self.path, self.directory, self.fileSystem) = (path, directory, fileSystem)
    let archived = try Self.folder(
      directory, fileSystem, "the archive",
      advice: lake == nil
        ? "Name the directory to which \(.operation("prune", .option("archive"))) copied the segments."
        : "If the segments are in another store, fetch them to this directory first."
    )
    files = archived.segments.filter { segment in segment.first < first }
    // The log as it will be.
    var added: [String: String] = [:]
    for file in files { added[SegmentName.text(first: file.first)] = file.path }
    let future = RestoredFileSystem(base: fileSystem, log: path, added: added)
    guard files.first?.first == 1 else { throw Self.incomplete(directory, path, first, fileSystem) }
    // Before the log as it will be is read: errors then have the paths of the archive.
    examined = try Self.examine(files, of: header, fileSystem)
    let reader = try LogReader.open(at: path, fileSystem: future)
    try Self.checkRedactions(reader, directory)
    let fits: Bool
    if let base {
      fits =
        examined.link == base.lastLine && examined.tree.size == base.lineCount && examined.tree.subtrees == base.tree
    } else {
      fits = try LogVerifier.verify(at: path, fileSystem: future).verdict != .damaged
    }
    guard fits else {
      throw LogError(
        .damaged, "the segments are not those that were removed, or not all of them", path: directory,
        intact: "The log was not changed.",
        advice:
          "They must lead to the line before revision \(first)\(base == nil ? "" : ", with the tree in base.json").")
    }
    try checkDigests(reader)
  }

  private static func examine(
    _ files: [LogFolder.Segment], of header: LogHeader, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> ExaminedSegments {
    do throws(LogError) { return try ExaminedSegments(files, after: nil, of: header, fileSystem) } catch {
      var failure = error
      failure.intact = "The log was not changed."
      if error.code == .damaged { failure.advice = "Name a directory with intact copies of the segments." }
      throw failure
    }
  }

  /// Checks that each segment is the one that was removed last. An older copy can have values that were redacted since, with the same
  /// checksum chain and the same tree.
  private func checkDigests(_ reader: LogReader) throws(LogError) {
    var newest: [Int: PruneRecord.Segment] = [:]
    for pruning in PruneRecord.sinceRestoring(try reader.changes().changes) {
      for segment in pruning.segments { newest[segment.first] = segment }
    }
    for segment in examined.segments {
      guard let recorded = newest[segment.first], recorded != segment else { continue }
      throw LogError(
        .damaged, "the segment is not the one that @prune records",
        path: directory + "/" + SegmentName.text(first: segment.first), intact: "The log was not changed.",
        advice:
          "Name the directory to which it was archived last. An older copy can have values that were redacted since.")
    }
  }

  /// Checks that the state of no base was redacted: the archived segments lead to the state as it was, with the erased values.
  private static func checkRedactions(_ reader: LogReader, _ directory: String) throws(LogError) {
    guard try reader.redactionList().entries.contains(where: { entry in entry.record.base != nil }) else { return }
    throw LogError(
      .rejected, "the base of the log was redacted, and the archived segments may hold the erased values",
      path: directory, intact: "The log was not changed.",
      advice: "Delete the archive, or keep it apart: its actions can be read where it is, as those of a log, "
        + "for instance with \(.operation("list", "DIR")).")
  }

  private static func folder(
    _ path: String, _ fileSystem: any LogFileSystem, _ what: String, advice: MessageText? = nil
  ) throws(LogError) -> LogFolder {
    do throws(FileSystemError) { return try LogFolder(path, fileSystem) } catch {
      var failure = LogError.files(error, "\(what) cannot be read", path: path)
      failure.advice = failure.advice ?? advice
      throw failure
    }
  }

  /// Whether the base of a pruned log is missing or damaged.
  static func lacksBase(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) -> Bool {
    let log = try folder(path, fileSystem, "the log")
    guard try base(of: log, fileSystem) == nil else { return false }
    return log.segments.first?.first ?? 1 > 1
  }

  /// The base of a log; `nil` if it is missing or damaged.
  private static func base(of log: LogFolder, _ fileSystem: any LogFileSystem) throws(LogError) -> LogBase? {
    var log = log
    _ = try LogError.unlessDamaged { () throws(LogError) in try log.readBase(fileSystem) }
    return log.base
  }

  private static func incomplete(
    _ directory: String, _ path: String, _ first: Int, _ fileSystem: any LogFileSystem
  ) -> LogError {
    var advice: MessageText = "Name the directory that has all segments before revision \(first)."
    // A log that cannot be read names no archive.
    do throws(LogError) {
      let others = try LogReader.open(at: path, fileSystem: fileSystem).archives()
      if others.count > 1 {
        advice = "Copy the segments of \(PrunedLog.list(others)) to one directory, and name it."
      }
    } catch {}
    return LogError(
      .notFound, "the archive does not have the first segment, \(SegmentName.text(first: 1))", path: directory,
      intact: "The log was not changed.", advice: advice)
  }

  /// Copies the segments to the log, and removes the base.
  func putBack(reason: String) throws(LogError) -> PruneRecord {
    // A damaged base is of no use, and next to the first segment it would keep an interrupted attempt from being repeated.
    if base == nil { try removeBase() }
    try SegmentCopying(fileSystem: fileSystem, failure: "the segments cannot be put back")
      .copy(files, examined.segments, to: path, like: kept.path)
    // From here on the log begins with its first action again.
    try removeBase()
    return PruneRecord(
      reason: reason, first: 1, lineCount: 0, base: nil, segments: examined.segments, archive: directory)
  }

  private func removeBase() throws(LogError) {
    try LogError.files("the base cannot be removed") { () throws(FileSystemError) in
      let base = path + "/" + LogFormat.baseName
      if try fileSystem.status(of: base) != nil { try fileSystem.remove(base) }
      try fileSystem.syncDirectory(path)
    }
  }
}

/// A file system in which a pruned log has its first segments again, and no base. It cannot be written to.
private struct RestoredFileSystem: ForwardingFileSystem {
  let base: any LogFileSystem
  let log: String
  /// The paths of the archived segments by their names.
  let added: [String: String]

  /// Returns the path of a file in the archive, or the path itself.
  func basePath(of path: String) -> String {
    guard path.hasPrefix(log + "/") else { return path }
    return added[String(path.dropFirst(log.count + 1))] ?? path
  }

  func basePath(toChange path: String, _ operation: String) throws(FileSystemError) -> String {
    throw .readOnly(operation, path)
  }

  func names(in directory: String) throws(FileSystemError) -> [String] {
    let names = try base.names(in: directory)
    guard directory == log else { return names }
    let kept = names.filter { name in name != LogFormat.baseName && added[name] == nil }
    return (kept + added.keys).sorted()
  }
}
