internal import JSONCoding

/// A `@redact` or `@prune` record. Each precedes the first action of its segment, so that the beginnings of segments show all of them.
package struct ChangeRecord: Sendable {
  let record: LogRecord
  let segment: LogFolder.Segment
  /// The number of the record's line in its segment, counted from 0.
  let line: Int
  /// Whether no record follows: the writer that made it was interrupted.
  fileprivate(set) var isLastRecord = true

  static func read(
    _ segments: [LogFolder.Segment], _ fileSystem: any LogFileSystem
  ) throws(LogError) -> [ChangeRecord] {
    var found: [ChangeRecord] = []
    for segment in segments {
      let file = try SourceFile(segment.path, fileSystem)
      defer { file.close() }
      // A damaged line ends the beginning as an action does; `verify` and readers report it.
      var lines = RecordLines(file)
      var number = 0
      while let line = try lines.next() {
        if !found.isEmpty { found[found.count - 1].isLastRecord = false }
        guard line.parsed.isControl else { break }
        if line.controlType == .redact || line.controlType == .prune {
          let place = LogPlace(path: segment.path, byteOffset: line.byteOffset, line: number + 1)
          let record = LogRecord(line.parsed, line: line.bytes, schema: 0, place: place)
          found.append(ChangeRecord(record: record, segment: segment, line: number))
        }
        number += 1
      }
    }
    return found
  }
}

/// The redactions of a log, as the beginnings of its segments state them.
///
/// The number of a `@redact` record's line is not in the record, and counting all lines before it takes as long as reading the log.
/// But a line that a redaction has changed states the number, and its digest in the record proves that it does. Most questions need
/// only one such line, or no number at all.
package struct LogRedactions: Sendable {
  package struct Entry: Sendable {
    package var record: RedactRecord
    /// Whether a record follows. Without one, the writer that made the record was interrupted.
    package var isFinished: Bool
    /// The number of the record's line in its segment, counted from 0.
    package var line: Int
    /// Whether no later `@prune` record names another base.
    package var isOfLastBase: Bool
    package var segment: LogFolder.Segment

    package var path: String { segment.path }

    /// Whether both are the same redaction, at the same stage.
    fileprivate func isSame(as other: Entry) -> Bool {
      segment.first == other.segment.first && line == other.line && isFinished == other.isFinished
    }
  }

  /// The newest redaction after a fold whose values its state may hold.
  package enum Newer: Sendable {
    /// One that the log records.
    case recorded(Entry)
    /// One whose record was removed with the beginning of the log.
    case pruned
  }

  /// The redactions in the order of the log. Those before the base of a pruned log are missing.
  package private(set) var entries: [Entry] = []
  /// The number of the newest record before the base of a pruned log, and the revision of the base; `nil` if there is none.
  private var pruned: (index: Int, revision: Int)?
  private let reader: LogReader
  private var segments: [LogFolder.Segment] = []
  private var firstIndex = 0

  /// Reads the beginnings of the segments.
  init(of reader: LogReader) throws(LogError) {
    self.reader = reader
    guard !reader.isSingleSegment, try reader.isRedactable() else { return }
    let (listing, changes) = try reader.changes()
    segments = listing.segments
    firstIndex = listing.base?.lineCount ?? 0
    let lastPruning = changes.lastIndex { change in PruneRecord(change.record) != nil } ?? -1
    for (index, change) in changes.enumerated() where change.record.controlType == .redact {
      guard let record = RedactRecord(data: change.record.dataBytes) else {
        throw LogError(
          .damaged, "the @redact record does not name its lines as the format requires", path: change.segment.path,
          line: change.line + 1, byteOffset: change.record.place.byteOffset, advice: .fullReport)
      }
      entries.append(
        Entry(
          record: record, isFinished: !change.isLastRecord, line: change.line, isOfLastBase: index > lastPruning,
          segment: change.segment))
    }
    guard let base = listing.base else { return }
    // A pruning that was not carried out has a later base.
    let prunings = PruneRecord.sinceRestoring(changes).filter { record in record.base?.revision ?? 0 <= base.revision }
    pruned = prunings.compactMap(\.redaction).max().map { index in (index, base.revision) }
  }

  /// Whether the log has no redaction, and had none before its base.
  package var isEmpty: Bool { entries.isEmpty && pruned == nil }

  /// Whether the log ends with a redaction that is not complete.
  package var hasUnfinished: Bool { entries.last.map { entry in !entry.isFinished } ?? false }

  /// Returns the newest redaction after another one whose values a state may hold.
  ///
  /// - Parameter index: The number of the line of the newest redaction that was complete before the state was folded; `nil` if there was none.
  /// - Returns: `nil` if the state cannot hold a value that was redacted since.
  package func newest(affecting revision: Int, after index: Int?) throws(LogError) -> Newer? {
    let newest = entries.last { entry in
      entry.record.lowestRevision.map { lowest in lowest <= revision } ?? false
    }
    if let newest {
      // A fold begins after complete redactions only.
      guard let index, newest.isFinished, try self.index(of: newest) <= index else { return .recorded(newest) }
      return nil
    }
    // Every redaction names lines before its own record, so that each state from the base on may hold their values.
    guard let pruned, pruned.revision <= revision, index ?? -1 < pruned.index else { return nil }
    return .pruned
  }

  /// Returns the number of the line of the newest redaction that is complete; `nil` if there is none.
  package func newestFinishedIndex() throws(LogError) -> Int? { try index(ofNewest: \.isFinished) }

  /// Returns the number of the line of the newest redaction before a segment, which has an action; `nil` if there is none.
  package func newestIndex(beforeSegment first: Int) throws(LogError) -> Int? {
    try index { entry in entry.segment.first < first }
  }

  private func index(ofNewest isCounted: (Entry) -> Bool) throws(LogError) -> Int? {
    guard let newest = entries.last(where: isCounted) else { return pruned?.index }
    return try index(of: newest)
  }

  /// Whether a redaction was recorded since another list was read, or the last one of it was completed.
  package func isNewer(than other: LogRedactions) -> Bool {
    guard let last = entries.last else { return false }
    return other.entries.last.map { entry in !entry.isSame(as: last) } ?? true
  }

  /// Returns the first revisions of the segments that were replaced since this list was read, as a newer list shows.
  ///
  /// - Returns: `nil` if no redaction was recorded or completed since.
  package func segmentsReplaced(until now: LogRedactions) -> Set<Int>? {
    guard now.isNewer(than: self) else { return nil }
    let new = now.entries.filter { entry in !entries.contains { known in known.isSame(as: entry) } }
    return Set(new.flatMap { entry in entry.record.lines.map(\.segment) })
  }

  /// Returns the number of a redaction's line in the log, counted from 0.
  package func index(of entry: Entry) throws(LogError) -> Int {
    var changedLater: Set<Int> = []
    for other in entries.reversed() {
      if other.segment == entry.segment, other.line == entry.line { break }
      changedLater.formUnion(other.record.lines.map(\.index))
    }
    let candidates = entry.record.lines.lazy.filter { line in !changedLater.contains(line.index) }
    for line in candidates.prefix(Self.attemptLimit) {
      if let index = try reader.redactionIndex(in: line) { return index }
    }
    var index = firstIndex + entry.line
    for segment in segments.prefix(while: { segment in segment != entry.segment }) {
      index += try LineScanner.lineCount(of: segment, reader.fileSystem)
    }
    return index
  }

  /// The number of changed lines to read before lines are counted. One is enough unless the redaction was not carried out.
  private static let attemptLimit = 4
}

extension LogReader {
  /// Returns the redactions of the log, in order; none for a log without salts, and for a single segment.
  package func redactionList() throws(LogError) -> LogRedactions { try LogRedactions(of: self) }

  /// Returns the `@redact` and `@prune` records of the log, oldest first, and the listing that they were read from.
  package func changes() throws(LogError) -> (listing: Listing, changes: [ChangeRecord]) {
    let (listing, changes) = try listingWith { (listing) throws(LogError) in
      isSingleSegment ? [] : try ChangeRecord.read(listing.segments, fileSystem)
    }
    return (listing, changes)
  }

  /// Returns the number of the `@redact` record that a redacted line states.
  ///
  /// - Returns: `nil` if the line does not have the recorded digest.
  fileprivate func redactionIndex(in line: RedactRecord.Line) throws(LogError) -> Int? {
    do throws(LogError) {
      // Records that follow an action have its revision.
      var records = try records(from: line.revision, chunkBytes: LogReader.recordChunkBytes)
      for _ in 0..<LogReader.recordLimit {
        guard let record = try records.next(), record.revision <= line.revision else { return nil }
        guard RedactedLine.digest(of: record.rawLine) == line.digest else { continue }
        return record.rawLine.form?.kind.redaction?.by
      }
      return nil
    } catch {
      // The line may be damaged, or before the base of a pruned log.
      guard error.code == .damaged || error.code == .pruned else { throw error }
      return nil
    }
  }

  /// 4 KiB: a few lines of the usual length.
  private static let recordChunkBytes = 4_096
  /// An action has few control records after it: a digest, those at the end of a segment, and those at the beginning of the next.
  private static let recordLimit = 64

  /// The number of the log's first line.
  package func firstLineIndex() throws(LogError) -> Int { try listing().base?.lineCount ?? 0 }

}

extension LineScanner {
  static func lineCount(of segment: LogFolder.Segment, _ fileSystem: any LogFileSystem) throws(LogError) -> Int {
    let file = try SourceFile(segment.path, fileSystem)
    defer { file.close() }
    return try lineCount(of: file)
  }

  package static func lineCount(of file: SourceFile) throws(LogError) -> Int {
    try file.reading { (file) throws(FileSystemError) in
      var count = 0
      var chunks = try FileChunks(file)
      while let bytes = try chunks.next() {
        bytes.withUnsafeBytes { bytes in
          var start = 0
          while let lineFeed = ByteSearch.first(UInt8(ascii: "\n"), in: bytes, from: start) {
            (count, start) = (count + 1, lineFeed + 1)
          }
        }
      }
      return count
    }
  }
}
