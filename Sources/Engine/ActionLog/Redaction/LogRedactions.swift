internal import JSONCoding

/// The redactions of a log, as the beginnings of its segments state them.
///
/// The number of a `@redact` record's line is not in the record, and counting all lines before it takes as long as reading the log.
/// But a line that a redaction has changed states the number, and its digest in the record proves that it does. Most questions need
/// only one such line, or no number at all.
package struct LogRedactions: Sendable {
  /// A redaction.
  package struct Entry: Sendable {
    /// The record.
    package var record: RedactRecord
    /// Whether a record follows. Without one, the writer that made the record was interrupted.
    package var isFinished: Bool
    /// The path of its segment.
    package var path: String
    /// The number of the record's line in its segment, counted from 0.
    package var line: Int
    /// Whether no later `@prune` record names another base.
    var isOfLastBase = true
    var segment: LogFolder.Segment

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
  ///
  /// - Throws: ``LogError`` if a segment cannot be read, or a `@redact` record is malformed.
  /// - Complexity: O(number of segments); O(1) for a log without salts.
  init(of reader: LogReader) throws(LogError) {
    self.reader = reader
    guard !reader.isSingleSegment, try reader.isRedactable() else { return }
    let (listing, found) = try reader.listingWith { (listing) throws(LogError) in
      try Self.read(listing.segments, reader.fileSystem)
    }
    segments = listing.segments
    firstIndex = listing.base?.lineCount ?? 0
    entries = found.entries
    if let base = listing.base {
      // A pruning that was not carried out has a later base, and one that was undone has none.
      let first = found.prunings.lastIndex { record in record.base == nil }.map { index in index + 1 } ?? 0
      let prunings = found.prunings[first...].filter { record in record.base?.revision ?? 0 <= base.revision }
      pruned = prunings.compactMap(\.redaction).max().map { index in (index, base.revision) }
    }
  }

  private static func read(
    _ segments: [LogFolder.Segment], _ fileSystem: any LogFileSystem
  ) throws(LogError) -> (entries: [Entry], prunings: [PruneRecord]) {
    var entries: [Entry] = []
    var prunings: [PruneRecord] = []
    /// The segment and line of the last line that was read.
    var last = (segment: 0, line: 0)
    for segment in segments {
      let file = try SourceFile(segment.path, fileSystem)
      defer { file.close() }
      var scanner = LineScanner(file, from: 0, chunkBytes: beginningBytes)
      var line = 0
      while let next = try scanner.next(), next.isTerminated, !next.isTooLong {
        last = (segment.first, line)
        let bytes = scanner.bytes(of: next)
        guard let parsed = parsed(bytes), parsed.isControl else { break }
        switch parsed.controlType(in: bytes) {
        case .prune:
          let place = LogPlace(path: segment.path, byteOffset: next.byteOffset, line: nil)
          if let record = PruneRecord(LogRecord(parsed, line: bytes, schema: 0, place: place)) {
            prunings.append(record)
            for index in entries.indices { entries[index].isOfLastBase = false }
          }
        case .redact:
          let start = bytes.startIndex
          let data = bytes[start + parsed.data.lowerBound..<start + parsed.data.upperBound]
          guard let record = RedactRecord(data: data) else {
            throw LogError.malformedRedaction(path: segment.path, line: line + 1, byteOffset: next.byteOffset)
          }
          entries.append(Entry(record: record, isFinished: true, path: segment.path, line: line, segment: segment))
        default: break
        }
        line += 1
      }
    }
    if let newest = entries.last, (newest.segment.first, newest.line) == last {
      entries[entries.count - 1].isFinished = false
    }
    return (entries, prunings)
  }

  /// 4 KiB: the beginning of a segment usually has two or three short lines before its first action.
  private static let beginningBytes = 4_096

  private static func parsed(_ bytes: ArraySlice<UInt8>) -> ParsedLine? {
    do throws(LineFault) { return try LineParser.parse(bytes) } catch { return nil }
  }

  /// Whether the log has no redaction, and had none before its base.
  package var isEmpty: Bool { entries.isEmpty && pruned == nil }

  /// Whether the log ends with a redaction that is not complete.
  package var hasUnfinished: Bool { entries.last.map { entry in !entry.isFinished } ?? false }

  /// Returns the newest redaction after another one whose values a state may hold.
  ///
  /// - Parameters:
  ///   - revision: The revision of the state.
  ///   - index: The number of the line of the newest redaction that was complete before the state was folded; `nil` if there was none.
  /// - Returns: `nil` if the state cannot hold a value that was redacted since.
  /// - Complexity: As ``index(of:)``.
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
  ///
  /// - Complexity: As ``index(of:)``.
  package func newestFinishedIndex() throws(LogError) -> Int? {
    let newest = entries.last { entry in entry.isFinished }
    guard let newest else { return pruned?.index }
    return try index(of: newest)
  }

  /// Returns the number of the line of the newest redaction before a segment, which has an action; `nil` if there is none.
  ///
  /// - Complexity: As ``index(of:)``.
  func newestIndex(beforeSegment first: Int) throws(LogError) -> Int? {
    let newest = entries.last { entry in entry.segment.first < first }
    guard let newest else { return pruned?.index }
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
  func segmentsReplaced(until now: LogRedactions) -> Set<Int>? {
    guard now.isNewer(than: self) else { return nil }
    let new = now.entries.filter { entry in !entries.contains { known in known.isSame(as: entry) } }
    return Set(new.flatMap { entry in entry.record.lines.map(\.segment) })
  }

  /// Returns the number of a redaction's line in the log, counted from 0.
  ///
  /// - Complexity: O(log(length of a segment)) if it has changed a line that no later redaction changed. Otherwise the lines before it
  ///   are counted.
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
      index += try reader.lineCount(of: segment)
    }
    return index
  }

  /// The number of changed lines to read before lines are counted. One is enough unless the redaction was not carried out.
  private static let attemptLimit = 4
}

/// A redaction in a log: its record, the number of its line, and whether it was carried out.
package struct LoggedRedaction: Equatable, Sendable {
  /// The number of the record's line in the log, counted from 0.
  package var index: Int
  /// The record.
  package var record: RedactRecord
  /// Whether a record follows. Without one, the writer that made the record was interrupted.
  package var isFinished: Bool

  /// Creates a description.
  package init(index: Int, record: RedactRecord, isFinished: Bool) {
    self.index = index
    self.record = record
    self.isFinished = isFinished
  }
}

extension LogReader {
  /// Returns the redactions of the log, in order; none for a log without salts, and for a single segment.
  ///
  /// Each is recorded before the first action of its segment, so only the beginnings of segments are read.
  ///
  /// - Throws: ``LogError`` if a segment cannot be read, or a `@redact` record is malformed.
  /// - Complexity: O(number of segments).
  package func redactionList() throws(LogError) -> LogRedactions { try LogRedactions(of: self) }

  /// Returns the redactions of the log with the numbers of their lines.
  ///
  /// - Throws: As ``redactionList()``.
  /// - Complexity: O(number of segments), and that of ``LogRedactions/index(of:)`` for each redaction.
  package func redactions() throws(LogError) -> [LoggedRedaction] {
    let list = try redactionList()
    var found: [LoggedRedaction] = []
    for entry in list.entries {
      found.append(
        LoggedRedaction(index: try list.index(of: entry), record: entry.record, isFinished: entry.isFinished))
    }
    return found
  }

  /// Returns the number of the `@redact` record that a redacted line states.
  ///
  /// - Parameter line: The entry of the line in the record.
  /// - Returns: `nil` if the line does not have the recorded digest.
  /// - Complexity: O(log(length of its segment)).
  fileprivate func redactionIndex(in line: RedactRecord.Line) throws(LogError) -> Int? {
    do throws(LogError) {
      // Records that follow an action have its revision.
      var records = try records(from: line.revision, chunkBytes: LogReader.recordChunkBytes)
      for _ in 0..<LogReader.recordLimit {
        guard let record = try records.next(), record.revision <= line.revision else { return nil }
        guard RedactedLine.digest(of: record.rawLine) == line.digest else { continue }
        do throws(LineForm.Fault) { return try record.rawLine.withForm().kind.redaction?.by } catch { return nil }
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
  func firstLineIndex() throws(LogError) -> Int { try listing().base?.lineCount ?? 0 }

  /// Counts the lines of a segment.
  ///
  /// - Complexity: O(length of the segment).
  func lineCount(of segment: LogFolder.Segment) throws(LogError) -> Int {
    let file = try SourceFile(segment.path, fileSystem)
    defer { file.close() }
    return try LineScanner.lineCount(of: file)
  }
}

extension LogError {
  /// The error for a `@redact` record that cannot be read.
  static func malformedRedaction(path: String, line: Int, byteOffset: Int) -> LogError {
    LogError(
      .damaged, "the @redact record does not name its lines as the format requires", path: path, line: line,
      byteOffset: byteOffset, advice: .fullReport)
  }
}

extension LineScanner {
  /// Counts the complete lines of a file.
  ///
  /// - Complexity: O(length of the file); memory O(1).
  static func lineCount(of file: SourceFile) throws(LogError) -> Int {
    let size = try file.size()
    var (offset, count) = (0, 0)
    while offset < size {
      let bytes = try file.bytes(at: offset, count: min(size - offset, defaultChunkBytes))
      if bytes.isEmpty { break }
      bytes.withUnsafeBytes { bytes in
        var start = 0
        while let lineFeed = ByteSearch.first(UInt8(ascii: "\n"), in: bytes, from: start) {
          count += 1
          start = lineFeed + 1
        }
      }
      offset += bytes.count
    }
    return count
  }
}
