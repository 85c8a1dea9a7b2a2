import ActionLog

struct BackupCopy {
  let source: String
  let target: String
  let fileSystem: any LogFileSystem
  /// Whether there was a segment to copy. Without one, the copy is not a log.
  private(set) var hasSegment = false
  /// Whether the copied lines of the last segment were still in it afterward.
  private(set) var isSettled = true
  private(set) var report = BackupReport()
  private(set) var base: LogBase?

  /// The number of attempts to copy the end of the last segment: a writer rolls back one batch for each write that
  /// fails. Also the number of redactions during a backup.
  static let attemptLimit = 100

  /// Copies everything but `HEAD`.
  ///
  /// - Parameter headFile: The contents of `HEAD`, read before.
  mutating func run(_ headFile: HeadFile) throws(FileSystemError) {
    var others = SideFileCopying(source: source, target: target, fileSystem: fileSystem)
    try others.copyFolder(LogFormat.snapshotsName, limitBytes: LogFormat.snapshotLimitBytes) { name in
      name.hasSuffix(".json")
    }
    // Locks and files that are being written are not copied.
    try others.copyFolder(LogFormat.subscriptionsName, limitBytes: LogFormat.subscriptionLimitBytes) { name in
      name.hasSuffix(".json") || name.hasSuffix(".jsonl")
    }
    try others.copy(LogFormat.marksName, limitBytes: LogFormat.marksLimitBytes)
    for file in others.files { add(file.path, sizeBytes: file.sizeBytes) }
    report.leftOut = others.leftOut
    try copySegments(headFile.head)
  }

  /// Copies segments that were replaced by redacted ones, and what was appended since.
  ///
  /// - Parameter replaced: The segments, by their first revisions, that were replaced since they were copied; none if only what was
  ///   appended or pruned is copied.
  mutating func runAgain(_ headFile: HeadFile, copying replaced: Set<Int>) throws(FileSystemError) {
    let copied = try LogFolder(target, fileSystem)
    for segment in copied.segments where replaced.contains(segment.first) || segment == copied.segments.last {
      try discard(SegmentName.text(first: segment.first))
    }
    if copied.hasBase { try discard(LogFormat.baseName) }
    base = nil
    isSettled = true
    try copySegments(headFile.head)
  }

  /// Removes snapshots that a redaction made outdated from the copy, and writes `HEAD`.
  ///
  /// - Parameters:
  ///   - headFile: The contents of `HEAD`, read before the last segments were copied.
  ///   - redactions: The redactions of the copied log; `nil` if they are unknown.
  mutating func finish(
    _ headFile: HeadFile, _ redactions: LogRedactions?, _ proofs: ProofsCopy
  ) throws(FileSystemError) {
    report.files += proofs.files.keys.sorted()
    report.sizeBytes += proofs.files.values.reduce(0, +)
    report.leftOut += proofs.leftOut.sorted { one, other in one.path < other.path }
    if let redactions, !redactions.isEmpty { try dropSnapshots(redactions) }
    if let head = headFile.head { try write(head.encoded(), to: LogFormat.headName) }
    if let failure = headFile.failure { leaveOut(LogFormat.headName, failure.message) }
    if headFile.isMalformed { leaveOut(LogFormat.headName, "it is malformed", isNeeded: false) }
    try fileSystem.syncDirectory(target)
  }

  /// Removes the snapshots that may hold values which were redacted. No replay would use them.
  private mutating func dropSnapshots(_ redactions: LogRedactions) throws(FileSystemError) {
    let prefix = LogFormat.snapshotsName + "/"
    let names = report.files.filter { name in name.hasPrefix(prefix) }
    for name in names {
      let file = name.dropFirst(prefix.count)
      guard let revision = SnapshotName.revision(of: String(file)) else { continue }
      let redaction = try SnapshotName.redaction(in: target + "/" + name, fileSystem)
      let isOutdated: Bool
      do throws(LogError) {
        isOutdated = try redactions.newest(affecting: revision, after: redaction) != nil
      } catch {
        // The log was readable a moment ago.
        throw FileSystemError(of: error, path: source)
      }
      if isOutdated {
        try discard(name)
        leaveOut(name, "it was taken before values were redacted")
      }
    }
    if !names.isEmpty { try fileSystem.syncDirectory(target + "/" + LogFormat.snapshotsName) }
  }

  private mutating func leaveOut(_ path: String, _ message: String, isNeeded: Bool = true) {
    report.leftOut.append(BackupReport.LeftOut(path: path, message: message, isNeeded: isNeeded))
  }
}

// MARK: - Segments

extension BackupCopy {
  /// Copies the base of a pruned log and the segments. If the log is pruned while it is copied, the copy begins where the log does
  /// then.
  private mutating func copySegments(_ head: LogHead?) throws(FileSystemError) {
    var folder = try list()
    try copyBase(folder.base)
    var last = 0
    // In a repeated pass, most segments are in the copy already.
    let copied = Set(try LogFolder(target, fileSystem).segments.map(\.first))
    while let next = folder.segments.first(where: { segment in segment.first > last && !copied.contains(segment.first) }
    ) {
      do throws(FileSystemError) {
        if next == folder.segments.last { try copyLast(next, head) } else { try copySealed(next) }
        hasSegment = true
        last = next.first
      } catch {
        let changed = try list()
        guard error.code == .notFound, let base = changed.base, base != folder.base else { throw error }
        if folder.base != nil { try discard(LogFormat.baseName) }
        try copyBase(base)
        folder = changed
      }
    }
  }

  private func list() throws(FileSystemError) -> LogFolder {
    var folder = try LogFolder(source, fileSystem)
    do throws(LogError) { try folder.readBase(fileSystem) } catch {
      // The base was valid when the backup began.
      throw FileSystemError(of: error, path: folder.basePath)
    }
    return folder
  }

  private mutating func copyBase(_ base: LogBase?) throws(FileSystemError) {
    guard let base else { return }
    // The log may have been pruned since these were copied.
    for segment in try LogFolder(target, fileSystem).segments where segment.first < base.first {
      try discard(SegmentName.text(first: segment.first))
    }
    try write(base.bytes, to: LogFormat.baseName)
    self.base = base
  }

  /// Removes a file from the copy.
  private mutating func discard(_ name: String) throws(FileSystemError) {
    let path = target + "/" + name
    report.sizeBytes -= try fileSystem.status(of: path)?.sizeBytes ?? 0
    report.files.removeAll { file in file == name }
    try fileSystem.remove(path)
  }

  private mutating func copySealed(_ segment: LogFolder.Segment) throws(FileSystemError) {
    let name = SegmentName.text(first: segment.first)
    var completeEnd = 0
    let sizeBytes = try fileSystem.copy(source + "/" + name, to: target + "/" + name) { offset, bytes in
      completeEnd = Self.completeLinesEnd(offset, bytes) ?? completeEnd
      // A segment ends with a line. The rest of a damaged one, which can be a hole, is not copied.
      return offset - completeEnd <= LogFormat.tornLimitBytes
    }
    add(name, sizeBytes: sizeBytes)
  }

  /// The end of the last line that ends in some bytes of a file; `nil` if none does.
  private static func completeLinesEnd(_ offset: Int, _ bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBytes { bytes in
      let lineFeed = UInt8(ascii: "\n")
      // The search from the end is slow where there is none.
      guard ByteSearch.first(lineFeed, in: bytes, from: 0) != nil else { return nil }
      return ByteSearch.last(lineFeed, in: bytes).map { last in offset + last + 1 }
    }
  }

  /// Copies the complete lines of the segment that a writer may be appending to.
  ///
  /// A writer that cannot complete a batch rolls it back and may write another one at the same offset, so lines read
  /// before and after that do not belong together. The bytes that were not durable when the copy began are therefore
  /// compared again until they are unchanged.
  private mutating func copyLast(_ segment: LogFolder.Segment, _ head: LogHead?) throws(FileSystemError) {
    let name = SegmentName.text(first: segment.first)
    let input = try fileSystem.open(source + "/" + name, for: .read)
    defer { input.close() }
    let settled = try fileSystem.createFile(target + "/" + name) {
      (output) throws(FileSystemError) -> (complete: Int, all: Int)? in
      var size = try transfer(input, to: output, from: 0)
      let durable = head.map { head in head.segment == segment.first ? min(head.bytes, size.complete) : 0 } ?? 0
      var attempts = 1
      while try !isStill(input, output, durable..<size.complete) {
        guard attempts < Self.attemptLimit else { return nil }
        attempts += 1
        try output.truncate(toBytes: durable)
        size = try transfer(input, to: output, from: durable)
      }
      // Its last actions may still be written, or a crash has prevented it.
      if let unit = try unfinishedUnit(at: target + "/" + name, from: durable, to: size.complete) {
        try output.truncate(toBytes: unit)
        size.complete = unit
      }
      return size
    }
    isSettled = settled != nil
    guard let settled else { return }
    report.unfinishedBytes = settled.all - settled.complete
    add(name, sizeBytes: settled.complete)
  }

  /// Copies the bytes after an offset, which is the end of a line, and truncates an incomplete last line.
  private func transfer(
    _ input: any LogFile, to output: any LogFile, from start: Int
  ) throws(FileSystemError) -> (complete: Int, all: Int) {
    var complete = start
    var chunks = try FileChunks(input, from: start)
    while chunks.offset - complete <= LogFormat.tornLimitBytes, let bytes = try chunks.next() {
      complete = Self.completeLinesEnd(chunks.offset - bytes.count, bytes) ?? complete
      try output.append(bytes)
    }
    if complete < chunks.offset { try output.truncate(toBytes: complete) }
    return (complete, chunks.offset - complete > LogFormat.tornLimitBytes ? try input.size() : chunks.offset)
  }

  /// Returns the offset of the `@unit` line if the complete lines end within a unit; `nil` also if there is damage before.
  private func unfinishedUnit(at path: String, from durable: Int, to end: Int) throws(FileSystemError) -> Int? {
    do throws(LogError) {
      let file = try SourceFile(path, fileSystem)
      defer { file.close() }
      let records = try RecordLines.extent(of: file, from: durable, to: end)
      return records.end == end ? records.unfinishedUnit : nil
    } catch {
      throw FileSystemError(of: error, path: path)
    }
  }

  private func isStill(
    _ input: any LogFile, _ output: any LogFile, _ range: Range<Int>
  ) throws(FileSystemError) -> Bool {
    var chunks = try FileChunks(input, from: range.lowerBound, to: range.upperBound)
    while let bytes = try chunks.next() {
      guard try output.bytes(at: chunks.offset - bytes.count, count: bytes.count) == bytes else { return false }
    }
    return chunks.offset == range.upperBound
  }
}

extension FileSystemError {
  /// The failed call that an error comes from, or else a failure to read its file.
  fileprivate init(of error: LogError, path: String) {
    self =
      error.underlying as? FileSystemError
      ?? FileSystemError(code: .inputOutput, operation: "read", path: error.path ?? path)
  }
}

// MARK: - Bytes

extension BackupCopy {
  private mutating func add(_ name: String, sizeBytes: Int) {
    report.files.append(name)
    report.sizeBytes += sizeBytes
  }

  private mutating func write(_ bytes: [UInt8], to name: String) throws(FileSystemError) {
    try fileSystem.createFile(target + "/" + name, with: bytes)
    add(name, sizeBytes: bytes.count)
  }
}
