/// Hands the sealed segments of a log on to a directory that other programs read, also while a writer is at work on the log.
///
/// A sealed segment never changes and is named by its first action, so shipping can be done again at any time: what is there
/// stays, what is missing is added. The layout is the one that SQL engines divide data by (Hive partitions):
/// `model=NAME/log=IDENTIFIER/date=YYYY-MM-DD/0000000000000001.jsonl`, with the day (UTC) on which the segment was begun. Each
/// file is one that ``LogReader`` and ``LogVerifier`` take by itself; the files of one log, put into one directory, are that log
/// up to the segment that is still written to.
public struct LogShipping: Sendable {
  /// The segments that are sealed, in order, each with its place in the directory.
  public let segments: [ShippedSegment]
  /// The directory.
  public let root: String

  private let fileSystem: any LogFileSystem

  /// Looks what there is to be shipped. Nothing is changed.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - root: The directory to ship to, which need not exist. It can be that of many logs, and lies neither within the log nor
  ///     above it.
  ///   - fileSystem: The door to the disk.
  /// - Throws: ``LogError`` with code `notFound`, `notALog`, `inputOutput`, `invalidArgument` when the directory is itself a log,
  ///   lies within this one or above it; with code `damaged` when a segment does not follow the one before it.
  /// - Complexity: O(number of segments).
  public init(
    _ path: String, to root: String, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) {
    let reader = try LogReader.open(path, fileSystem: fileSystem)
    guard !reader.isSingleSegment else {
      throw LogError(.notALog, "a log is shipped as a whole, by its directory", path: path)
    }
    self.root = LogFolder.trimmed(root)
    self.fileSystem = fileSystem
    try Self.check(self.root, beside: reader.path, fileSystem)
    // One that is missing between others would be missed by nobody.
    _ = try SealedSegments(fileSystem: fileSystem).check(
      reader.segments.map { segment in LogFolder.Segment(first: segment.first, path: segment.path) })
    var segments: [ShippedSegment] = []
    for segment in reader.segments.dropLast() {
      let header = try LogReader.open(segment.path, fileSystem: fileSystem).header
      segments.append(ShippedSegment(segment, header, root: self.root))
    }
    self.segments = segments
  }

  /// Whether a segment lies in the directory already, and is there to stay: a file of the same length with the same end. As every
  /// line is chained to the one before, only a copy of the segment has that, though it may have been changed since;
  /// ``LogVerifier`` tells.
  ///
  /// - Parameter segment: One of ``segments``.
  /// - Returns: `true` once the file's name is durable: whoever shipped it may have been cut off just before.
  /// - Throws: ``LogError`` with code `exists` when something else lies there, or `inputOutput`.
  /// - Complexity: O(1).
  public func isShipped(_ segment: ShippedSegment) throws(LogError) -> Bool {
    let isSame: Bool
    do throws(FileSystemError) {
      guard let status = try fileSystem.status(of: segment.target) else { return false }
      isSame = status.kind == .file ? try endsAlike(segment) : false
      if isSame { try fileSystem.synchronizeDirectory(LogFolder.parent(of: segment.target)) }
    } catch {
      throw LogError.files(error, "what was shipped cannot be read", path: segment.target)
    }
    guard isSame else {
      throw LogError(
        .exists, "what lies there is not the segment \(segment.source)", path: segment.target,
        advice: "A sealed segment does not change, so one of the two was changed: 'action-log verify' says which.")
    }
    return true
  }

  /// Ships a segment that does not lie in the directory yet.
  ///
  /// Every byte of the segment is checked before, and the copy is read again and compared. It gets its name when it is whole and
  /// durable.
  ///
  /// - Parameter segment: One of ``segments`` of which ``isShipped(_:)`` says no.
  /// - Throws: ``LogError`` with code `damaged` when the segment is not intact, `locked` while somebody else ships to the
  ///   directory, `noSpace`, `inputOutput`. There is no file of that name then, or the whole one whose name could not be made
  ///   durable.
  /// - Complexity: O(length of the segment); memory O(longest line).
  public func ship(_ segment: ShippedSegment) throws(LogError) {
    let report = try LogVerifier.verify(segment.source, fileSystem: fileSystem)
    guard report.verdict == .clean else {
      throw LogError(
        .damaged, "the segment is not intact and was not shipped", path: segment.source,
        advice: "Run 'action-log verify' for the full report.")
    }
    do throws(FileSystemError) {
      try makeDirectories(segment)
      let lock = try fileSystem.lock(directory: segment.directories[0])
      defer { lock.unlock() }
      try copy(segment)
    } catch {
      throw LogError.making(error, "the segment cannot be shipped", path: segment.target)
    }
  }
}

extension LogShipping {
  /// How much is compared at the end: some lines of the usual length.
  private static let endBytes = 4_096

  private func endsAlike(_ segment: ShippedSegment) throws(FileSystemError) -> Bool {
    let source = try fileSystem.open(segment.source, for: .read)
    defer { source.close() }
    let target = try fileSystem.open(segment.target, for: .read)
    defer { target.close() }
    let size = try source.size()
    guard try target.size() == size else { return false }
    let start = max(0, size - Self.endBytes)
    return try source.bytes(at: start, count: size - start) == target.bytes(at: start, count: size - start)
  }

  /// What is shipped and the log keep out of each other's way: neither is to be found by who looks for the other.
  private static func check(
    _ root: String, beside log: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) {
    let fault: String
    do throws(FileSystemError) {
      if try fileSystem.path(root, isWithin: log) {
        fault = "the directory to ship to lies within the log"
      } else if try fileSystem.path(log, isWithin: root) {
        fault = "the log lies within the directory to ship to"
      } else {
        guard try fileSystem.status(of: root) != nil else { return }
        let folder = try LogFolder(root, fileSystem)
        guard !folder.segments.isEmpty || folder.hasHead else { return }
        fault = "the directory to ship to is a log itself"
      }
    } catch {
      throw LogError.files(error, "the directory cannot be read", path: root)
    }
    throw LogError(
      .invalidArgument, fault, path: root, advice: "Name a directory of its own for what is shipped.")
  }

  /// Makes the directories that are missing, each durable in the one above.
  ///
  /// One that is there may have been made by an attempt that was cut off before that. Above the first one nothing is touched when
  /// it is in use already: what lies there is none of ours, and perhaps not to be read.
  private func makeDirectories(_ segment: ShippedSegment) throws(FileSystemError) {
    for (index, directory) in segment.directories.enumerated() {
      if try fileSystem.status(of: directory) == nil {
        do throws(FileSystemError) { try fileSystem.createDirectory(directory) } catch {
          // Somebody who ships another log has just made it.
          guard error.code == .exists else { throw error }
        }
      } else if index == 0, try !fileSystem.names(in: directory).isEmpty {
        continue
      }
      try fileSystem.synchronizeDirectory(LogFolder.parent(of: directory))
    }
  }

  private func copy(_ segment: ShippedSegment) throws(FileSystemError) {
    let unfinished = segment.target + ".unfinished"
    // What an earlier attempt has left is nobody's: the lock says so.
    if try fileSystem.status(of: unfinished)?.kind == .file { try fileSystem.remove(unfinished) }
    let source = try fileSystem.open(segment.source, for: .read)
    defer { source.close() }
    let target = try fileSystem.open(unfinished, for: .create)
    do throws(FileSystemError) {
      defer { target.close() }
      try forEachChunk(of: source) { (_, bytes) throws(FileSystemError) in try target.append(bytes) }
      try target.synchronize(.full)
      // What is read comes from the device, as far as the system lets go of what it holds.
      target.discardCache()
      try forEachChunk(of: source) { (offset, bytes) throws(FileSystemError) in
        guard try target.bytes(at: offset, count: bytes.count) == bytes else {
          throw FileSystemError(code: .inputOutput, operation: "compare", path: unfinished)
        }
      }
    } catch {
      // The error that counts is the one that ended the copying.
      do throws(FileSystemError) { try fileSystem.remove(unfinished) } catch {}
      throw error
    }
    try fileSystem.rename(unfinished, to: segment.target)
    try fileSystem.synchronizeDirectory(LogFolder.parent(of: segment.target))
  }

  private func forEachChunk(
    of file: any LogFile, _ body: (_ offset: Int, _ bytes: [UInt8]) throws(FileSystemError) -> Void
  ) throws(FileSystemError) {
    let size = try file.size()
    var offset = 0
    while offset < size {
      let bytes = try file.bytes(at: offset, count: min(size - offset, LineScanner.defaultChunkBytes))
      // A sealed segment that was cut meanwhile is no longer the one that was checked.
      guard !bytes.isEmpty else { throw FileSystemError(code: .inputOutput, operation: "read", path: root) }
      try body(offset, bytes)
      offset += bytes.count
    }
  }
}
