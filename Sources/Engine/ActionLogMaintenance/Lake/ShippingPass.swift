package import ActionLog
import Platform

/// One pass of shipping a log to a lake: finished segments, then the files in `_logs/IDENTIFIER`.
///
/// The log is locked in the lake until the pass ends. The order makes an interruption safe at any call: a segment, a snapshot and the
/// tail get their names when they are complete and durable, the manifest lists what is there, no snapshot is ahead of the lines, and no
/// redacted segment replaces its earlier form before the lake has the record of the redaction.
package struct ShippingPass {
  package enum Outcome: String, Sendable {
    case shipped, present, redacted
    /// Only in a pass that changes nothing.
    case missing
  }

  /// Stores a segment elsewhere.
  ///
  /// - Parameter replaces: Whether an earlier form of the segment was stored.
  package typealias Storing = (
    _ segment: ShippedSegment, _ name: String, _ sha256: String, _ replaces: Bool
  ) throws -> Void

  private let shipping: LogShipping
  private var sideFiles: ShippingSideFiles
  private let now: () -> LogTime
  private let storing: Storing?
  private let lock: (any DirectoryLock)?
  private var manifest: ShippingManifest
  private var saved: ShippingManifest
  /// The number of segments since the manifest was saved.
  private var unsavedCount = 0
  /// The tail, once it is shipped; without a revision if there is none.
  private var tail: ShippedTail?

  /// The number of segments after which the manifest is saved, so that an interrupted first shipping of a long log does not read
  /// them again.
  private static let saveInterval = 64

  /// The snapshots, checkpoints and tiles that could not be read, and were not shipped.
  package var leftOut: [BackupReport.LeftOut] { sideFiles.copying.leftOut }

  /// Begins a pass.
  ///
  /// - Parameter isDry: Whether nothing is changed.
  package init(
    _ shipping: LogShipping, isDry: Bool = false, storing: Storing? = nil, now: @escaping () -> LogTime
  ) throws(LogError) {
    (self.shipping, self.storing, self.now) = (shipping, storing, now)
    sideFiles = ShippingSideFiles(shipping)
    let directories = [shipping.root, shipping.root + "/_logs", shipping.manifestDirectory]
    if isDry {
      lock = nil
    } else {
      try shipping.makeDirectories(directories, for: shipping.manifestPath)
      if storing == nil {
        try shipping.makeDirectories(shipping.logDirectories, for: shipping.logDirectory)
      }
      lock = try LogShipping.lock(
        storing == nil ? shipping.logDirectory : shipping.manifestDirectory, shipping.fileSystem)
    }
    manifest = try shipping.manifest()
    saved = manifest
  }

  /// Ships a segment, unless the lake has it.
  ///
  /// - Returns: What was done, and the digest.
  /// - Throws: `LogError` with code `exists` if the lake has another history, `damaged` if the segment is not intact, `noSpace`,
  ///   `inputOutput`; the error of the closure that stores.
  package mutating func ship(_ segment: ShippedSegment) throws -> (outcome: Outcome, sha256: String) {
    do {
      return try shipNext(segment)
    } catch {
      // Without the manifest, a lake that is left as it is now looks complete. The error to report is the one that ended the pass.
      if unsavedCount > 0 { do throws(LogError) { try saveManifest() } catch {} }
      throw error
    }
  }

  private mutating func shipNext(_ segment: ShippedSegment) throws -> (outcome: Outcome, sha256: String) {
    try manifest.check(segment.previousChecksum, before: segment.first, path: segment.source)
    let copy =
      try storing == nil
      ? shipping.copy(of: segment, isListed: shipping.entry(of: segment, in: manifest) != nil) : storedCopy(of: segment)
    if case .current(let sha256) = copy {
      if let entry = try shipping.entry(of: segment, in: manifest), sha256 ?? entry.sha256 == entry.sha256 {
        return (.present, entry.sha256)
      }
      return (.present, try note(storing == nil ? segment.target : segment.source, segment))
    }
    if copy == .shorter { try manifest.checkGrowth(of: segment.first, path: segment.source) }
    let outcome = copy == .unredacted ? Outcome.redacted : lock == nil ? .missing : .shipped
    guard lock != nil else { return (outcome, try note(segment.source, segment)) }
    if copy == .missing, shipping.recordingSegments.contains(segment.first) {
      try sideFiles.removeSnapshots()
    }
    // The record may be in the tail.
    if segment.replacesCopy { try shipTail() }
    if let storing {
      // The manifest keeps the entry: the store has the older form until the new one is stored.
      let known = manifest
      let sha256 = try note(segment.source, segment)
      do {
        try storing(segment, shipping.relativePath(of: segment), sha256, copy != .missing)
      } catch {
        manifest = known
        throw error
      }
      try saveManifest()
      return (outcome, sha256)
    }
    // The digest of an older copy must not outlive it: a redacted segment can have the same length and checksum.
    if manifest.remove(segment) { try saveManifest() }
    let (verified, sha256) = try shipping.shipLocked(segment)
    add(verified, segment, sha256)
    unsavedCount += 1
    if unsavedCount >= Self.saveInterval { try saveManifest() }
    return (outcome, sha256)
  }

  /// Ships the files in `_logs` and releases the log.
  ///
  /// - Returns: The tail, if there is one.
  package mutating func finish() throws(LogError) -> ShippedTail? {
    guard let lock else { return nil }
    defer { lock.unlock() }
    if manifest != saved || manifest.hasOtherLines { try saveManifest() }
    let tail = try shipTail()
    try sideFiles.mirror(after: tail, manifest)
    return tail.lastRevision > 0 ? tail : nil
  }

  /// Ships the tail once, with what precedes and follows it.
  @discardableResult
  private mutating func shipTail() throws(LogError) -> ShippedTail {
    if let tail { return tail }
    if manifest != saved { try saveManifest() }
    let shipped = try sideFiles.shipTail(after: manifest)
    // Before the segment whose `@prune` record names it.
    if shipping.isBaseRedacted { try sideFiles.mirrorBase(manifest) }
    tail = shipped
    return shipped
  }

  private mutating func saveManifest() throws(LogError) {
    try shipping.save(manifest)
    saved = manifest
    unsavedCount = 0
  }

  /// Verifies a file, and adds it to the manifest.
  private mutating func note(_ path: String, _ segment: ShippedSegment) throws(LogError) -> String {
    let verified = try shipping.verified(path, of: segment)
    let sha256 = try shipping.fileSystem.sha256(of: path, failure: "the segment cannot be read")
    add(verified, segment, sha256)
    return sha256
  }

  private mutating func add(_ verified: LogReport.Segment, _ segment: ShippedSegment, _ sha256: String) {
    guard let ends = verified.ends else { return }
    manifest.add(
      ShippingManifest.Entry(
        ends: ends, sizeBytes: verified.sizeBytes, lineCount: verified.recordCount, sha256: sha256,
        path: shipping.relativePath(of: segment), time: now()))
  }

  /// The manifest's record of a segment that is stored elsewhere.
  private func storedCopy(of segment: ShippedSegment) throws(LogError) -> ShippedCopy {
    guard let entry = manifest.entries[segment.first] else { return .missing }
    if segment.isRedacted {
      let sha256 = try shipping.fileSystem.sha256(of: segment.source, failure: "the segment cannot be read")
      return sha256 == entry.sha256 ? .current(sha256: sha256) : .unredacted
    }
    if try shipping.entry(of: segment, in: manifest) != nil { return .current(sha256: nil) }
    guard entry.sizeBytes < segment.sizeBytes,
      try LogShipping.checksum(of: segment.source, endingAt: entry.sizeBytes, shipping.fileSystem)
        == entry.ends.lastChecksum
    else {
      throw LogError(
        .exists, "another segment was stored under the name \(entry.path)", path: segment.source,
        intact: "The log and the stored segments were not changed.",
        advice: ShippingManifest.historyAdvice)
    }
    return .shorter
  }
}

/// The durable beginning of the active segment, as the lake has it.
package struct ShippedTail: Sendable {
  package var path = ""
  package var source = ""
  package var first = 0
  package var sizeBytes = 0
  /// 0 without a tail.
  package var lastRevision = 0
  /// Whether it was replaced in this pass.
  package var isNew = false
}

struct ShippingSideFiles {
  let shipping: LogShipping
  /// Copies files to the lake. What it leaves out is kept in the lake as it was.
  var copying: SideFileCopying
  var fileSystem: any LogFileSystem { shipping.fileSystem }

  init(_ shipping: LogShipping) {
    self.shipping = shipping
    copying = SideFileCopying(
      source: shipping.source, target: shipping.manifestDirectory, fileSystem: shipping.fileSystem)
  }

  // MARK: The tail

  /// Replaces the tail by what `HEAD` records as durable of the active segment. Without an active segment, or if it has neither an
  /// action nor the record of a redaction or pruning, an older tail is removed.
  mutating func shipTail(after manifest: ShippingManifest) throws(LogError) -> ShippedTail {
    let path = tailPath
    // Without it, the tail of an open log would not be shipped, and nothing would show that.
    var head: LogHead?
    if shipping.openSegment != nil { head = try HeadFile.forWriting(shipping.source, fileSystem).head }
    var isNeeded = false
    if let open = shipping.openSegment, let head, head.segment == open.first {
      isNeeded = head.revision >= open.first
      if !isNeeded { isNeeded = try LogShipping.recordsChange(open.path, fileSystem) }
    }
    guard let open = shipping.openSegment, let head, isNeeded else {
      try removeTail(path, before: shipping.openSegment?.first ?? .max)
      return ShippedTail()
    }
    try manifest.checkGrowth(of: open.first, path: open.path)
    // Lines of a segment without an action can be redacted since it was shipped. Each keeps its checksum.
    let isRedacted = shipping.redactedSegments.contains(open.first)
    if let entry = manifest.entries[open.first] {
      // A closed log that was opened again.
      let isLonger =
        try LogShipping.checksum(of: open.path, endingAt: entry.sizeBytes, fileSystem) == entry.ends.lastChecksum
      if !isLonger {
        guard isRedacted, try hasLine(entry.ends.lastChecksum, in: open.path) else {
          throw Self.otherHistory(open.path, "the shipped segment \(entry.path)")
        }
      }
      guard !isLonger || entry.sizeBytes < head.bytes else { return ShippedTail() }
    }
    var tail = ShippedTail(
      path: path, source: open.path, first: open.first, sizeBytes: head.bytes, lastRevision: head.revision)
    if try hasTail(of: open.first) {
      // After a power cut, `HEAD` may be older than what was durable and shipped.
      if let sizeBytes = try sizeOfTail(continuedBy: open, max(head.bytes, open.sizeBytes)) {
        if sizeBytes >= head.bytes { return tail }
      } else {
        // A damaged tail, and one with lines that were redacted since, is replaced. Only another history has other lines.
        let old = try LogVerifier.verify(at: path, fileSystem: fileSystem)
        guard isRedacted || old.verdict != .clean, try hasLine(old.segments.first?.ends?.lastChecksum, in: open.path)
        else { throw Self.otherHistory(open.path, "the shipped tail") }
      }
    } else if manifest.entries[open.first] == nil, shipping.recordingSegments.contains(open.first) {
      try removeSnapshots()
    }
    _ = try LogShipping.files(path) { () throws(FileSystemError) in
      try fileSystem.copy(open.path, limitBytes: head.bytes, to: path + LogFormat.unfinishedSuffix)
    }
    let report = try LogVerifier.verify(at: path + LogFormat.unfinishedSuffix, fileSystem: fileSystem)
    guard report.verdict == .clean, let ends = report.segments.first?.ends, ends.lastChecksum == head.crc,
      ends.lastRevision == head.revision
    else { throw LogShipping.damage(open.path) }
    try manifest.check(ends.previousChecksum, before: ends.first, path: open.path)
    try LogShipping.files(path) { () throws(FileSystemError) in
      try fileSystem.rename(path + LogFormat.unfinishedSuffix, to: path)
      try fileSystem.syncDirectory(shipping.manifestDirectory)
    }
    tail.isNew = true
    return tail
  }

  private static func otherHistory(_ path: String, _ shipped: String) -> LogError {
    LogError(
      .exists, "\(shipped) has other actions than the segment", path: path,
      intact: "The log and the shipped segments were not changed.", advice: ShippingManifest.historyAdvice)
  }

  /// The first revision in a tail; `nil` if its first line is invalid.
  private func first(ofTail path: String) throws(FileSystemError) -> Int? {
    do throws(LogError) { return try LogReader.open(at: path, fileSystem: fileSystem).header.first } catch {
      if let cause = error.underlying as? FileSystemError { throw cause }
      return nil
    }
  }

  private var tailPath: String { shipping.manifestDirectory + "/" + LogFormat.tailName }

  /// Whether the lake has a tail of a segment.
  private func hasTail(of first: Int) throws(LogError) -> Bool {
    try LogShipping.files(tailPath) { () throws(FileSystemError) in
      guard try fileSystem.status(of: tailPath)?.kind == .file else { return false }
      return try self.first(ofTail: tailPath) == first
    }
  }

  /// The length of a tail that ends like a segment at that length; `nil` for any other one.
  private func sizeOfTail(continuedBy segment: LogSegment, _ sizeBytes: Int) throws(LogError) -> Int? {
    try LogShipping.files(tailPath) { () throws(FileSystemError) in
      guard try shipping.compareEnds(of: segment.path, sizeBytes, with: tailPath) != nil else { return nil }
      return try fileSystem.status(of: tailPath)?.sizeBytes
    }
  }

  /// Whether a segment has a line with a checksum. A redacted line keeps that of the original one.
  private func hasLine(_ checksum: UInt32?, in path: String) throws(LogError) -> Bool {
    let file = try SourceFile(path, fileSystem)
    defer { file.close() }
    var lines = RecordLines(file, chunkBytes: LineScanner.defaultChunkBytes)
    while let record = try lines.next() {
      if record.parsed.crc == checksum { return true }
    }
    return false
  }

  private func removeTail(_ path: String, before first: Int) throws(LogError) {
    try LogError.files("the log cannot be shipped", at: path) { () throws(FileSystemError) in
      guard try fileSystem.status(of: path)?.kind == .file, try self.first(ofTail: path) ?? 0 < first else { return }
      try fileSystem.remove(path)
      try fileSystem.syncDirectory(shipping.manifestDirectory)
    }
  }
}
