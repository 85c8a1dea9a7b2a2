package import ActionLog
import JSONCoding
import Platform

/// The list of a log's shipped segments, stored in `_logs/IDENTIFIER/manifest.jsonl` with one line per segment.
///
/// It shows whether the newest segments are missing in the lake, which the segments themselves cannot show, and whether the next
/// segment continues the history that was shipped. Its digests save reading the segments again. It is derived: a missing line costs
/// reading the copy once.
package struct ShippingManifest: Sendable, Equatable {
  package struct Entry: Sendable, Equatable {
    /// Both ends of the checksum chain, and the revisions between them.
    package var ends: LogReport.SegmentEnds
    package var sizeBytes: Int
    package var lineCount: Int
    package var sha256: String
    package var path: String
    package var time: LogTime
  }

  /// The entries by the first revision of their segments.
  package private(set) var entries: [Int: Entry] = [:]
  /// Whether lines were skipped that are invalid, or entries of another log.
  private(set) var hasOtherLines = false

  /// 64 MiB: some 180 000 segments.
  static let limitBytes = 64 << 20

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

  package var sorted: [Entry] { entries.values.sorted { one, other in one.ends.first < other.ends.first } }

  /// The last revision that was shipped in a segment; 0 if there is none.
  package var lastRevision: Int { entries.values.map(\.ends.lastRevision).max() ?? 0 }

  mutating func add(_ entry: Entry) { entries[entry.ends.first] = entry }

  /// Removes the entry of a segment, whose copy is about to be replaced.
  ///
  /// - Returns: Whether there was one.
  mutating func remove(_ segment: ShippedSegment) -> Bool { entries.removeValue(forKey: segment.first) != nil }

  /// Checks that a segment continues the shipped history.
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
  func checkGrowth(of first: Int, path: String) throws(LogError) {
    guard entries.keys.contains(where: { other in other > first }) else { return }
    throw LogError(
      .exists, "the segment has grown since it was shipped, and a later one was shipped meanwhile", path: path,
      intact: "The log and the shipped segments were not changed.", advice: Self.historyAdvice)
  }

  static let historyAdvice: MessageText =
    "Two logs with the same identifier were written, for example after a restore: ship one of them to another directory."

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
    bytes += #"{"first":\#(ends.first),"last":\#(ends.lastRevision),"bytes":\#(sizeBytes),"lines":\#(lineCount)"#.utf8
    bytes += #","prev":"\#(ChecksumDigits.text(ends.previousChecksum))""#.utf8
    bytes += #","crc":"\#(ChecksumDigits.text(ends.lastChecksum))","synced":\#(ends.syncedRevision)"#.utf8
    bytes += #","epoch":\#(ends.epoch),"schema":\#(ends.schema),"sha256":"#.utf8
    JSONText.appendString(sha256, to: &bytes)
    bytes += #","path":"#.utf8
    JSONText.appendString(path, to: &bytes)
    bytes += ",\"shipped\":\"\(time)\"}\n".utf8
  }
}

extension LogShipping {
  package var manifestPath: String { manifestDirectory + "/" + LogFormat.manifestName }

  package func manifest() throws(LogError) -> ShippingManifest {
    try ShippingManifest(at: manifestPath, ofLogIn: logDirectory, fileSystem)
  }

  /// Returns the entry of a segment, if the manifest has it.
  ///
  /// - Returns: `nil` unless the entry matches the segment's path, length and last checksum.
  func entry(of segment: ShippedSegment, in manifest: ShippingManifest) throws(LogError) -> ShippingManifest.Entry? {
    guard let entry = manifest.entries[segment.first] else { return nil }
    let (size, path) = (segment.sizeBytes, relativePath(of: segment))
    guard entry.sizeBytes == size, entry.path == path,
      try Self.checksum(of: segment.source, endingAt: size, fileSystem) == entry.ends.lastChecksum
    else { return nil }
    return entry
  }

  /// Replaces the manifest durably. The log is locked.
  func save(_ manifest: ShippingManifest) throws(LogError) {
    do throws(FileSystemError) {
      try fileSystem.replaceFile(manifestPath, with: manifest.encoded(), suffix: LogFormat.unfinishedSuffix)
    } catch {
      // The manifest is not to blame for a full disk.
      throw error.code == .noSpace
        ? Self.failure(error, manifestPath) : ShippingManifest.failure(error, manifestPath)
    }
  }

  /// The path of the copy, relative to the directory of all logs.
  func relativePath(of segment: ShippedSegment) -> String { String(segment.target.dropFirst(root.count + 1)) }

  /// Returns the checksum of the line that ends at an offset, or with the file; `nil` if none does.
  static func checksum(
    of path: String, endingAt end: Int? = nil, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> UInt32? {
    let file = try SourceFile(path, fileSystem)
    defer { file.close() }
    let sizeBytes = if let end { end } else { try file.size() }
    // Eight digits, a quotation mark, a brace and a line feed.
    let bytes = try file.bytes(at: max(0, sizeBytes - 11), count: 11)
    return bytes.count == 11 && bytes.last == UInt8(ascii: "\n") ? ChecksumDigits.parse(bytes[..<8]) : nil
  }
}

extension ShippingManifest {
  /// Reads a manifest; it is empty if there is none.
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
