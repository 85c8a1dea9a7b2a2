package import ActionLog
import Platform

/// Removes the beginning of a log, whose states it replaces with a base.
///
/// The order makes it safe: (1) the segments are verified and archived, or read back from the lake that has them, (2) the tiles are
/// brought up to date, (3) the base is written under a temporary name, (4) `@prune` is recorded, (5) the base gets its name, and
/// from then on the log begins there, (6) the segments and the snapshots before it are removed, (7) `@close` is recorded. A crash
/// before (4) leaves the log as it was. Afterward the next writer finishes, see `PruningEnd`. Readers need no lock.
package struct LogPruning: Sendable {
  /// The state that the log will begin with, and the identity of the code that folded it.
  package struct State: Sendable {
    package var bytes: [UInt8]
    /// The digest of the state: 64 hexadecimal digits.
    package var digest: String
    package var model: String
    package var schema: Int
    package var reducer: String

    package init(bytes: [UInt8], digest: String, model: String, schema: Int, reducer: String) {
      self.bytes = bytes
      self.digest = digest
      self.model = model
      self.schema = schema
      self.reducer = reducer
    }
  }

  package let path: String
  /// The segments that are removed, in order; none if no sealed segment is completely before the point.
  package let segments: [LogSegment]
  /// The revision that the log will begin with.
  package let firstRevision: Int

  let fileSystem: any LogFileSystem

  /// Finds the sealed segments that are completely before a revision. Changes nothing.
  ///
  /// - Parameter revision: The first revision whose action must stay in the log.
  package init(
    at path: String, before revision: Int, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) {
    let reader = try LogReader.openWhole(at: path, fileSystem, toBe: "pruned")
    self.path = reader.path
    self.fileSystem = fileSystem
    let kept = reader.segments.lastIndex { segment in segment.first <= revision } ?? 0
    segments = Array(reader.segments[..<kept])
    firstRevision = kept > 0 ? reader.segments[kept].first - 1 : reader.base?.revision ?? 0
  }

  /// Removes the segments.
  ///
  /// - Parameters:
  ///   - actor: Who asked for it, recorded in the metadata; `nil` if unknown.
  ///   - archive: A directory to which the segments are copied before; `nil` deletes them. It need not exist, and must not be the log
  ///     or inside it. A lake to which the log was shipped, or the log's directory there, must have the segments.
  /// - Returns: What was recorded.
  package func run(
    reason: String, actor: String?, archive: String?, environment: LogEnvironment,
    makeState: (_ log: LogReader) throws -> State
  ) throws -> PruneRecord {
    guard !segments.isEmpty else {
      throw LogError(.invalidArgument, "no sealed segment is completely before the point", path: path)
    }
    let archive = archive.map(LogFolder.trimmed)
    if let archive { try LogFolder.checkArchive(archive, of: path, fileSystem) }
    let opener = try LogReader.open(at: path, fileSystem: fileSystem).opener(environment)
    let opened = try opener.acquire()
    let record: PruneRecord
    do {
      record = try prepare(reason: reason, archive: archive, makeState)
    } catch {
      opened.release()
      throw error
    }
    let writer = try opener.start(opened)
    try writer.recordAndClose(record, actor: actor) { () throws(LogError) in
      try PruningEnd(record, at: path, fileSystem).run()
    }
    return record
  }

  /// Finishes a pruning that was recorded and interrupted, as the next writer does.
  ///
  /// - Parameter isDry: Whether nothing is changed.
  /// - Returns: Whether a pruning was interrupted.
  package static func finish(
    at path: String, isDry: Bool, environment: LogEnvironment, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) -> Bool {
    let reader = try LogReader.open(at: path, fileSystem: fileSystem)
    guard !reader.isSingleSegment, let last = try reader.lastPruning(), last.isLastRecord,
      try PruningEnd(last.record, at: reader.path, fileSystem).isPossible()
    else { return false }
    if !isDry { try reader.opener(environment).open().closeNow() }
    return true
  }

  /// Checks that the segments can be archived in a directory, as ``run(reason:actor:archive:environment:makeState:)`` does. Changes
  /// nothing.
  package func check(archive: String) throws {
    let archive = LogFolder.trimmed(archive)
    try LogFolder.checkArchive(archive, of: path, fileSystem)
    let header = try LogReader.open(at: path, fileSystem: fileSystem).header
    if let lake = try LakeArchive(at: archive, of: header, fileSystem) {
      try lake.check(segments.map(\.entry), nil)
    } else {
      try Self.archiving(fileSystem).check(segments.map(\.entry), to: archive)
    }
  }

  private static func archiving(_ fileSystem: any LogFileSystem) -> SegmentCopying {
    SegmentCopying(fileSystem: fileSystem, failure: "the segments cannot be archived")
  }

  /// Steps (1) to (3): everything before the first change of the log. The log is locked.
  private func prepare(
    reason: String, archive: String?, _ makeState: (LogReader) throws -> State
  ) throws -> PruneRecord {
    // The log may have been pruned or redacted since the segments were listed.
    let now = try LogPruning(at: path, before: firstRevision + 1, fileSystem: fileSystem)
    let reader = try LogReader.open(at: path, fileSystem: fileSystem)
    guard now.segments.map(\.first) == segments.map(\.first), now.firstRevision == firstRevision else {
      throw LogError(.rejected, "the log was changed in the meantime", path: path, advice: "Prune it again.")
    }
    let files = segments.map(\.entry)
    let examined = try ExaminedSegments(files, after: reader.base, of: reader.header, fileSystem)
    if let archive {
      if let lake = try LakeArchive(at: archive, of: reader.header, fileSystem) {
        try lake.check(files, examined.segments)
      } else {
        try Self.archiving(fileSystem).archive(files, examined.segments, to: archive)
      }
    }
    try updateTiles(through: examined.tree)
    let state = try makeState(reader)
    let base = LogBase(
      revision: firstRevision, time: examined.time, log: reader.header.log, model: state.model, schema: state.schema,
      reducer: state.reducer, checksum: examined.checksum, lineCount: examined.tree.size, link: examined.link.crc,
      synced: examined.link.synced, tree: examined.tree.subtrees, state: state.bytes)
    let bytes = base.bytes
    // A base that readers refuse would cost the log its beginning.
    do throws(LogBaseFault) { _ = try LogBase(parsing: bytes) } catch {
      throw LogError(.invalidRecord, "the state cannot be the base of the log: \(error.message)", path: path)
    }
    guard bytes.count <= LogBase.limitBytes else {
      throw LogError(
        .beyondLimit, "the base would have \(bytes.count) bytes, and the limit is \(LogBase.limitBytes)", path: path)
    }
    try writeUnfinished(bytes, like: reader.segments.last?.path)
    return PruneRecord(
      reason: reason, first: base.first, lineCount: base.lineCount,
      redaction: try reader.redactionList().newestIndex(beforeSegment: base.first),
      base: PruneRecord.Base(revision: base.revision, sha256: SHA256.hexadecimal(bytes), state: state.digest),
      segments: examined.segments, archive: archive)
  }

  /// Brings the tiles up to date, so that they cover every line before the base: nothing else can make those tiles again. The log is
  /// locked.
  private func updateTiles(through tree: MerkleAccumulator) throws(LogError) {
    let store = EvidenceStore(log: path, fileSystem: fileSystem)
    let covered = try store.update(holdsLock: true).size
    guard covered >= tree.size else {
      throw LogError(
        .rejected, "the tiles cover \(covered) lines, and the first \(tree.size) would be removed", path: store.path,
        intact: "Nothing was removed.", advice: "Run \(.operation("checkpoint", "LOG")), and prune the log again.")
    }
    var tiles = store.tiles(size: tree.size)
    guard try tiles.accumulator(size: tree.size) == tree else {
      throw LogError(
        .damaged, "the tiles are not those of the lines that would be removed", path: store.path,
        intact: "Nothing was removed.", advice: "Run \(.rebuildingCheckpoints), and prune the log again.")
    }
  }

  private func writeUnfinished(_ bytes: [UInt8], like model: String?) throws(LogError) {
    let path = PruningEnd.unfinishedPath(in: path)
    try LogError.files("the base cannot be written", at: path) { () throws(FileSystemError) in
      try fileSystem.createFile(path, with: bytes, like: model)
      try fileSystem.syncDirectory(self.path)
    }
  }
}

extension LogFolder {
  /// Refuses the directory of a log, and directories inside it, as the archive of its segments, whatever path leads to them.
  static func checkArchive(
    _ directory: String, of log: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) {
    try check(directory, isOutside: log, fileSystem, "an archive")
    let isOutside = try LogError.making("an archive cannot be created", at: directory) { () throws(FileSystemError) in
      let path = try fileSystem.canonicalPath(of: log)
      let identity = try fileSystem.status(of: path)?.identity
      var outer = try fileSystem.canonicalPath(of: directory)
      var isOutside = !outer.utf8.elementsEqual(path.utf8)
      // A bind mount shows the log under another path.
      while isOutside, let known = identity {
        if try fileSystem.status(of: outer)?.identity == known { isOutside = false }
        let parent = parent(of: outer)
        if parent == outer { break }
        outer = parent
      }
      return isOutside
    }
    guard !isOutside else { return }
    throw LogError(
      .invalidArgument, "an archive cannot be the log that it comes from, or inside it", path: directory,
      intact: "Nothing was changed.", advice: "Use a directory next to it.")
  }
}
