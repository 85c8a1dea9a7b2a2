import ActionLog
import Platform

/// The part of a log that no writer rolls back or truncates.
///
/// If no writer holds the log, these are all lines, after a sync; otherwise those that `HEAD` names. While the value holds the
/// lock, no writer can open the log.
struct EvidenceExtent {
  let segments: [LogFolder.Segment]
  let base: LogBase?
  /// The index of the last segment, and its length. Only lines that end there or before are part of it.
  let lastIndex: Int
  let lastBytes: Int
  let head: LogHead?
  /// The lock, if the end must be examined under it.
  private let lock: (any DirectoryLock)?

  /// Finds out how far a log can be covered.
  ///
  /// - Returns: `nil` if no line is known to be durable: a writer holds the log, and there is no `HEAD` yet.
  static func find(_ log: String, _ fileSystem: any LogFileSystem) throws(LogError) -> EvidenceExtent? {
    let lock: any DirectoryLock
    do throws(FileSystemError) { lock = try fileSystem.lockPresent(directory: log) } catch {
      guard error.code == .locked else { throw LogError.files(error, "the log cannot be locked", path: log) }
      return try known(log, fileSystem)
    }
    do throws(LogError) {
      let extent = try complete(log, fileSystem, lock)
      if extent.lock == nil { lock.unlock() }
      return extent
    } catch {
      lock.unlock()
      throw error
    }
  }

  func end() { lock?.unlock() }

  /// A bound on the redactions and prunings of a log while it is read.
  private static let attemptLimit = 8

  /// Reads an extent; again if that fails, and segments were rewritten or removed in the meantime: a redaction or a pruning has
  /// changed the log.
  ///
  /// - Parameter isFinal: Whether a result holds for the log as it is now, too.
  /// - Returns: `nil` if there is no extent.
  static func listingAgain<Result>(
    _ log: String, _ fileSystem: any LogFileSystem, _ find: () throws(LogError) -> EvidenceExtent?,
    isFinal: (Result) -> Bool = { _ in true }, _ body: (EvidenceExtent) throws(LogError) -> Result
  ) throws(LogError) -> Result? {
    var attempt = 1
    while true {
      guard let extent = try find() else { return nil }
      do throws(LogError) {
        defer { extent.end() }
        let result = try body(extent)
        if isFinal(result) || attempt == attemptLimit { return result }
        guard try extent.isOutdated(log, fileSystem) else { return result }
        attempt += 1
      } catch {
        guard attempt < attemptLimit, try extent.isOutdated(log, fileSystem) else { throw error }
        attempt += 1
      }
    }
  }

  /// Whether the log has other segments, another base or another durable end than this extent.
  private func isOutdated(_ log: String, _ fileSystem: any LogFileSystem) throws(LogError) -> Bool {
    let now = try EvidenceExtent.present(log, fileSystem)
    return now.segments.map(\.first) != segments.map(\.first) || now.base?.lineCount != base?.lineCount
      || now.head != head
  }

  /// All lines that a reader finds, whether or not they are durable.
  static func present(_ log: String, _ fileSystem: any LogFileSystem) throws(LogError) -> EvidenceExtent {
    // `HEAD` is read first, so that the log is at least as long as it records.
    let head = try HeadFile(log, fileSystem).head
    let (folder, active) = try list(log, fileSystem)
    return EvidenceExtent(
      segments: folder.segments, base: folder.base, lastIndex: folder.segments.count - 1,
      lastBytes: try active.sizeBytes(fileSystem), head: head, lock: nil)
  }

  /// The lines that `HEAD` names.
  ///
  /// - Returns: `nil` if there is no `HEAD`.
  static func known(_ log: String, _ fileSystem: any LogFileSystem) throws(LogError) -> EvidenceExtent? {
    guard let head = try HeadFile.forWriting(log, fileSystem).head else { return nil }
    let folder = try list(log, fileSystem).folder
    guard let index = folder.segments.firstIndex(where: { segment in segment.first == head.segment }) else {
      throw LogError(.damaged, "the segment that HEAD names is missing", path: folder.headPath)
    }
    return EvidenceExtent(
      segments: folder.segments, base: folder.base, lastIndex: index, lastBytes: head.bytes, head: head,
      lock: nil)
  }

  /// All lines, after a sync. The log is locked.
  ///
  /// - Parameter lock: The lock if the result is to release it; `nil` if the caller does.
  static func complete(
    _ log: String, _ fileSystem: any LogFileSystem, _ lock: (any DirectoryLock)?
  ) throws(LogError) -> EvidenceExtent {
    let head = try HeadFile.forWriting(log, fileSystem).head
    let (folder, active) = try list(log, fileSystem)
    let confirmed = head?.segment == active.first ? head?.bytes ?? 0 : 0
    let size = try makeDurable(active, from: confirmed, log, fileSystem)
    // A checkpoint of a log that was shortened would attest that it ends there.
    if let head, (head.segment, head.bytes) > (active.first, size) {
      throw LogError(
        .damaged, "the log ends before the bytes that HEAD records as durable", path: active.path,
        advice: "Run \(.verify) for the full report, and restore the log from a backup.")
    }
    let isWhole = try isWhole(active, from: confirmed, size, fileSystem)
    return EvidenceExtent(
      segments: folder.segments, base: folder.base, lastIndex: folder.segments.count - 1, lastBytes: size, head: head,
      lock: isWhole ? nil : lock)
  }

  private static func list(
    _ log: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> (folder: LogFolder, active: LogFolder.Segment) {
    var folder = try LogFolder.list(log, fileSystem)
    try folder.readBase(fileSystem)
    try folder.checkBeginning()
    guard let active = folder.segments.last else {
      throw LogError(.notALog, "the directory holds no segment", path: log)
    }
    return (folder, active)
  }

  /// Makes the active segment durable, as a writer does that opens the log: what `HEAD` does not confirm is written again,
  /// because pages of a failed sync would count as written.
  ///
  /// - Returns: Its length.
  private static func makeDurable(
    _ active: LogFolder.Segment, from confirmed: Int, _ log: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> Int {
    let source = try SourceFile(active.path, fileSystem)
    defer { source.close() }
    // The pass over the lines reports the damage.
    if try source.endsInGap(from: confirmed) { return try source.size() }
    return try LogError.files("the log cannot be synced") { () throws(FileSystemError) in
      let file = try fileSystem.open(active.path, for: .overwrite)
      defer { file.close() }
      try file.sync(.full)
      let size = try file.size()
      // What `HEAD` confirms need not be read from the device.
      if confirmed < size { file.discardCache() }
      var chunks = try FileChunks(file, from: confirmed, to: size)
      while let bytes = try chunks.next() { try file.write(bytes, at: chunks.offset - bytes.count) }
      if confirmed < size { try file.sync(.full) }
      try fileSystem.syncDirectory(log)
      return size
    }
  }

  /// Whether all lines after the confirmed bytes of a file are records, and none of them is in an unfinished unit. Then no writer
  /// truncates anything.
  private static func isWhole(
    _ segment: LogFolder.Segment, from confirmed: Int, _ size: Int, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> Bool {
    guard size > 0 else { return false }
    let file = try SourceFile(segment.path, fileSystem)
    defer { file.close() }
    let records = try RecordLines.extent(of: file, from: confirmed, to: size)
    return records.end == size && records.unfinishedUnit == nil
  }
}
