/// Copies a log, also while a writer is at work on it.
public enum LogBackup {
  /// Copies a log with its snapshots and marks into a new directory, and makes the copy durable.
  ///
  /// `HEAD` is read first, so that what it says durable is in the copy. Snapshots come before the segments, so that none
  /// is ahead of them. An unfinished line at the end is left out, and so is a snapshot that cannot be read:
  /// ``BackupReport/unreadableSnapshots``. The quarantine is not copied.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - target: A path at which nothing lies, or an empty directory; not within the log.
  ///   - fileSystem: The door to the disk.
  /// - Throws: ``LogError`` with code `notFound`, `notALog`, `exists`, `invalidArgument`, `locked`, `noSpace`, `inputOutput`.
  ///   Nothing is at the target then, unless only its name could not be made durable: the copy is made beside it, as
  ///   `TARGET.unfinished`, and gets its name when it is whole.
  /// - Complexity: O(length of the log); memory O(1).
  public static func backup(
    _ path: String, to target: String, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) -> BackupReport {
    let reader = try LogReader.open(path, fileSystem: fileSystem)
    guard !reader.isSingleSegment else {
      throw LogError(.notALog, "a log is copied as a whole, by its directory", path: path)
    }
    let target = LogFolder.trimmed(target)
    try LogFolder.check(target, isOutside: reader.path, fileSystem, "a copy")
    let directory = try NewDirectory(at: target, fileSystem, failure: "the log cannot be copied")
    do throws(LogError) {
      var copy = BackupCopy(source: reader.path, target: directory.path, fileSystem: fileSystem)
      let report: BackupReport
      do throws(FileSystemError) {
        report = try copy.run()
      } catch {
        throw LogError.files(error, "the log cannot be copied")
      }
      guard copy.hasSegment else {
        throw LogError(
          .notALog, "the log cannot be copied: its segments are gone since the copying began", path: reader.path)
      }
      try directory.finish(failure: "the log cannot be copied")
      return report
    } catch {
      directory.discard()
      throw error
    }
  }
}

/// A backup in the making.
struct BackupCopy {
  let source: String
  let target: String
  let fileSystem: any LogFileSystem
  /// Whether there was a segment to copy. Without one, nothing is a copy of a log.
  private(set) var hasSegment = false
  private var report = BackupReport(files: [], sizeBytes: 0, unfinishedBytes: 0)

  /// Which of the two files of a copying a failure is of.
  private enum Failure: Error {
    case reading(FileSystemError)
    case writing(FileSystemError)

    var error: FileSystemError {
      switch self {
      case .reading(let error), .writing(let error): error
      }
    }
  }

  init(source: String, target: String, fileSystem: any LogFileSystem) {
    self.source = source
    self.target = target
    self.fileSystem = fileSystem
  }

  mutating func run() throws(FileSystemError) -> BackupReport {
    let head = try HeadEvidence.read(source, fileSystem).head
    try copySnapshots()
    if try fileSystem.status(of: source + "/" + LogFormat.marksName)?.kind == .file {
      try copy(LogFormat.marksName)
    }
    let segments = try LogFolder(source, fileSystem).segments
    for segment in segments.dropLast() { try copy(SegmentName.text(first: segment.first)) }
    hasSegment = !segments.isEmpty
    if let last = segments.last { try copy(SegmentName.text(first: last.first), wholeLinesOnly: true) }
    if let head { try write(head) }
    try fileSystem.synchronizeDirectory(target)
    return report
  }

  /// Copies those that can be read: none of them is needed.
  private mutating func copySnapshots() throws(FileSystemError) {
    let folder = LogFormat.snapshotsName
    guard try fileSystem.status(of: source + "/" + folder)?.kind == .directory else { return }
    try fileSystem.createDirectory(target + "/" + folder)
    let names: [String]
    do throws(FileSystemError) { names = try fileSystem.names(in: source + "/" + folder) } catch {
      report.unreadableSnapshots = [folder]
      return
    }
    for name in names where name.hasSuffix(".json") { try copySnapshot(folder + "/" + name) }
    try fileSystem.synchronizeDirectory(target + "/" + folder)
  }

  private mutating func copySnapshot(_ name: String) throws(FileSystemError) {
    do throws(Failure) { try copyFile(name) } catch {
      guard case .reading(let failure) = error else { throw error.error }
      if try fileSystem.status(of: target + "/" + name) != nil { try fileSystem.remove(target + "/" + name) }
      // The recorder may have thinned its snapshots meanwhile.
      if failure.code != .notFound { report.unreadableSnapshots.append(name) }
    }
  }

  private mutating func copy(_ name: String, wholeLinesOnly: Bool = false) throws(FileSystemError) {
    do throws(Failure) { try copyFile(name, wholeLinesOnly: wholeLinesOnly) } catch { throw error.error }
  }

  private mutating func copyFile(_ name: String, wholeLinesOnly: Bool = false) throws(Failure) {
    let input = try reading { () throws(FileSystemError) in try fileSystem.open(source + "/" + name, for: .read) }
    defer { input.close() }
    // What is added while we copy belongs to the next backup.
    let size = try reading { () throws(FileSystemError) in try input.size() }
    let output = try writing { () throws(FileSystemError) in try fileSystem.open(target + "/" + name, for: .create) }
    defer { output.close() }
    var offset = 0
    var wholeBytes = 0
    while offset < size {
      let count = min(size - offset, LineScanner.defaultChunkBytes)
      let bytes = try reading { () throws(FileSystemError) in try input.bytes(at: offset, count: count) }
      guard !bytes.isEmpty else { break }
      if let lineFeed = bytes.lastIndex(of: UInt8(ascii: "\n")) { wholeBytes = offset + lineFeed + 1 }
      try writing { () throws(FileSystemError) in try output.append(bytes) }
      offset += bytes.count
    }
    if wholeLinesOnly, wholeBytes < offset {
      try writing { () throws(FileSystemError) in try output.truncate(toBytes: wholeBytes) }
      report.unfinishedBytes = offset - wholeBytes
      offset = wholeBytes
    }
    try writing { () throws(FileSystemError) in try output.synchronize(.full) }
    report.files.append(name)
    report.sizeBytes += offset
  }

  private func reading<Result>(_ body: () throws(FileSystemError) -> Result) throws(Failure) -> Result {
    do throws(FileSystemError) { return try body() } catch { throw .reading(error) }
  }

  private func writing<Result>(_ body: () throws(FileSystemError) -> Result) throws(Failure) -> Result {
    do throws(FileSystemError) { return try body() } catch { throw .writing(error) }
  }

  private mutating func write(_ head: LogHead) throws(FileSystemError) {
    let bytes = head.encoded()
    let output = try fileSystem.open(target + "/" + LogFormat.headName, for: .create)
    defer { output.close() }
    try output.append(bytes)
    try output.synchronize(.full)
    report.files.append(LogFormat.headName)
    report.sizeBytes += bytes.count
  }
}
