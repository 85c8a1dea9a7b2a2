internal import Platform

/// Carries out redactions that the log records: rewrites the segments that they name, and removes the snapshots that may hold the
/// removed values. The caller holds the log's lock.
///
/// It can be repeated after an interruption at any point, and needs only the log. A segment is replaced by a rename, so that a
/// reader sees the old one or the new one, and both fit all other segments.
package struct RedactionRun {
  let path: String
  let fileSystem: any LogFileSystem
  /// The `@redact` records, in order, and the numbers of their lines.
  let redactions: [(index: Int, record: RedactRecord)]
  /// Whether the log is from a lake, in which lines may be in the form of any of the records, or of one that is not there.
  let isFromLake: Bool

  package init(
    path: String, fileSystem: any LogFileSystem, redactions: [(index: Int, record: RedactRecord)],
    isFromLake: Bool = false
  ) {
    (self.path, self.fileSystem, self.redactions, self.isFromLake) = (path, fileSystem, redactions, isFromLake)
  }

  /// Performs everything that is not done yet.
  ///
  /// - Returns: Whether the last segment was replaced. `HEAD` is removed then, because it describes the old one.
  /// - Throws: ``LogError``. The log is intact, and the next writer continues.
  package func run() throws(LogError) -> Bool {
    do throws(LogError) {
      // The base first: until the record in the segment agrees with it, the redaction is the last record, which names it.
      try rewriteBase()
      let isActiveReplaced = try rewriteSegments()
      try removeSnapshots()
      return isActiveReplaced
    } catch {
      throw RedactionRun.incomplete(error)
    }
  }

  /// Adds what an interrupted redaction leaves to an error.
  package static func incomplete(_ error: LogError) -> LogError {
    var failure = error
    failure.intact =
      "The redaction is recorded and not complete: some of the values are still in the log's directory. All records can be read."
    failure.advice =
      "Remove the cause. The next writer completes the redaction, and so does \(.finishingRedaction)."
    return failure
  }

  // MARK: The base

  /// Replaces the base of a pruned log unless it was replaced before.
  private func rewriteBase() throws(LogError) {
    let targets = redactions.compactMap(\.record.base)
    guard let last = targets.last else { return }
    let path = self.path + "/" + LogFormat.baseName
    var base = try LogBase.read(path, fileSystem, known: nil).base
    let digest = SHA256.hexadecimal(base.bytes)
    if digest == last.digest { return }
    func failure(_ message: String) -> LogError {
      LogError(.damaged, "the base cannot be redacted as the record states: \(message)", path: path)
    }
    let done = targets.lastIndex { target in target.digest == digest }.map { index in index + 1 } ?? 0
    do throws(RedactionFault) {
      for target in targets[done...] { base = try base.replacing(target.replacements).base }
    } catch {
      throw failure(error.message)
    }
    let bytes = base.bytes
    guard SHA256.hexadecimal(bytes) == last.digest else { throw failure("the new one has another SHA-256") }
    let newPath = PruningEnd.unfinishedPath(in: self.path)
    try LogError.files("the base cannot be rewritten", at: newPath) { () throws(FileSystemError) in
      try replace(path, newPath) { (file) throws(FileSystemError) in
        try file.append(bytes)
        return last.digest
      }
    }
  }

  /// Replaces a file by a new one, whose bytes are read again before.
  private func replace(
    _ path: String, _ newPath: String, _ write: (any LogFile) throws(FileSystemError) -> String
  ) throws(FileSystemError) {
    // The users who may read the old file may read the new one.
    let digest = try fileSystem.createFile(newPath, like: path, write)
    // The old file is replaced only by bytes that the device returns.
    guard try fileSystem.digest(of: newPath).hexadecimal == digest else {
      throw FileSystemError(code: .inputOutput, operation: "compare", path: newPath)
    }
    try fileSystem.rename(newPath, to: path)
    try fileSystem.syncDirectory(self.path)
  }

  // MARK: Segments

  /// The statement of a record about a line.
  private struct Target {
    var by: Int
    var line: RedactRecord.Line
  }

  /// - Returns: Whether the last segment was replaced.
  private func rewriteSegments() throws(LogError) -> Bool {
    let segments = try LogFolder.list(path, fileSystem).segments
    var firstIndex = try LogReader.open(at: path, fileSystem: fileSystem).firstLineIndex()
    var lines: [Int: [Int: [Target]]] = [:]
    for (index, record) in redactions {
      for line in record.lines where line.index >= firstIndex {
        lines[line.segment, default: [:]][line.index, default: []].append(Target(by: index, line: line))
      }
    }
    var isLastReplaced = false
    for segment in segments {
      guard !lines.isEmpty else { break }
      if let targets = lines.removeValue(forKey: segment.first) {
        let isLast = segment == segments.last
        let isReplaced = try rewrite(segment, targets, from: firstIndex, isLast: isLast)
        isLastReplaced = isLast && isReplaced
      }
      if !lines.isEmpty { firstIndex += try LineScanner.lineCount(of: segment, fileSystem) }
    }
    if let missing = lines.values.first?.values.first?.first?.line {
      throw LogError(
        .damaged,
        "the redaction names line \(missing.index) of the segment \(SegmentName.text(first: missing.segment)), "
          + "which is missing", path: path, revision: missing.revision)
    }
    return isLastReplaced
  }

  /// Rewrites a segment unless it was rewritten before.
  ///
  /// - Returns: Whether it was rewritten.
  private func rewrite(
    _ segment: LogFolder.Segment, _ targets: [Int: [Target]], from firstIndex: Int, isLast: Bool
  ) throws(LogError) -> Bool {
    let file = try SourceFile(segment.path, fileSystem)
    defer { file.close() }
    let newLines = try newLines(file, targets, from: firstIndex)
    guard !newLines.isEmpty else { return false }
    let newPath = segment.path + LogFormat.newSuffix
    try LogError.files("a segment cannot be rewritten", at: newPath) { () throws(FileSystemError) in
      if isLast { try removeHead() }
      try replace(segment.path, newPath) { (target) throws(FileSystemError) in
        try write(file, newLines, to: target)
      }
    }
    return true
  }

  /// Removes `HEAD`, durably: the new segment may be shorter, and would look truncated. The next sync writes it again.
  private func removeHead() throws(FileSystemError) {
    let head = path + "/" + LogFormat.headName
    guard try fileSystem.status(of: head) != nil else { return }
    try fileSystem.remove(head)
    try fileSystem.syncDirectory(path)
  }

  /// Makes the redacted lines of a segment that it does not have yet, by their offsets.
  private func newLines(
    _ file: SourceFile, _ targets: [Int: [Target]], from firstIndex: Int
  ) throws(LogError) -> [Int: (old: Int, bytes: [UInt8])] {
    var wanted = targets
    var made: [Int: (old: Int, bytes: [UInt8])] = [:]
    var scanner = LineScanner(file, from: 0)
    var index = firstIndex
    while !wanted.isEmpty, let line = try scanner.next() {
      defer { index += 1 }
      guard let targets = wanted.removeValue(forKey: index), let final = targets.last else { continue }
      let last = final.line
      var bytes = Array(scanner.bytes(of: line))
      if RedactedLine.digest(of: bytes) == last.digest { continue }
      func failure(_ message: String) -> LogError {
        LogError(
          .damaged, "line \(last.index) cannot be redacted as its record states: \(message)", path: file.path,
          line: index - firstIndex + 1, byteOffset: line.byteOffset, revision: last.revision)
      }
      // The line states the last record that was carried out.
      let done: Int
      do throws(LineForm.Fault) { done = try bytes.withForm().kind.redaction?.by ?? -1 } catch {
        throw failure(error.message)
      }
      if isFromLake, done > final.by { continue }
      do throws(RedactionFault) {
        for target in targets where !isFromLake || target.by > done {
          bytes = try RedactedLine(
            of: bytes, replacing: target.line.replacements, skips: target.line.skips, by: target.by
          ).bytes
        }
      } catch {
        throw failure(error.message)
      }
      guard RedactedLine.digest(of: bytes) == last.digest else {
        throw failure("the redacted line has another SHA-256")
      }
      made[line.byteOffset] = (old: line.sizeBytes, bytes: bytes + [UInt8(ascii: "\n")])
    }
    if let missing = wanted.values.first?.first?.line {
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
  ) throws(FileSystemError) -> String {
    var hash = SHA256()
    func append(_ bytes: [UInt8]) throws(FileSystemError) {
      bytes.withUnsafeBytes { bytes in hash.update(bytes) }
      try target.append(bytes)
    }
    let end = [(try source.file.size(), (old: 0, bytes: [UInt8]()))]
    var position = 0
    for (offset, line) in newLines.sorted(by: { one, other in one.key < other.key }) + end {
      var chunks = try FileChunks(source.file, from: position, to: offset)
      while let bytes = try chunks.next() { try append(bytes) }
      guard chunks.offset == offset else {
        throw FileSystemError(code: .inputOutput, operation: "read", path: source.path)
      }
      if !line.bytes.isEmpty { try append(line.bytes) }
      position = offset + line.old
    }
    return hash.digest().hexadecimal
  }

  // MARK: Snapshots

  /// Removes the snapshots that were folded from the removed values, and unfinished ones.
  private func removeSnapshots() throws(LogError) {
    guard let lowest = redactions.compactMap(\.record.lowestRevision).min() else { return }
    try LogError.files("a snapshot cannot be removed") { () throws(FileSystemError) in
      try SnapshotFolders.remove(of: path, fileSystem) { revision in revision >= lowest }
    }
  }
}
