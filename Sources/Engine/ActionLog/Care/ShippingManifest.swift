internal import JSONCoding
internal import Platform

/// The list of a log's shipped segments, stored in `_logs/IDENTIFIER/manifest.jsonl` with one line per segment.
///
/// It shows whether the newest segments are missing in the lake, which the segments themselves cannot show, and whether the next
/// segment continues the history that was shipped. Its digests save reading the segments again. It is derived: a missing line costs
/// reading the copy once.
package struct ShippingManifest: Sendable, Equatable {
  /// One line.
  package struct Entry: Sendable, Equatable {
    /// Both ends of the checksum chain, and the revisions between them.
    package var ends: LogReport.SegmentEnds
    package var sizeBytes: Int
    package var lineCount: Int
    package var sha256: String
    /// The path within the lake.
    package var path: String
    /// When it was shipped.
    package var time: LogTime
  }

  /// The entries by the first revision of their segments.
  package private(set) var entries: [Int: Entry] = [:]
  /// Whether lines were skipped that are invalid, or entries of another log.
  private(set) var hasOtherLines = false

  /// 64 MiB: some 180 000 segments.
  static let limitBytes = 64 << 20

  /// Creates an empty manifest.
  package init() {}

  /// Parses the valid entries and skips all other lines.
  ///
  /// - Parameter log: The directory of the log in the lake, `log=IDENTIFIER`. Entries of another log are skipped, too; `nil` takes all.
  package init(parsing bytes: [UInt8], ofLog log: Substring? = nil) {
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let entry = Entry(parsing: line),
        log == nil || entry.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().first == log
      else {
        hasOtherLines = true
        continue
      }
      entries[entry.ends.first] = entry
    }
  }

  /// The entries in the order of the log.
  package var sorted: [Entry] { entries.values.sorted { one, other in one.ends.first < other.ends.first } }

  /// The last revision that was shipped in a segment; 0 if there is none.
  package var lastRevision: Int { entries.values.map(\.ends.lastRevision).max() ?? 0 }

  mutating func add(_ entry: Entry) { entries[entry.ends.first] = entry }

  /// Removes the entry of a segment, whose copy is about to be replaced.
  ///
  /// - Returns: Whether there was one.
  mutating func remove(_ segment: ShippedSegment) -> Bool { entries.removeValue(forKey: segment.first) != nil }

  /// Checks that a segment continues the shipped history.
  ///
  /// - Throws: ``LogError`` with code `exists`: the log and the lake have different histories under one identifier.
  func check(_ previous: UInt32, before first: Int, path: String) throws(LogError) {
    let entry = entries.values.first { entry in entry.ends.lastRevision == first - 1 && entry.ends.first < first }
    guard let entry, entry.ends.lastChecksum != previous else { return }
    throw LogError(
      .exists,
      "the segment continues another history than the one that was shipped: it follows the checksum "
        + "\(ChecksumDigits.text(previous)), and the shipped revision \(first - 1) has \(ChecksumDigits.text(entry.ends.lastChecksum))",
      path: path, intact: "The log and the shipped segments were not changed.",
      advice: Self.historyAdvice)
  }

  /// Checks that no later segment was shipped than one that has grown since it was shipped.
  ///
  /// - Throws: ``LogError`` with code `exists`: a restored log was continued, and so was the one that it was shipped from.
  func checkGrowth(of first: Int, path: String) throws(LogError) {
    guard entries.keys.contains(where: { other in other > first }) else { return }
    throw LogError(
      .exists, "the segment has grown since it was shipped, and a later one was shipped meanwhile", path: path,
      intact: "The log and the shipped segments were not changed.", advice: Self.historyAdvice)
  }

  static let historyAdvice =
    "Two logs with the same identifier were written, for example after a restore: ship one of them to another directory."

  /// The bytes of the file.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in sorted { entry.append(to: &bytes) }
    return bytes
  }
}

extension ShippingManifest.Entry {
  private static let names: [StaticString] = [
    "first", "last", "bytes", "lines", "prev", "crc", "synced", "epoch", "schema", "sha256", "path", "shipped",
  ]

  /// Parses a line; `nil` if it is not an entry.
  init?(parsing line: ArraySlice<UInt8>) {
    do {
      let root = try JSONTape(parsing: line, keeping: Self.names).root
      ends = LogReport.SegmentEnds(
        first: try root.number("first", from: 1), previousChecksum: try root.checksum("prev"),
        lastChecksum: try root.checksum("crc"), lastRevision: try root.number("last", from: 0),
        syncedRevision: try root.number("synced", from: 0), epoch: try root.number("epoch", from: 1),
        schema: try root.number("schema", from: 1))
      sizeBytes = try root.number("bytes", from: 1)
      lineCount = try root.number("lines", from: 1)
      sha256 = try root.text("sha256")
      path = try root.text("path")
      time = try root.time("shipped")
    } catch {
      return nil
    }
    guard ends.lastRevision >= ends.first - 1 else { return nil }
  }

  func append(to bytes: inout [UInt8]) {
    func number(_ name: String, _ value: Int) {
      bytes += "\"\(name)\":".utf8
      JSONText.appendInt(value, to: &bytes)
      bytes.append(UInt8(ascii: ","))
    }
    func text(_ name: String, _ value: String) {
      bytes += "\"\(name)\":".utf8
      JSONText.appendString(value, to: &bytes)
      bytes.append(UInt8(ascii: ","))
    }
    bytes.append(UInt8(ascii: "{"))
    number("first", ends.first)
    number("last", ends.lastRevision)
    number("bytes", sizeBytes)
    number("lines", lineCount)
    text("prev", ChecksumDigits.text(ends.previousChecksum))
    text("crc", ChecksumDigits.text(ends.lastChecksum))
    number("synced", ends.syncedRevision)
    number("epoch", ends.epoch)
    number("schema", ends.schema)
    text("sha256", sha256)
    text("path", path)
    bytes += "\"shipped\":\"\(time)\"}\n".utf8
  }
}

extension LogShipping {
  /// The path of the log's manifest.
  package var manifestPath: String { manifestDirectory + "/" + LogFormat.manifestName }

  /// Reads the log's manifest; it is empty if there is none.
  ///
  /// - Throws: ``LogError`` with code `notALog` if its path is not a regular file, or `inputOutput`.
  /// - Complexity: O(number of shipped segments).
  package func manifest() throws(LogError) -> ShippingManifest {
    try ShippingManifest(at: manifestPath, ofLogIn: logDirectory, fileSystem)
  }

  /// Returns the entry of a segment, if the manifest has it.
  ///
  /// - Returns: `nil` unless the entry matches the segment's path, length and last checksum.
  /// - Throws: ``LogError`` if the end of the segment cannot be read.
  /// - Complexity: O(1).
  func entry(of segment: ShippedSegment, in manifest: ShippingManifest) throws(LogError) -> ShippingManifest.Entry? {
    guard let entry = manifest.entries[segment.first] else { return nil }
    let (size, path) = (segment.sizeBytes, relativePath(of: segment))
    guard entry.sizeBytes == size, entry.path == path,
      try checksum(of: segment.source, endingAt: size) == entry.ends.lastChecksum
    else { return nil }
    return entry
  }

  /// Replaces the manifest durably. The log is locked.
  func save(_ manifest: ShippingManifest) throws(LogError) {
    do throws(FileSystemError) { try fileSystem.replaceFile(manifestPath, with: manifest.encoded()) } catch {
      // The manifest is not to blame for a full disk.
      throw error.code == .noSpace
        ? Self.failure(error, manifestPath) : ShippingManifest.failure(error, manifestPath)
    }
  }

  /// The path of the copy, relative to the directory of all logs.
  func relativePath(of segment: ShippedSegment) -> String { String(segment.target.dropFirst(root.count + 1)) }

  /// Returns the checksum of the line that ends at an offset; `nil` if none does.
  func checksum(of path: String, endingAt sizeBytes: Int) throws(LogError) -> UInt32? {
    let file = try SourceFile(path, fileSystem)
    defer { file.close() }
    // Eight digits, a quotation mark, a brace and a line feed.
    let bytes = try file.bytes(at: max(0, sizeBytes - 11), count: 11)
    return bytes.count == 11 && bytes.last == UInt8(ascii: "\n") ? ChecksumDigits.parse(bytes[..<8]) : nil
  }
}

extension LogFileSystem {
  /// Writes a file next to its path, and renames it when it is durable.
  func replaceFile(_ path: String, with bytes: [UInt8]) throws(FileSystemError) {
    let unfinished = path + LogFormat.unfinishedSuffix
    if try status(of: unfinished)?.kind == .file { try remove(unfinished) }
    let file = try open(unfinished, for: .create)
    defer { file.close() }
    try file.append(bytes)
    try file.sync(.full)
    try rename(unfinished, to: path)
    try syncDirectory(LogFolder.parent(of: path))
  }
}

extension ShippingManifest {
  /// Reads a manifest; it is empty if there is none.
  ///
  /// - Parameter directory: The directory of the log in the lake.
  init(at path: String, ofLogIn directory: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) != nil else {
        self.init()
        return
      }
      self.init(
        parsing: try fileSystem.contents(of: path, limitBytes: Self.limitBytes),
        ofLog: directory.split(separator: "/").last)
    } catch {
      throw Self.failure(error, path)
    }
  }

  static func failure(_ error: FileSystemError, _ path: String) -> LogError {
    // The path of the file, also if the log is read as a directory of its own.
    let path = error.path.hasSuffix(LogFormat.manifestName) ? error.path : path
    var failure = LogError.files(error, "the manifest of the shipped segments cannot be used", path: path)
    failure.intact = "The segments are not affected."
    failure.advice =
      error.code == .permissionDenied
      ? "Its owner can make the file and its directory readable."
      : "The manifest is derived: move the file at its path away, and ship again."
    return failure
  }
}

/// Compares a shipped log with its manifest.
struct ManifestCheck {
  private let manifest: ShippingManifest
  private let path: String
  /// The lake.
  private let root: String
  private let isMissing: Bool
  private let fileSystem: any LogFileSystem

  /// Reads the manifest of a log in a lake.
  init(_ log: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    self.fileSystem = fileSystem
    root = LogFolder.parent(of: LogFolder.parent(of: log))
    path = log + "/" + LogFormat.manifestName
    manifest = try ShippingManifest(at: path, ofLogIn: log, fileSystem)
    do throws(FileSystemError) { isMissing = try fileSystem.status(of: path) == nil } catch {
      throw ShippingManifest.failure(error, path)
    }
  }

  /// The number of bytes to read for the digests, as far as the manifest says.
  var totalBytes: Int { manifest.entries.values.reduce(0) { sum, entry in sum + entry.sizeBytes } }

  /// Adds the differences to the report on the segments.
  ///
  /// - Parameters:
  ///   - width: The number of segments whose digests are computed at the same time.
  ///   - progress: Called periodically with the number of bytes read.
  /// - Complexity: O(length of the log), for the digests.
  func finish(_ report: inout LogReport, width: Int, _ progress: (Int) -> Void) throws(LogError) {
    guard !isMissing, !manifest.entries.isEmpty || !manifest.hasOtherLines else {
      report.warn(
        LogProblem(
          .missingManifest,
          (isMissing ? "there is no manifest" : "the manifest lists no segment of this log")
            + ", so missing newest segments are not noticed; 'ship' makes it again", path: path))
      return
    }
    var segments: [Int: LogReport.Segment] = [:]
    for segment in report.segments { segments[segment.first] = segment }
    // The bytes decide only if everything else is the same.
    let unchanged = manifest.sorted.compactMap { entry in
      segments[entry.ends.first].flatMap { segment in Self.isListed(segment, as: entry) ? segment : nil }
    }
    let digests = try digests(of: unchanged, width: width, progress)
    for entry in manifest.sorted {
      guard let segment = segments.removeValue(forKey: entry.ends.first) else {
        report.add(
          LogProblem(
            .missingSegment, "the manifest lists the segment, which is missing", path: root + "/" + entry.path,
            revision: entry.ends.first))
        continue
      }
      // The tail has more of the segment of a closed log that was opened again.
      if segment.sizeBytes > entry.sizeBytes, segment.first == report.segments.last?.first { continue }
      if let digest = digests[segment.first], digest == entry.sha256 { continue }
      report.add(
        LogProblem(
          .changedSegment, "the segment is not the one that the manifest lists", path: segment.path,
          revision: entry.ends.first))
    }
    for segment in report.segments.dropLast() where segments[segment.first] != nil {
      report.warn(
        LogProblem(
          .unlistedSegment, "the manifest does not list the segment; the next 'ship' adds it", path: segment.path,
          revision: segment.first))
    }
  }

  /// Whether a segment has the length, the revisions and both ends of the checksum chain that the manifest lists.
  private static func isListed(_ segment: LogReport.Segment, as entry: ShippingManifest.Entry) -> Bool {
    segment.ends == entry.ends && segment.sizeBytes == entry.sizeBytes
  }

  /// Computes the digests of segments, several at a time.
  ///
  /// - Returns: The digests by the first revisions, without those of unreadable segments, which the report has already.
  private func digests(
    of segments: [LogReport.Segment], width: Int, _ progress: (Int) -> Void
  ) throws(LogError) -> [Int: String] {
    let bytesRead = Locked(0)
    func show() { progress(bytesRead.withLock { bytesRead in bytesRead }) }
    let digest = { @Sendable [fileSystem] (segment: LogReport.Segment) -> Result<String?, LogError> in
      Result { () throws(LogError) in
        try Self.digest(of: segment.path, fileSystem) { count in bytesRead.withLock { bytesRead in bytesRead += count }
        }
      }
    }
    var digests: [Int: String] = [:]
    var index = 0
    func add(_ digest: Result<String?, LogError>) throws(LogError) -> Bool {
      show()
      digests[segments[index].first] = try digest.get()
      index += 1
      return true
    }
    let ending = try OrderedJobs<Result<String?, LogError>>.run(
      segments.count, width: max(1, width), waiting: show,
      { number, output in try output.pass(digest(segments[number])) },
      consume: { (digest) throws(LogError) -> Bool in try add(digest) })
    if case .noThread = ending {
      for segment in segments { _ = try add(digest(segment)) }
    }
    return digests
  }

  private static func digest(
    of path: String, _ fileSystem: any LogFileSystem, counting: (Int) -> Void
  ) throws(LogError) -> String? {
    do throws(LogError) {
      return try SegmentCopying(fileSystem: fileSystem, failure: "the segment cannot be read")
        .digest(of: path, counting: counting)
    } catch {
      // The report has the reason.
      guard (error.underlying as? FileSystemError)?.concernsFile == true else { throw error }
      return nil
    }
  }
}
