internal import JSONCoding
internal import Platform

/// Carries out a redaction that the log records: rewrites the segments that it names, and removes the snapshots that may hold the
/// removed values. The caller holds the log's lock.
///
/// It can be repeated after an interruption at any point, and needs only the log. A segment is replaced by a rename, so that a
/// reader sees the old one or the new one, and both fit all other segments.
struct RedactionRun {
  let path: String
  let fileSystem: any LogFileSystem
  /// The number of the `@redact` record's line.
  let index: Int
  let record: RedactRecord

  /// Performs everything that is not done yet.
  ///
  /// - Returns: The number of snapshots that were removed.
  /// - Throws: ``LogError``. The log is intact, and the next writer continues.
  /// - Complexity: O(length of the log).
  func run() throws(LogError) -> Int {
    do throws(LogError) {
      try rewriteSegments()
      return try removeSnapshots()
    } catch {
      var failure = error
      failure.intact =
        "The redaction is recorded and not complete: some of the values are still in the log's directory. All records can be read."
      failure.advice =
        "Remove the cause. The next writer completes the redaction, and so does 'action-log redact LOG --finish'."
      throw failure
    }
  }

  // MARK: Segments

  private func rewriteSegments() throws(LogError) {
    let segments = try LogFolder.list(path, fileSystem).segments
    let reader = try LogReader.open(at: path, fileSystem: fileSystem)
    var lines: [Int: [RedactRecord.Line]] = [:]
    for line in record.lines { lines[line.segment, default: []].append(line) }
    var firstIndex = try reader.firstLineIndex()
    for segment in segments {
      guard !lines.isEmpty else { return }
      if let targets = lines.removeValue(forKey: segment.first) {
        try rewrite(segment, targets, from: firstIndex)
      }
      if !lines.isEmpty { firstIndex += try reader.lineCount(of: segment) }
    }
    if let missing = lines.values.first?.first {
      throw LogError(
        .damaged,
        "the redaction names line \(missing.index) of the segment \(SegmentName.text(first: missing.segment)), "
          + "which is missing", path: path, revision: missing.revision)
    }
  }

  /// Rewrites a segment unless it was rewritten before.
  private func rewrite(
    _ segment: LogFolder.Segment, _ targets: [RedactRecord.Line], from firstIndex: Int
  ) throws(LogError) {
    let file = try SourceFile(segment.path, fileSystem)
    defer { file.close() }
    let newLines = try newLines(file, targets, from: firstIndex)
    guard !newLines.isEmpty else { return }
    let newPath = segment.path + LogFormat.newSegmentSuffix
    do throws(FileSystemError) {
      if try fileSystem.status(of: newPath) != nil { try fileSystem.remove(newPath) }
      let target = try fileSystem.open(newPath, for: .create)
      defer { target.close() }
      let digest = try write(file, newLines, to: target)
      try target.sync(.full)
      // The old segment is replaced only by bytes that the device returns.
      target.discardCache()
      guard try SegmentDigest.of(target) == digest else {
        throw FileSystemError(code: .inputOutput, operation: "compare", path: newPath)
      }
      try fileSystem.rename(newPath, to: segment.path)
      try fileSystem.syncDirectory(path)
    } catch {
      throw LogError.files(error, "a segment cannot be rewritten", path: newPath)
    }
  }

  /// Makes the redacted lines of a segment that it does not have yet, by their offsets.
  private func newLines(
    _ file: SourceFile, _ targets: [RedactRecord.Line], from firstIndex: Int
  ) throws(LogError) -> [Int: (old: Int, bytes: [UInt8])] {
    var wanted: [Int: RedactRecord.Line] = [:]
    for target in targets { wanted[target.index] = target }
    var made: [Int: (old: Int, bytes: [UInt8])] = [:]
    var scanner = LineScanner(file, from: 0)
    var index = firstIndex
    while !wanted.isEmpty, let line = try scanner.next() {
      defer { index += 1 }
      guard let target = wanted.removeValue(forKey: index) else { continue }
      let bytes = Array(scanner.bytes(of: line))
      if RedactedLine.digest(of: bytes) == target.digest { continue }
      func failure(_ message: String) -> LogError {
        LogError(
          .damaged, "line \(target.index) cannot be redacted as its record states: \(message)", path: file.path,
          line: index - firstIndex + 1, byteOffset: line.byteOffset, revision: target.revision)
      }
      let redacted: RedactedLine
      do throws(RedactionFault) {
        redacted = try RedactedLine(
          of: bytes, replacing: target.replacements, skips: target.skips, by: self.index)
      } catch {
        throw failure(error.message)
      }
      guard redacted.digest == target.digest else { throw failure("the redacted line has another SHA-256") }
      made[line.byteOffset] = (old: line.sizeBytes, bytes: redacted.bytes + [UInt8(ascii: "\n")])
    }
    if let missing = wanted.values.first {
      throw LogError(
        .damaged, "the redaction names line \(missing.index), which the segment does not have", path: file.path,
        revision: missing.revision)
    }
    return made
  }

  /// Writes a segment with new lines.
  ///
  /// - Returns: The SHA-256 of what was written.
  private func write(
    _ source: SourceFile, _ newLines: [Int: (old: Int, bytes: [UInt8])], to target: any LogFile
  ) throws(FileSystemError) -> SHA256Digest {
    var hash = SHA256()
    func append(_ bytes: [UInt8]) throws(FileSystemError) {
      bytes.withUnsafeBytes { bytes in hash.update(bytes) }
      try target.append(bytes)
    }
    let size = try source.file.size()
    var position = 0
    for (offset, line) in newLines.sorted(by: { one, other in one.key < other.key }) + [(size, (old: 0, bytes: []))] {
      while position < offset {
        let bytes = try source.file.bytes(at: position, count: min(offset - position, LineScanner.defaultChunkBytes))
        guard !bytes.isEmpty else {
          throw FileSystemError(code: .inputOutput, operation: "read", path: source.path)
        }
        try append(bytes)
        position += bytes.count
      }
      if !line.bytes.isEmpty { try append(line.bytes) }
      position += line.old
    }
    return hash.digest()
  }

  // MARK: Snapshots

  /// Removes the snapshots that were folded from the removed values, and unfinished ones.
  private func removeSnapshots() throws(LogError) -> Int {
    guard let lowest = record.lowestRevision else { return 0 }
    do throws(FileSystemError) {
      var count = try removeSnapshots(in: path + "/" + LogFormat.snapshotsName, from: lowest)
      let projections = path + "/" + LogFormat.projectionsName
      for name in try names(in: projections) {
        count += try removeSnapshots(in: projections + "/" + name, from: lowest)
      }
      return count
    } catch {
      throw LogError.files(error, "a snapshot cannot be removed", path: error.path)
    }
  }

  private func removeSnapshots(in folder: String, from lowest: Int) throws(FileSystemError) -> Int {
    var count = 0
    for name in try names(in: folder) {
      guard let revision = SnapshotName.revision(of: name), revision >= lowest else { continue }
      try fileSystem.remove(folder + "/" + name)
      count += 1
    }
    // An earlier attempt may have removed them without the sync.
    if try fileSystem.status(of: folder)?.kind == .directory { try fileSystem.syncDirectory(folder) }
    return count
  }

  private func names(in folder: String) throws(FileSystemError) -> [String] {
    guard try fileSystem.status(of: folder)?.kind == .directory else { return [] }
    return try fileSystem.names(in: folder)
  }
}

/// The name of a snapshot: its revision in 16 digits, and `.json`; an unfinished one has `.NUMBER.new` after it.
enum SnapshotName {
  /// Returns the revision of a snapshot, finished or not; `nil` for any other name.
  static func revision(of name: String) -> Int? {
    let digits = name.utf8.prefix(16)
    guard digits.count == 16, digits.allSatisfy({ digit in (0x30...0x39).contains(digit) }) else { return nil }
    let rest = String(name.dropFirst(16))
    guard rest == ".json" || rest.hasPrefix(".json.") && rest.hasSuffix(".new") else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}

/// The SHA-256 of a file.
enum SegmentDigest {
  /// Reads and hashes a file.
  ///
  /// - Complexity: O(length); memory O(1).
  static func of(_ file: any LogFile) throws(FileSystemError) -> SHA256Digest {
    var hash = SHA256()
    let size = try file.size()
    var offset = 0
    while offset < size {
      let bytes = try file.bytes(at: offset, count: min(size - offset, LineScanner.defaultChunkBytes))
      if bytes.isEmpty { break }
      bytes.withUnsafeBytes { bytes in hash.update(bytes) }
      offset += bytes.count
    }
    return hash.digest()
  }
}
