/// Some actions in order, and the control records behind each.
///
/// Where a line does not check, what lies behind it is kept, up to the end of the stretch: from the last line on that does not
/// follow the one before it.
struct RecordStretch {
  let first: Int
  let end: Int
  /// Whether damage behind the last action of the stretch is no concern of it.
  var mayEndInDamage = false
  private(set) var bytesRead = 0
  /// The first line that does not check, unless that is behind the last action and no concern.
  private(set) var damage: LogError?

  /// At most this many records are kept, the last ones.
  private let limit: Int
  private var kept: [LogRecord] = []
  /// Whether the last action of the stretch was read, so that what cannot be read lies behind it.
  private var isWhole = false

  init(from first: Int, before end: Int, keeping limit: Int) {
    self.first = first
    self.end = end
    self.limit = limit
  }

  var records: ArraySlice<LogRecord> { kept.suffix(limit) }

  /// Reads it.
  ///
  /// - Parameter bytesBefore: How many bytes were read before, for the progress.
  /// - Throws: ``LogError`` when the log cannot be read, but not for damage; what the closures throw.
  mutating func read(
    _ reader: LogReader, from bytesBefore: Int, _ progress: (Int) throws -> Void,
    _ isWanted: (LogRecord) throws -> Bool
  ) throws {
    let listing = try reader.listing()
    let start = try first <= 0 ? reader.start(ofSegment: 0, listing) : reader.start(near: first, listing)
    var cursor = RecordCursor(
      reader, listing, from: start, target: first <= 0 ? nil : first, chunkBytes: LogReader.defaultChunkBytes)
    defer { bytesRead += cursor.bytesRead }
    while let record = try nextIntact(&cursor) {
      try progress(bytesBefore + cursor.bytesRead)
      guard try take(record, isWanted) else { return }
    }
    guard damage != nil else { return }
    kept = []
    let stop = cursor.stop
    var records = try LooseRecords(reader, listing, from: stop.segmentIndex, stop.byteOffset)
    defer { bytesRead += records.bytesRead }
    while let found = try records.next() {
      try progress(bytesBefore + cursor.bytesRead + records.bytesRead)
      if !found.follows {
        if isWhole, mayEndInDamage { return }
        kept = []
      }
      guard try take(found.record, isWanted) else { return }
    }
    // What is kept reaches the end of the stretch, or is not next to what lies behind that.
    if !isWhole || !mayEndInDamage { kept = [] }
  }

  /// The next record; `nil` at the end, and where there is damage, which is then known.
  private mutating func nextIntact(_ cursor: inout RecordCursor) throws(LogError) -> LogRecord? {
    do throws(LogError) { return try cursor.nextRecord() } catch {
      guard error.code == .damaged else { throw error }
      if !isWhole || !mayEndInDamage { damage = error }
      return nil
    }
  }

  /// - Returns: Whether the stretch goes on.
  private mutating func take(_ record: LogRecord, _ isWanted: (LogRecord) throws -> Bool) throws -> Bool {
    guard record.seq < end else { return false }
    if record.seq == end - 1 { isWhole = true }
    guard record.seq >= first, try isWanted(record) else { return true }
    kept.append(record)
    // Now and then, so that it costs nothing.
    if kept.count / 2 >= limit, kept.count >= 1_024 { kept.removeFirst(kept.count - limit) }
    return true
  }
}
