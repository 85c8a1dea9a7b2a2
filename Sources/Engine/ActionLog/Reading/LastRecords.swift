/// The last matching records of a log.
public struct LastRecords: Sendable {
  /// The records, oldest first.
  public internal(set) var records: [LogRecord] = []
  /// The last revision that can be read, matching or not.
  public internal(set) var lastRevision: Int
  /// The way the log ends.
  public internal(set) var ending: LogEnding
  /// Damage before the end of the log that the search reached. The records are those after it and after any other
  /// invalid line up to the end.
  public internal(set) var damage: LogError?
  /// The number of bytes read to find the records, not counting the bytes read to find the end of the log.
  package internal(set) var bytesRead = 0
}

extension LogReader {
  /// Finds the last matching records, backward from the end of the log.
  ///
  /// Ranges of actions are read, the last one first. Each range is twice as long as the one after it, so the cost does
  /// not depend on the length of the log before the records.
  ///
  /// - Parameters:
  ///   - count: The maximum number of records.
  ///   - range: The revisions to search. Control records have the revision of the action before them; those before the
  ///     first action belong to revision 0.
  ///   - progress: Called with the number of bytes read so far.
  ///   - isWanted: Whether a record matches. It is called in order within a range of actions, and for later ranges
  ///     first.
  /// - Returns: The records, and the damage that was reached before `count` records were found. Records after the
  ///   damage are returned, from the first line on after which every line follows the previous one. Damage directly
  ///   after the last action of `range` is outside of the search and not reported.
  /// - Throws: ``LogError`` if the log cannot be read; the errors of `progress` and `isWanted`.
  /// - Complexity: O(length of the last segment, to find the end + length of the log after the first returned record);
  ///   memory O(`count` records).
  public func lastRecords(
    _ count: Int, in range: ClosedRange<Int> = 0 ... .max, progress: (_ bytesRead: Int) throws -> Void = { _ in },
    where isWanted: (LogRecord) throws -> Bool
  ) throws -> LastRecords {
    let extent = try extent()
    var found = LastRecords(lastRevision: extent.lastRevision, ending: extent.ending)
    var parts: [ArraySlice<LogRecord>] = []
    var missing = max(0, count)
    var length = min(max(missing, LogReader.firstLength), LogReader.firstLengthLimit)
    // The first action after the range.
    var end = min(range.upperBound, extent.lastRevision) + 1
    let lowest = max(extent.firstRevision, range.lowerBound)
    while missing > 0, end > lowest {
      let isLast = end - lowest <= length
      var part = RecordRangeReader(from: isLast ? lowest : end - length, before: end, keeping: missing)
      // After the last range is nothing that was requested. After any other range is one that was read from its first
      // action on, so an invalid line is between the two: for example, a control record at the seam of two segments.
      part.ignoresDamageAtEnd = parts.isEmpty
      try part.read(self, from: found.bytesRead, progress, isWanted)
      found.bytesRead += part.bytesRead
      missing -= part.records.count
      parts.append(part.records)
      // Records before the damage are not adjacent to those after it.
      if let damage = part.damage {
        found.damage = missing > 0 ? damage : nil
        break
      }
      end = part.first
      length = length > .max / 2 ? .max : 2 * length
      if isLast { break }
    }
    found.records = parts.reversed().flatMap(\.self)
    return found
  }

  /// Reading 256 lines takes about as long as finding one.
  private static let firstLength = 256
  /// A caller that requests more is unlikely to want only the last records.
  private static let firstLengthLimit = 1 << 20
}

/// A reader for a range of actions and the control records after each.
///
/// At an invalid line, it keeps only records after it: those from the last line on that does not follow the previous
/// one, up to the end of the range.
struct RecordRangeReader {
  let first: Int
  let end: Int
  /// Whether damage after the last action of the range is ignored.
  var ignoresDamageAtEnd = false
  private(set) var bytesRead = 0
  /// The first invalid line, unless it is ignored.
  private(set) var damage: LogError?

  /// The number of records to keep, from the end of the range.
  private let limit: Int
  private var kept: [LogRecord] = []
  /// Whether the last action of the range was read, so that an invalid line is after it.
  private var hasLastAction = false

  init(from first: Int, before end: Int, keeping limit: Int) {
    self.first = first
    self.end = end
    self.limit = limit
  }

  var records: ArraySlice<LogRecord> { kept.suffix(limit) }

  /// Reads the range.
  ///
  /// - Parameter bytesBefore: The number of bytes read before, for `progress`.
  mutating func read(
    _ reader: LogReader, from bytesBefore: Int, _ progress: (Int) throws -> Void,
    _ isWanted: (LogRecord) throws -> Bool
  ) throws {
    let (listing, (start, target)) = try reader.listingWith { (listing) throws(LogError) in
      try reader.start(from: first, listing)
    }
    var cursor = RecordCursor(
      reader, listing, from: start, target: target, chunkBytes: LogReader.defaultChunkBytes)
    defer { bytesRead += cursor.bytesRead }
    while let record = try nextIntact(&cursor) {
      try progress(bytesBefore + cursor.bytesRead)
      guard try take(record, isWanted) else { return }
    }
    guard damage != nil else { return }
    kept = []
    while let found = try cursor.nextPastDamage() {
      try progress(bytesBefore + cursor.bytesRead)
      if !found.follows {
        if hasLastAction, ignoresDamageAtEnd { return }
        kept = []
      }
      guard try take(found.record, isWanted) else { return }
    }
    // Otherwise, the kept records do not reach the end of the range, or are not adjacent to the records after it.
    if !hasLastAction || !ignoresDamageAtEnd { kept = [] }
  }

  /// Returns the next record; `nil` at the end and at damage, which is stored in ``damage``.
  private mutating func nextIntact(_ cursor: inout RecordCursor) throws(LogError) -> LogRecord? {
    do throws(LogError) { return try cursor.readRecord() } catch {
      guard error.code == .damaged else { throw error }
      if !hasLastAction || !ignoresDamageAtEnd { damage = error }
      return nil
    }
  }

  /// - Returns: Whether to continue.
  private mutating func take(_ record: LogRecord, _ isWanted: (LogRecord) throws -> Bool) throws -> Bool {
    guard record.revision < end else { return false }
    if record.revision == end - 1 { hasLastAction = true }
    guard record.revision >= first, try isWanted(record) else { return true }
    kept.append(record)
    // Trims rarely, so that the cost per record is constant.
    if kept.count / 2 >= limit, kept.count >= 1_024 { kept.removeFirst(kept.count - limit) }
    return true
  }
}
