internal import JSONCoding

/// The SHA-256 digests of shipped segments, stored in `_logs/IDENTIFIER/manifest.jsonl` with one line per segment.
///
/// A digest in the manifest saves reading the segment again. The manifest is derived: a missing line costs one read,
/// and the file can be deleted.
package struct ShippingManifest: Sendable, Equatable {
  /// One line.
  struct Entry: Sendable, Equatable {
    var first: Int
    var sizeBytes: Int
    /// The checksum of the segment's last line.
    var crc: UInt32
    var sha256: String
    var path: String
  }

  /// The entries by the first revision of their segments.
  private(set) var entries: [Int: Entry] = [:]

  /// 64 MiB: some 250 000 segments.
  static let limitBytes = 64 << 20

  /// Creates an empty manifest.
  package init() {}

  /// Parses the valid entries and skips all other lines.
  init(parsing bytes: [UInt8]) {
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let entry = Entry(parsing: line) else { continue }
      entries[entry.first] = entry
    }
  }

  mutating func add(_ entry: Entry) { entries[entry.first] = entry }

  /// Removes the entry of a segment, whose copy is about to be replaced.
  ///
  /// - Returns: Whether there was one.
  package mutating func remove(_ segment: ShippedSegment) -> Bool { entries.removeValue(forKey: segment.first) != nil }

  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    for (_, entry) in entries.sorted(by: { one, other in one.key < other.key }) { entry.append(to: &bytes) }
    return bytes
  }
}

extension ShippingManifest.Entry {
  private static let names: [StaticString] = ["first", "bytes", "crc", "sha256", "path"]

  /// Parses a line; `nil` if it is not an entry.
  init?(parsing line: ArraySlice<UInt8>) {
    do {
      let root = try JSONTape(parsing: line, keeping: Self.names).root
      first = try root.number("first", from: 1)
      sizeBytes = try root.number("bytes", from: 1)
      crc = try root.checksum("crc")
      sha256 = try root.text("sha256")
      path = try root.text("path")
    } catch {
      return nil
    }
  }

  func append(to bytes: inout [UInt8]) {
    bytes += #"{"first":"#.utf8
    JSONText.appendInt(first, to: &bytes)
    bytes += #","bytes":"#.utf8
    JSONText.appendInt(sizeBytes, to: &bytes)
    bytes += #","crc":""#.utf8
    ChecksumDigits.append(crc, to: &bytes)
    bytes += #"","sha256":"#.utf8
    JSONText.appendString(sha256, to: &bytes)
    bytes += #","path":"#.utf8
    JSONText.appendString(path, to: &bytes)
    bytes += "}\n".utf8
  }
}

extension LogShipping {
  private var manifestPath: String { manifestDirectory + "/" + LogFormat.manifestName }

  /// Reads the log's manifest; it is empty if there is none.
  ///
  /// - Throws: ``LogError`` with code `notALog` if its path is not a regular file, or `inputOutput`.
  /// - Complexity: O(number of shipped segments).
  package func manifest() throws(LogError) -> ShippingManifest {
    do throws(FileSystemError) {
      guard try fileSystem.status(of: manifestPath) != nil else { return ShippingManifest() }
      return ShippingManifest(
        parsing: try fileSystem.contents(of: manifestPath, limitBytes: ShippingManifest.limitBytes))
    } catch {
      throw manifestFailure(error)
    }
  }

  /// Returns the SHA-256 digest of a segment, if the manifest has it.
  ///
  /// - Returns: `nil` unless the entry matches the segment's path, length and last checksum.
  /// - Throws: ``LogError`` if the end of the segment cannot be read.
  /// - Complexity: O(1).
  package func digest(of segment: ShippedSegment, in manifest: ShippingManifest) throws(LogError) -> String? {
    guard let entry = manifest.entries[segment.first] else { return nil }
    let (size, path) = (segment.sizeBytes, relativePath(of: segment))
    guard entry.sizeBytes == size, entry.path == path, try lastChecksum(of: segment) == entry.crc else { return nil }
    return entry.sha256
  }

  /// Adds the digest of a segment, for ``save(_:)``.
  ///
  /// - Throws: ``LogError`` if the end of the segment cannot be read.
  /// - Complexity: O(1).
  package func note(
    _ sha256: String, of segment: ShippedSegment, in manifest: inout ShippingManifest
  ) throws(LogError) {
    guard let crc = try lastChecksum(of: segment) else { return }
    manifest.add(
      ShippingManifest.Entry(
        first: segment.first, sizeBytes: segment.sizeBytes, crc: crc, sha256: sha256, path: relativePath(of: segment)))
  }

  /// Replaces the manifest durably.
  ///
  /// - Throws: ``LogError`` with code `locked` while another process ships the same log, `noSpace`, `inputOutput`.
  /// - Complexity: O(number of shipped segments).
  package func save(_ manifest: ShippingManifest) throws(LogError) {
    let lock = try lock()
    defer { lock.unlock() }
    try makeDirectories([root, root + "/_logs", manifestDirectory], for: manifestPath)
    let unfinished = manifestPath + LogFormat.unfinishedSuffix
    do throws(FileSystemError) {
      try write(manifest.encoded(), to: unfinished)
      try fileSystem.rename(unfinished, to: manifestPath)
      try fileSystem.syncDirectory(manifestDirectory)
    } catch {
      throw manifestFailure(error)
    }
  }

  private func write(_ bytes: [UInt8], to path: String) throws(FileSystemError) {
    if try fileSystem.status(of: path)?.kind == .file { try fileSystem.remove(path) }
    let file = try fileSystem.open(path, for: .create)
    defer { file.close() }
    try file.append(bytes)
    try file.sync(.full)
  }

  private func manifestFailure(_ error: FileSystemError) -> LogError {
    var failure = LogError.files(error, "the manifest of the shipped segments cannot be used", path: manifestPath)
    failure.intact = "The segments are intact."
    failure.advice = "The manifest is derived: move the file at its path away, and ship again."
    return failure
  }

  /// The path of the copy, relative to the directory of all logs.
  private func relativePath(of segment: ShippedSegment) -> String { String(segment.target.dropFirst(root.count + 1)) }

  /// Returns the checksum of a segment's last line; `nil` if the segment does not end with one.
  private func lastChecksum(of segment: ShippedSegment) throws(LogError) -> UInt32? {
    let file = try SourceFile(segment.source, fileSystem)
    defer { file.close() }
    // Eight digits, a quotation mark, a brace and a line feed.
    let bytes = try file.bytes(at: max(0, segment.sizeBytes - 11), count: 11)
    return bytes.count == 11 ? ChecksumDigits.parse(bytes[..<8]) : nil
  }
}
