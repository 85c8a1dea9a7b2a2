/// The last records of a log that somebody wants.
public struct LastRecords: Sendable {
  /// The records, oldest first.
  public internal(set) var records: [LogRecord] = []
  /// The last revision that can be read, wanted or not.
  public internal(set) var lastSeq: Int
  /// How the log ends.
  public internal(set) var ending: LogEnding
  /// Damage in the midst of the log that was met on the way back. The records are those that lie behind it, and behind whatever else
  /// does not check up to the end.
  public internal(set) var damage: LogError?
  /// How many bytes were read from files to find the records, the look at the end of the log not counted.
  public internal(set) var bytesRead = 0
}

extension LogReader {
  /// Finds the last records that are wanted, from the end of the log back.
  ///
  /// Stretches of actions are read, the last one first, each twice as long as the one behind it. So what lies further back than
  /// the records does not matter, however long it is.
  ///
  /// - Parameters:
  ///   - count: How many records are wanted, at most.
  ///   - range: The revisions to look at; from 0 on, the control records before the first action count. Control records have the
  ///     `seq` of the action before them.
  ///   - progress: Is told how many bytes were read by now.
  ///   - isWanted: Whether a record counts. It is asked in order within a stretch, of a later stretch before an earlier one.
  /// - Returns: The records, and the damage that was met before there were enough; what was found behind the damage is there all the
  ///   same, from the first line on from which every line follows the one before it. Damage directly behind the last action of
  ///   `range` is behind what was asked for, and not told.
  /// - Throws: ``LogError`` when the log cannot be read; what `progress` and `isWanted` throw.
  /// - Complexity: O(length of the last segment, to find the end + length of the log behind the first record that is returned);
  ///   memory O(`count` records).
  public func lastRecords(
    _ count: Int, in range: ClosedRange<Int> = 0 ... .max, progress: (_ bytesRead: Int) throws -> Void = { _ in },
    where isWanted: (LogRecord) throws -> Bool
  ) throws -> LastRecords {
    let extent = try extent()
    var found = LastRecords(lastSeq: extent.lastSeq, ending: extent.ending)
    var stretches: [ArraySlice<LogRecord>] = []
    var missing = max(0, count)
    var length = min(max(missing, LogReader.firstStretch), LogReader.longestFirstStretch)
    // The first action behind the stretch.
    var end = min(range.upperBound, extent.lastSeq) + 1
    let lowest = max(0, range.lowerBound)
    while missing > 0, end > lowest {
      let isLast = end - lowest <= length
      var stretch = RecordStretch(from: isLast ? lowest : end - length, before: end, keeping: missing)
      // Behind the last stretch lies what was not asked for. Behind any other lies one that was read from its first action on, so
      // that what does not check is between the two: a control record, at the seam of two segments for instance.
      stretch.mayEndInDamage = stretches.isEmpty
      try stretch.read(self, from: found.bytesRead, progress, isWanted)
      found.bytesRead += stretch.bytesRead
      missing -= stretch.records.count
      stretches.append(stretch.records)
      // What lies before damage is not next to what lies behind it.
      if let damage = stretch.damage {
        found.damage = missing > 0 ? damage : nil
        break
      }
      end = stretch.first
      length = length > .max / 2 ? .max : 2 * length
      if isLast { break }
    }
    found.records = stretches.reversed().flatMap(\.self)
    return found
  }

  /// 256 lines are read about as soon as one is found.
  private static let firstStretch = 256
  /// Whoever wants more is unlikely to want just the last.
  private static let longestFirstStretch = 1 << 20
}

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

/// Goes through the records of a log from a place on, whatever is wrong between them, and says of each whether it is known to
/// follow the one before it.
///
/// ``RecordCursor`` ends at the first line that does not check. This is for those who look at what lies behind it.
struct LooseRecords {
  /// A record, and whether the line before it is good and the one that it names.
  struct Found {
    var record: LogRecord
    var follows: Bool
  }

  private let reader: LogReader
  private let listing: LogReader.Listing
  private var segmentIndex: Int
  private var file: SourceFile
  /// `nil` when nothing more is wanted of the segment.
  private var scanner: LineScanner?
  private var chain: ChainState
  private var bytesReadBefore = 0
  /// Whether it is known which schema the actions of the segment have: no line up to the first of them is bad.
  private var isSchemaKnown: Bool

  /// Prepares to read from a byte of a segment at which a line begins.
  init(
    _ reader: LogReader, _ listing: LogReader.Listing, from segmentIndex: Int, _ byteOffset: Int
  ) throws(LogError) {
    self.reader = reader
    self.listing = listing
    self.segmentIndex = segmentIndex
    let start = try reader.start(ofSegment: segmentIndex, listing)
    file = start.file
    chain = start.chain
    isSchemaKnown = false
    guard let leadIn = try reader.leadIn(of: start, listing) else { return }
    isSchemaKnown = true
    chain = ChainState(
      inside: leadIn.chain.header, schema: leadIn.chain.schema, after: nil, holdsAction: byteOffset > leadIn.byteOffset)
    scanner = LineScanner(file, from: byteOffset)
  }

  /// How many bytes were read from files.
  var bytesRead: Int { bytesReadBefore + (scanner?.bytesRead ?? 0) }

  /// The next line that is a record; `nil` at the end of the log.
  ///
  /// What stands in a segment behind a bad line before its first action is passed over: nothing says which schema it has.
  ///
  /// - Complexity: O(bytes up to the end of the line).
  mutating func next() throws(LogError) -> Found? {
    while true {
      if let line = try scanner?.next() {
        if let found = take(line) { return found }
      } else if try !enterNextSegment() {
        return nil
      }
    }
  }

  private mutating func take(_ line: LineScanner.Line) -> Found? {
    guard let scanner else { return nil }
    let bytes = scanner.bytes(of: line)
    let isLinked = chain.link != nil
    do throws(LineFault) {
      let parsed = try SegmentScan.parse(line, bytes)
      let follows = try accept(parsed, bytes)
      if !parsed.isControl { isSchemaKnown = true }
      let place = LogPlace(path: file.path, byteOffset: line.byteOffset, line: nil)
      return Found(
        record: LogRecord(parsed, line: bytes, schema: chain.schema, place: place), follows: follows && isLinked)
    } catch {
      chain.resume(after: nil)
      if case .wrongSchema = error { isSchemaKnown = false }
      if !isSchemaKnown { leave() }
      return nil
    }
  }

  /// Takes a line into the chain, or begins another one with it.
  ///
  /// - Returns: Whether it goes on with the one that there is.
  private mutating func accept(_ parsed: ParsedLine, _ bytes: ArraySlice<UInt8>) throws(LineFault) -> Bool {
    do throws(LineFault) {
      try chain.accept(parsed, bytes)
      return true
    } catch {
      // A first line must still be a first line.
      if chain.isBeforeSegment {
        chain = reader.chain(before: listing.segments[segmentIndex], after: nil)
      } else {
        chain.resume(after: nil)
      }
      try chain.accept(parsed, bytes)
      return false
    }
  }

  private mutating func leave() {
    bytesReadBefore = bytesRead
    scanner = nil
  }

  private mutating func enterNextSegment() throws(LogError) -> Bool {
    leave()
    guard segmentIndex + 1 < listing.segments.count else { return false }
    file.close()
    segmentIndex += 1
    let segment = listing.segments[segmentIndex]
    file = try SourceFile(segment.path, reader.fileSystem)
    scanner = LineScanner(file, from: 0)
    isSchemaKnown = false
    chain.enterSegment(
      ChainState.Expectation(first: segment.first, log: reader.header.log, model: reader.header.model))
    return true
  }
}
