package import ActionLog
import Platform

// The files of a log and their copies in a lake: segments, and the files in `_logs/IDENTIFIER` other than the tail and the manifest.

/// A segment that can be shipped, and its path in the target directory.
package struct ShippedSegment: Sendable, Equatable {
  /// The segment's file in the log.
  package let source: String
  /// The path of its copy.
  package let target: String
  /// The revision of its first action.
  package let first: Int
  /// Its length in bytes.
  package let sizeBytes: Int
  /// Whether it can never change again. The last segment of a closed log grows when the log is reopened.
  package let isSealed: Bool
  /// Whether a `@redact` record names the segment.
  let isRedacted: Bool
  /// Whether it is redacted, and its copy has all its lines, perhaps as they were before.
  var replacesCopy = false
  /// The checksum of the line before its first line.
  let previousChecksum: UInt32
  /// The directories that contain the copy, starting with the root.
  let directories: [String]

  init(
    _ segment: LogSegment, _ beginning: (header: LogHeader, previous: UInt32), root: String, isSealed: Bool,
    isRedacted: Bool
  ) {
    previousChecksum = beginning.previous
    source = segment.path
    first = segment.first
    sizeBytes = segment.sizeBytes
    self.isSealed = isSealed
    self.isRedacted = isRedacted
    directories = Self.directories(of: beginning.header, in: root)
    target = (directories.last ?? root) + "/" + SegmentName.text(first: segment.first)
  }

  /// Whether the copy ends with the last line of the segment. A redacted line keeps its checksum.
  func hasCompleteCopy(
    _ manifest: ShippingManifest, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> Bool {
    var copied = manifest.entries[first]?.ends.lastChecksum
    let isFile = try LogError.files("the shipped file cannot be read", at: target) { () throws(FileSystemError) in
      try fileSystem.status(of: target)?.kind == .file
    }
    if isFile { copied = try LogShipping.checksum(of: target, fileSystem) }
    guard let copied else { return false }
    return try copied == LogShipping.checksum(of: source, endingAt: sizeBytes, fileSystem)
  }

  /// Returns the directories of a segment: of all logs, of its model, of its log, of its day.
  static func directories(of header: LogHeader, in root: String) -> [String] {
    var directories = [root]
    for (name, value) in [
      ("model", header.model), ("log", header.log), ("date", String(header.created.description.prefix(10))),
    ] {
      directories.append((directories.last ?? root) + "/\(name)=\(Self.escaped(value))")
    }
    return directories
  }

  /// Escapes a value for a path: bytes other than letters, digits and `-_.` are written as `%2F`, like Hive does. A
  /// value of dots alone is safe because it follows its name.
  private static func escaped(_ value: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return value.utf8.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}

/// What a directory has of a segment that can be shipped.
package enum ShippedCopy: Equatable, Sendable {
  case missing
  /// A complete copy; its digest in hexadecimal digits if the comparison computed it.
  case current(sha256: String?)
  /// A copy of when the segment was shorter, which shipping replaces.
  case shorter
  /// A copy of before values of the segment were redacted, which shipping replaces.
  case unredacted
}

// MARK: - Comparing a segment with its copy

extension LogShipping {
  /// Returns what the directory has of a segment: a durable copy of the same length with the same end, or another file.
  ///
  /// Each line includes the checksum of the previous one, so only a copy of the segment ends with the same bytes.
  /// A segment whose values were redacted is compared completely: its old file may have the same length and end.
  /// Damage in the middle of the copy is not detected here; ``LogVerifier`` finds it. A shorter copy that ends with a
  /// line of the segment was made when the segment was shorter, and is replaced. An empty file, as an upload or a copy that was
  /// interrupted can leave it, does not count. The name of a current copy is made durable: an earlier shipping may have been killed
  /// before it was.
  ///
  /// - Parameter isListed: Whether the manifest lists the segment as it is. A file that is not its copy is damaged then, and counts as
  ///   missing.
  /// - Throws: `LogError` with code `exists` if the path is occupied by anything else, or `inputOutput`.
  /// - Complexity: O(1); O(length of the segment) if its values were redacted.
  package func copy(of segment: ShippedSegment, isListed: Bool = false) throws(LogError) -> ShippedCopy {
    var found: ShippedCopy?
    var obstacle: String?
    do throws(FileSystemError) {
      guard let status = try fileSystem.status(of: segment.target) else { return .missing }
      if status.kind == .file {
        if status.sizeBytes == 0 { return .missing }
        found = try segment.isRedacted ? compare(segment) : compareEnds(of: segment)
        if isListed, found == nil || found == .shorter { return .missing }
      } else {
        obstacle =
          status.kind == .directory
          ? "a directory" : status.isSymbolicLink ? "a symbolic link" : "a device, pipe or socket"
      }
      if case .current = found { try fileSystem.syncDirectory(LogFolder.parent(of: segment.target)) }
    } catch {
      throw LogError.files(error, "the shipped file cannot be read", path: segment.target)
    }
    if let obstacle {
      throw LogError(
        .exists, "\(obstacle) is in place of the copy of the segment \(segment.source)", path: segment.target,
        intact: "The log was not changed.", advice: "Move it away, and ship again.")
    }
    guard let found else {
      throw LogError(
        .exists, "the file is not a copy of the segment \(segment.source)", path: segment.target,
        advice:
          "A sealed segment never changes, so one of the two is damaged. Run \(.verify) on both. If it is the copy, move "
          + "it away and ship again.")
    }
    return found
  }

  /// The number of bytes to compare at the end: a few lines of the usual length.
  private static let endBytes = 4_096

  /// Compares the end of the shipped file with the bytes of the segment at the same offset.
  ///
  /// - Returns: `nil` if the file is not a copy.
  private func compareEnds(of segment: ShippedSegment) throws(FileSystemError) -> ShippedCopy? {
    try compareEnds(of: segment.source, segment.sizeBytes, with: segment.target)
  }

  /// Compares the end of a file with the bytes of another one at the same offset.
  func compareEnds(
    of source: String, _ sizeBytes: Int, with target: String
  ) throws(FileSystemError) -> ShippedCopy? {
    let source = try fileSystem.open(source, for: .read)
    defer { source.close() }
    let target = try fileSystem.open(target, for: .read)
    defer { target.close() }
    let size = try target.size()
    guard size > 0, size <= sizeBytes else { return nil }
    let start = max(0, size - Self.endBytes)
    let bytes = try target.bytes(at: start, count: size - start)
    guard try source.bytes(at: start, count: size - start) == bytes else { return nil }
    if size == sizeBytes { return .current(sha256: nil) }
    return bytes.last == UInt8(ascii: "\n") ? .shorter : nil
  }

  /// Compares a redacted segment with its copy, which may be of before the redaction.
  private func compare(_ segment: ShippedSegment) throws(FileSystemError) -> ShippedCopy {
    let digest = try fileSystem.digest(of: segment.source)
    return try digest == fileSystem.digest(of: segment.target) ? .current(sha256: digest.hexadecimal) : .unredacted
  }
}

// MARK: - Snapshots, tiles, the base and checkpoints

extension ShippingSideFiles {
  /// Makes the copies of snapshots, checkpoints and the base the same as those of the log.
  ///
  /// A snapshot that the log no longer has is removed: it may hold values that were redacted since. Snapshots and checkpoints of more
  /// than the lake has are left out.
  ///
  /// - Parameter tail: The tail; one without a revision if there is none.
  mutating func mirror(after tail: ShippedTail, _ manifest: ShippingManifest) throws(LogError) {
    let last = max(manifest.lastRevision, tail.lastRevision)
    try mirrorFolder(LogFormat.snapshotsName, limitBytes: LogFormat.snapshotLimitBytes) { name in
      name.hasSuffix(".json") && SnapshotName.revision(of: name).map { revision in revision <= last } ?? false
    }
    // Before the checkpoints that they lead to the base.
    try mirrorTiles()
    try mirrorBase(manifest)
    let sizes = try Self.files(EvidenceStore.checkpointsFolder, at: shipping.source) { () throws(FileSystemError) in
      try (copying.names(in: EvidenceStore.checkpointsFolder) ?? []).compactMap(EvidenceStore.checkpointSize(of:))
        .sorted()
    }
    let lineCount = try lineCount(after: tail, manifest, needed: sizes.last ?? 0)
    try mirrorFolder(EvidenceStore.checkpointsFolder, limitBytes: SignedNote.limitBytes) { name in
      Int(name).map { size in size <= lineCount && sizes.contains(size) } ?? false
    }
  }

  /// Removes the copies of the snapshots, which may hold values that were redacted. Called before the lake gets the record.
  func removeSnapshots() throws(LogError) { try removeCopies(in: LogFormat.snapshotsName) { _ in true } }

  /// Returns the number of the log's lines that the lake has, those before the base included.
  private func lineCount(
    after tail: ShippedTail, _ manifest: ShippingManifest, needed: Int
  ) throws(LogError) -> Int {
    var count = shipping.base?.lineCount ?? 0
    let open = tail.lastRevision > 0 ? nil : shipping.openSegment?.first
    for first in shipping.segments.map(\.first) + [open].compactMap(\.self) {
      count += manifest.entries[first]?.lineCount ?? 0
    }
    guard count < needed, tail.lastRevision > 0 else { return count }
    let file = try SourceFile(tail.path, fileSystem)
    defer { file.close() }
    return count + (try LineScanner.lineCount(of: file))
  }

  /// Copies the base of a pruned log.
  ///
  /// The base of a log that was pruned again is not copied if the lake has the segments since the base before it.
  func mirrorBase(_ manifest: ShippingManifest) throws(LogError) {
    let path = shipping.manifestDirectory + "/" + LogFormat.baseName
    try LogShipping.files(path) { () throws(FileSystemError) in
      let status = try fileSystem.status(of: path)
      let known =
        status == nil || status?.sizeBytes ?? 0 > LogBase.limitBytes
        ? nil : try fileSystem.contents(of: path, limitBytes: LogBase.limitBytes)
      guard let base = shipping.base, base.bytes != known else { return }
      if let known = Self.base(known), known.revision < base.revision, manifest.entries[known.first] != nil,
        !shipping.isBaseRedacted
      {
        return
      }
      try fileSystem.replaceFile(path, with: base.bytes, suffix: LogFormat.unfinishedSuffix)
    }
  }

  private static func base(_ bytes: [UInt8]?) -> LogBase? {
    guard let bytes else { return nil }
    do throws(LogBaseFault) { return try LogBase(parsing: bytes) } catch { return nil }
  }

  /// The number of tiles in a directory, by the names of C2SP tlog-tiles.
  private static let directoryWidth = 1_000

  /// Copies the tiles of the lines before the base, which nothing else can make: from them, a checkpoint before the base leads to it.
  ///
  /// The lake keeps tiles that the log has lost.
  private mutating func mirrorTiles() throws(LogError) {
    var (level, count) = (0, shipping.base?.lineCount ?? 0)
    while count > 0 {
      for first in stride(from: 0, through: (count - 1) / MerkleTile.fullWidth, by: Self.directoryWidth) {
        let directory = MerkleTile(level: level, index: first).directory
        try mirrorFolder(
          EvidenceStore.folder + "/" + directory, limitBytes: MerkleTile.limitBytes, isFixed: true
        ) { name in
          MerkleTile(path: directory + "/" + name).map { tile in tile.index * MerkleTile.fullWidth < count } ?? false
        }
      }
      if count % MerkleTile.fullWidth > 0 {
        try mirrorPartialTile(level: level, index: count / MerkleTile.fullWidth, width: count % MerkleTile.fullWidth)
      }
      (level, count) = (level + 1, count / MerkleTile.fullWidth)
    }
  }

  /// Copies the widest partial tile with the hashes before the base, unless the lake has the full one, and removes others.
  private mutating func mirrorPartialTile(level: Int, index: Int, width: Int) throws(LogError) {
    let directory = EvidenceStore.folder + "/" + MerkleTile(level: level, index: index, width: width).directory
    let full = EvidenceStore.folder + "/" + MerkleTile(level: level, index: index).path
    let target = shipping.manifestDirectory + "/" + directory
    let widest = try Self.files(directory, at: target) { () throws(FileSystemError) -> Int? in
      guard try fileSystem.status(of: shipping.manifestDirectory + "/" + full) == nil else { return nil }
      // What is no folder is left out, so that the base gets to the lake.
      return try ((copying.names(in: directory) ?? []) + names(in: target)).compactMap(Int.init)
        .filter { other in other >= width }.max()
    }
    try mirrorFolder(directory, limitBytes: MerkleTile.limitBytes, isFixed: true) { name in
      name == widest.map(String.init)
    }
    try removeCopies(in: directory) { name in name != widest.map(String.init) }
  }

  private func removeCopies(in folder: String, where isObsolete: (String) -> Bool) throws(LogError) {
    let target = shipping.manifestDirectory + "/" + folder
    try Self.files(folder, at: target) { () throws(FileSystemError) in
      let obsolete = try names(in: target).filter(isObsolete)
      for name in obsolete { try fileSystem.remove(target + "/" + name) }
      if !obsolete.isEmpty { try fileSystem.syncDirectory(target) }
    }
  }

  /// Makes the copies of the files in a folder the same as those of the log.
  ///
  /// - Parameter isFixed: Whether a file never changes, and is kept when the log no longer has it.
  private mutating func mirrorFolder(
    _ folder: String, limitBytes: Int, isFixed: Bool = false, where isCopied: (String) -> Bool
  ) throws(LogError) {
    let (source, target) = (shipping.source + "/" + folder, shipping.manifestDirectory + "/" + folder)
    let listed = try Self.files(folder, at: source) { () throws(FileSystemError) in
      try copying.names(in: folder)?.filter(isCopied)
    }
    guard let names = listed else { return }
    let kept = Set(names)
    if !isFixed { try removeCopies(in: folder) { name in !kept.contains(name) } }
    guard !names.isEmpty else { return }
    try Self.files(folder, at: target) { () throws(FileSystemError) in
      let known = Set(try self.names(in: target))
      if try fileSystem.status(of: target) == nil { try fileSystem.makeDirectories(target) }
      var isChanged = false
      for name in names where !isFixed || !known.contains(name) {
        let suffix = LogFormat.unfinishedSuffix
        guard try !isSame(source + "/" + name, target + "/" + name),
          try copying.copy(folder + "/" + name, limitBytes: limitBytes, suffix: suffix)
        else { continue }
        try fileSystem.rename(target + "/" + name + suffix, to: target + "/" + name)
        isChanged = true
      }
      if isChanged { try fileSystem.syncDirectory(target) }
    }
  }

  private static func files<Value>(
    _ folder: String, at target: String, _ calls: () throws(FileSystemError) -> Value
  ) throws(LogError) -> Value {
    do throws(FileSystemError) { return try calls() } catch {
      var failure = LogError.making(error, "\(folder) cannot be shipped", path: target)
      failure.intact = "The segments are shipped."
      throw failure
    }
  }

  private func names(in directory: String) throws(FileSystemError) -> [String] {
    guard try fileSystem.status(of: directory)?.kind == .directory else { return [] }
    return try fileSystem.names(in: directory)
  }

  /// Whether two files have the same length and end, which in a snapshot includes its checksum. A file that cannot be read has not.
  private func isSame(_ source: String, _ target: String) throws(FileSystemError) -> Bool {
    let (one, other) = (try fileSystem.status(of: source), try fileSystem.status(of: target))
    guard one?.kind == .file, other?.kind == .file, let sizeBytes = one?.sizeBytes, sizeBytes == other?.sizeBytes else {
      return false
    }
    if sizeBytes == 0 { return true }
    // A checkpoint is shorter than what is compared.
    do throws(FileSystemError) { return try shipping.compareEnds(of: source, sizeBytes, with: target) != nil } catch {
      guard error.concernsFile else { throw error }
      return false
    }
  }
}
