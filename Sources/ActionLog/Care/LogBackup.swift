/// Copies a log, also while a writer is at work on it.
public enum LogBackup {
  /// Copies a log with its snapshots and marks into a new directory, and makes the copy durable.
  ///
  /// `HEAD` is read first, so that what it says durable is in the copy. Snapshots come before the segments, so that none
  /// is ahead of them. An unfinished line at the end is left out. The quarantine is not copied.
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
    do throws(FileSystemError) {
      var copy = BackupCopy(source: reader.path, target: directory.path, fileSystem: fileSystem)
      let report = try copy.run()
      try directory.finish()
      return report
    } catch {
      directory.discard()
      throw LogError.files(error, "the log cannot be copied")
    }
  }
}

/// A backup in the making.
struct BackupCopy {
  let source: String
  let target: String
  let fileSystem: any LogFileSystem
  private var report = BackupReport(files: [], sizeBytes: 0, unfinishedBytes: 0)

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
    if let last = segments.last { try copy(SegmentName.text(first: last.first), wholeLinesOnly: true) }
    if let head { try write(head) }
    try fileSystem.synchronizeDirectory(target)
    return report
  }

  private mutating func copySnapshots() throws(FileSystemError) {
    let folder = LogFormat.snapshotsName
    guard try fileSystem.status(of: source + "/" + folder)?.kind == .directory else { return }
    try fileSystem.createDirectory(target + "/" + folder)
    for name in try fileSystem.names(in: source + "/" + folder) where name.hasSuffix(".json") {
      do throws(FileSystemError) { try copy(folder + "/" + name) } catch {
        // The recorder may have thinned its snapshots meanwhile; none of them is needed.
        guard error.code == .notFound else { throw error }
      }
    }
    try fileSystem.synchronizeDirectory(target + "/" + folder)
  }

  private mutating func copy(_ name: String, wholeLinesOnly: Bool = false) throws(FileSystemError) {
    let input = try fileSystem.open(source + "/" + name, for: .read)
    defer { input.close() }
    let output = try fileSystem.open(target + "/" + name, for: .create)
    defer { output.close() }
    // What is added while we copy belongs to the next backup.
    let size = try input.size()
    var offset = 0
    var wholeBytes = 0
    while offset < size {
      let bytes = try input.bytes(at: offset, count: min(size - offset, LineScanner.defaultChunkBytes))
      guard !bytes.isEmpty else { break }
      if let lineFeed = bytes.lastIndex(of: UInt8(ascii: "\n")) { wholeBytes = offset + lineFeed + 1 }
      try output.append(bytes)
      offset += bytes.count
    }
    if wholeLinesOnly, wholeBytes < offset {
      try output.truncate(toBytes: wholeBytes)
      report.unfinishedBytes = offset - wholeBytes
      offset = wholeBytes
    }
    try output.synchronize(.full)
    report.files.append(name)
    report.sizeBytes += offset
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
