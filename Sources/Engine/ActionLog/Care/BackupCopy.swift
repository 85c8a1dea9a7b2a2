/// A backup in progress.
struct BackupCopy {
  let source: String
  let target: String
  let fileSystem: any LogFileSystem
  /// Whether there was a segment to copy. Without one, the copy is not a log.
  private(set) var hasSegment = false
  /// Whether the copied lines of the last segment were still in it afterward.
  private(set) var isSettled = true
  private(set) var report = BackupReport()
  /// The base of a pruned log, as it was copied.
  private(set) var base: LogBase?

  /// The number of attempts to copy the end of the last segment: a writer rolls back one batch for each write that
  /// fails. Also the number of redactions during a backup.
  static let attemptLimit = 100

  /// A failure of reading the source or of writing the copy.
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

  /// Copies everything but `HEAD`.
  ///
  /// - Parameter headFile: The contents of `HEAD`, read before.
  mutating func run(_ headFile: HeadFile) throws(FileSystemError) {
    try copyFolder(LogFormat.snapshotsName) { name in name.hasSuffix(".json") }
    // Locks and files that are being written are not copied.
    try copyFolder(LogFormat.subscriptionsName) { name in name.hasSuffix(".json") || name.hasSuffix(".jsonl") }
    try copyMarks()
    try copySegments(headFile.head)
  }

  /// Copies segments that were replaced by redacted ones, and what was appended since.
  ///
  /// - Parameters:
  ///   - headFile: The contents of `HEAD`, read again.
  ///   - replaced: The segments, by their first revisions, that were replaced since they were copied; none if only what was
  ///     appended or pruned is copied.
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
  ///   - proofs: The checkpoints and tiles that were copied.
  mutating func finish(
    _ headFile: HeadFile, _ redactions: LogRedactions?, _ proofs: ProofsCopy
  ) throws(FileSystemError) {
    report.files += proofs.files.keys.sorted()
    report.sizeBytes += proofs.files.values.reduce(0, +)
    for (path, message) in proofs.leftOut.sorted(by: { one, other in one.key < other.key }) { leaveOut(path, message) }
    if let redactions, !redactions.isEmpty { try dropSnapshots(redactions) }
    if let head = headFile.head { try write(head.encoded(), to: LogFormat.headName) }
    if let failure = headFile.failure { leaveOut(LogFormat.headName, failure.message) }
    if headFile.isMalformed { leaveOut(LogFormat.headName, "it is malformed") }
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
        throw error.underlying as? FileSystemError
          ?? FileSystemError(code: .inputOutput, operation: "read", path: error.path ?? source)
      }
      if isOutdated {
        try discard(name)
        leaveOut(name, "it was taken before values were redacted")
      }
    }
    if !names.isEmpty { try fileSystem.syncDirectory(target + "/" + LogFormat.snapshotsName) }
  }

  private mutating func leaveOut(_ path: String, _ message: String) {
    report.leftOut.append(BackupReport.LeftOut(path: path, message: message))
  }
}

// MARK: - What a log can do without

extension BackupCopy {
  private static let wrongKindMessage = "a different kind of file has its name"

  /// Copies the readable files of a folder, if it exists.
  private mutating func copyFolder(
    _ folder: String, where isCopied: (_ name: String) -> Bool
  ) throws(FileSystemError) {
    guard let status = try fileSystem.status(of: source + "/" + folder) else { return }
    guard status.kind == .directory else { return leaveOut(folder, Self.wrongKindMessage) }
    try fileSystem.createDirectory(target + "/" + folder)
    let names: [String]
    do throws(FileSystemError) { names = try fileSystem.names(in: source + "/" + folder) } catch {
      guard error.concernsFile else { throw error }
      return leaveOut(folder, "it cannot be listed (\(error))")
    }
    for name in names where isCopied(name) { try copyIfReadable(folder + "/" + name) }
    try fileSystem.syncDirectory(target + "/" + folder)
  }

  private mutating func copyMarks() throws(FileSystemError) {
    guard try fileSystem.status(of: source + "/" + LogFormat.marksName) != nil else { return }
    try copyIfReadable(LogFormat.marksName)
  }

  /// Copies an existing file; leaves out one that cannot be read.
  private mutating func copyIfReadable(_ name: String) throws(FileSystemError) {
    do throws(Failure) {
      let input = try open(name)
      defer { input.close() }
      try copy(input, name)
    } catch {
      guard case .reading(let failure) = error, failure.concernsFile else { throw error.error }
      if try fileSystem.status(of: target + "/" + name) != nil { try fileSystem.remove(target + "/" + name) }
      switch failure.code {
      // The recorder may have deleted the snapshot since.
      case .notFound: break
      case .notARegularFile: leaveOut(name, Self.wrongKindMessage)
      default: leaveOut(name, "it cannot be read (\(failure))")
      }
    }
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
      throw error.underlying as? FileSystemError
        ?? FileSystemError(code: .inputOutput, operation: "read", path: folder.basePath)
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
    do throws(Failure) {
      let input = try open(name)
      defer { input.close() }
      var whole = 0
      try copy(input, name) { offset, bytes in
        whole = Self.wholeLines(offset, bytes) ?? whole
        // A segment ends with a line. The rest of a damaged one, which can be a hole, is not copied.
        return offset - whole <= LogFormat.tornLimitBytes
      }
    } catch {
      throw error.error
    }
  }

  /// The end of the last line that ends in some bytes of a file; `nil` if none does.
  private static func wholeLines(_ offset: Int, _ bytes: [UInt8]) -> Int? {
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
    do throws(Failure) {
      let input = try open(name)
      defer { input.close() }
      let output = try create(name)
      defer { output.close() }
      var size = try transfer(input, to: output, from: 0)
      let durable = head.map { head in head.segment == segment.first ? min(head.bytes, size.whole) : 0 } ?? 0
      var attempts = 1
      while try !isStill(input, output, durable..<size.whole) {
        guard attempts < Self.attemptLimit else {
          isSettled = false
          return
        }
        attempts += 1
        try writing { () throws(FileSystemError) in try output.truncate(toBytes: durable) }
        size = try transfer(input, to: output, from: durable)
      }
      report.unfinishedBytes = size.all - size.whole
      try finish(output, name, sizeBytes: size.whole)
    } catch {
      throw error.error
    }
  }

  /// Copies the bytes after an offset, which is the end of a line, and truncates an incomplete last line.
  private func transfer(
    _ input: any LogFile, to output: any LogFile, from start: Int
  ) throws(Failure) -> (whole: Int, all: Int) {
    var whole = start
    var end = try forEachChunk(of: input, from: start) { (offset, bytes) throws(Failure) in
      whole = Self.wholeLines(offset, bytes) ?? whole
      try writing { () throws(FileSystemError) in try output.append(bytes) }
      return offset - whole <= LogFormat.tornLimitBytes
    }
    if whole < end { try writing { () throws(FileSystemError) in try output.truncate(toBytes: whole) } }
    if end - whole > LogFormat.tornLimitBytes {
      end = try reading { () throws(FileSystemError) in try input.size() }
    }
    return (whole, end)
  }

  /// Whether a file still has the copied bytes.
  private func isStill(_ input: any LogFile, _ output: any LogFile, _ range: Range<Int>) throws(Failure) -> Bool {
    var isSame = true
    let end = try forEachChunk(of: input, from: range.lowerBound, to: range.upperBound) {
      (offset, bytes) throws(Failure) in
      let copied = try writing { () throws(FileSystemError) in try output.bytes(at: offset, count: bytes.count) }
      isSame = copied == bytes
      return isSame
    }
    return isSame && end == range.upperBound
  }
}

// MARK: - Bytes

extension BackupCopy {
  private func open(_ name: String) throws(Failure) -> any LogFile {
    try reading { () throws(FileSystemError) in try fileSystem.open(source + "/" + name, for: .read) }
  }

  private func create(_ name: String) throws(Failure) -> any LogFile {
    try writing { () throws(FileSystemError) in try fileSystem.open(target + "/" + name, for: .create) }
  }

  /// Copies a file, as long as a closure returns `true` for the bytes at an offset.
  private mutating func copy(
    _ input: any LogFile, _ name: String,
    while mayContinue: (_ offset: Int, _ bytes: [UInt8]) -> Bool = { _, _ in true }
  ) throws(Failure) {
    let output = try create(name)
    defer { output.close() }
    var sizeBytes = 0
    _ = try forEachChunk(of: input, from: 0) { (offset, bytes) throws(Failure) in
      try writing { () throws(FileSystemError) in try output.append(bytes) }
      sizeBytes += bytes.count
      return mayContinue(offset, bytes)
    }
    try finish(output, name, sizeBytes: sizeBytes)
  }

  private mutating func finish(_ output: any LogFile, _ name: String, sizeBytes: Int) throws(Failure) {
    try writing { () throws(FileSystemError) in try output.sync(.full) }
    // Verification then reads from the device, as far as the system drops its cache.
    output.discardCache()
    report.files.append(name)
    report.sizeBytes += sizeBytes
  }

  /// Reads a file in chunks. Bytes appended during the read belong to the next backup.
  ///
  /// - Parameter body: Receives an offset and the bytes there; returns whether to continue.
  /// - Returns: The end of the bytes read: the end of the file, or `limit`.
  private func forEachChunk(
    of input: any LogFile, from start: Int, to limit: Int = .max,
    _ body: (_ offset: Int, _ bytes: [UInt8]) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    let end = min(limit, try reading { () throws(FileSystemError) in try input.size() })
    var offset = start
    while offset < end {
      let count = min(end - offset, LineScanner.defaultChunkBytes)
      let bytes = try reading { () throws(FileSystemError) in try input.bytes(at: offset, count: count) }
      guard !bytes.isEmpty, try body(offset, bytes) else { break }
      offset += bytes.count
    }
    return offset
  }

  private func reading<Result>(_ body: () throws(FileSystemError) -> Result) throws(Failure) -> Result {
    do throws(FileSystemError) { return try body() } catch { throw .reading(error) }
  }

  private func writing<Result>(_ body: () throws(FileSystemError) -> Result) throws(Failure) -> Result {
    do throws(FileSystemError) { return try body() } catch { throw .writing(error) }
  }

  private mutating func write(_ bytes: [UInt8], to name: String) throws(FileSystemError) {
    do throws(Failure) {
      let output = try create(name)
      defer { output.close() }
      try writing { () throws(FileSystemError) in try output.append(bytes) }
      try finish(output, name, sizeBytes: bytes.count)
    } catch {
      throw error.error
    }
  }
}
