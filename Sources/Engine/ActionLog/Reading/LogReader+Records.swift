extension LogReader {
  /// How much is read at a time unless a caller says otherwise: 1 MiB.
  public static let defaultChunkBytes = LineScanner.defaultChunkBytes

  /// The records of the log in order, control records included.
  ///
  /// - Parameters:
  ///   - seq: 0 for the whole log, from its first line. Otherwise the first action to return, then everything after it;
  ///     nothing, when the log ends before it.
  ///   - chunkBytes: How much is read at a time, once reading is under way.
  /// - Throws: ``LogError`` when the files cannot be opened. Damage is thrown by the iterator, when it is reached.
  /// - Complexity: O(log(length of a segment)) to find the first record.
  public func records(
    from seq: Int = 0, chunkBytes: Int = LogReader.defaultChunkBytes
  ) throws(LogError) -> LogRecordIterator {
    let listing = try listing()
    let start = try seq <= 0 ? start(ofSegment: 0, listing) : start(near: seq, listing)
    return LogRecordIterator(
      RecordCursor(self, listing, from: start, target: seq <= 0 ? nil : seq, chunkBytes: chunkBytes))
  }

  /// The action that leads to a revision.
  ///
  /// - Throws: ``LogError`` with code `revisionOutOfRange` when there is none, or `damaged` when it cannot be read.
  /// - Complexity: O(log(length of a segment)).
  public func record(at seq: Int) throws(LogError) -> LogRecord {
    if seq >= 1 {
      if let record = knownRecord(at: seq) { return record }
      var records = try records(from: seq)
      if let record = try records.next(), record.seq == seq { return record }
    }
    let extent = try extent()
    if let damage = extent.ending.damage, seq > extent.lastSeq { throw damage }
    throw outOfRange(seq, lastSeq: extent.lastSeq)
  }

  /// The number of the line of a segment that a record stands in, also where reading began in the midst of the segment.
  ///
  /// - Parameter place: Where a record of this log was read.
  /// - Returns: The number, from 1 on.
  /// - Throws: ``LogError`` when the segment cannot be read.
  /// - Complexity: O(bytes before the line), unless the place says it already.
  public func lineNumber(of place: LogPlace) throws(LogError) -> Int {
    if let line = place.line { return line }
    let file = try SourceFile(place.path, fileSystem)
    defer { file.close() }
    return try LineScanner.lineNumber(at: place.byteOffset, in: file)
  }

  /// An action in one of the segments that were there when the reader was opened, without another look at the directory.
  ///
  /// - Returns: `nil` when it is not found there, or anything is wrong: then a look at everything says what.
  private func knownRecord(at seq: Int) -> LogRecord? {
    let known = knownListing
    do throws(LogError) {
      let start = try start(near: seq, known)
      var cursor = RecordCursor(self, known, from: start, target: seq, chunkBytes: LogReader.seekChunkBytes)
      guard let record = try cursor.nextRecord(), record.seq == seq else { return nil }
      return record
    } catch {
      return nil
    }
  }

  /// 4 KiB: what is left between the place that a search ends at and the action, for lines of the usual length.
  private static let seekChunkBytes = 4_096

  private func outOfRange(_ seq: Int, lastSeq: Int) -> LogError {
    guard seq != 0 else {
      return LogError(
        .revisionOutOfRange, "no action leads to revision 0", path: path, advice: "It is the state before any action.")
    }
    return MissingRevision(seq, of: revisions(upTo: lastSeq)).error(in: path)
  }

  /// The revisions that there are in a log that ends with one of them: from the state before any action on, or from the first
  /// action of a later segment that was opened by itself.
  ///
  /// - Returns: `nil` when such a segment has no action.
  package func revisions(upTo last: Int) -> ClosedRange<Int>? {
    let first = isSingleSegment && header.first > 1 ? header.first : 0
    return first <= last ? first...last : nil
  }

  /// How far the log goes, and how it ends.
  ///
  /// The last segment is read whole, of the others the seams: the first and last lines. Where a seam does not check, everything is
  /// read, to say where the damage begins.
  ///
  /// - Throws: ``LogError`` when the files cannot be read. Damage is part of what is returned.
  /// - Complexity: O(length of the last segment + number of segments).
  public func extent() throws(LogError) -> LogExtent {
    let listing = try listing()
    let last = listing.segments.count - 1
    guard last > 0 else { return try extent(from: try start(ofSegment: 0, listing), listing) }
    var start: ReadingStart
    do throws(LogError) {
      let seam = try SealedSegments(fileSystem: fileSystem).check(listing.segments)
      start = try self.start(ofSegment: last, listing)
      start.chain = chain(before: listing.segments[last], after: seam.link)
    } catch {
      guard error.code == .damaged else { throw error }
      start = try self.start(ofSegment: 0, listing)
    }
    return try extent(from: start, listing)
  }

  /// Reads from a segment to the end.
  private func extent(from start: ReadingStart, _ listing: Listing) throws(LogError) -> LogExtent {
    var records = RecordCursor(
      self, listing, from: start, target: nil, chunkBytes: RecordBatchIterator.defaultChunkBytes)
    let summary = try records.summarise()
    let before = start.chain.link?.seq ?? listing.segments[start.segmentIndex].first - 1
    var extent = LogExtent(
      lastSeq: summary.lastSeq ?? before, lastAction: summary.lastAction, schema: records.schema,
      ending: records.ending ?? .clean, firstRead: listing.segments[start.segmentIndex].first)
    let first = isSingleSegment ? header.first : 1
    if extent.lastAction == nil, extent.lastSeq >= first {
      var earlier = try self.records(from: extent.lastSeq)
      if let record = try earlier.next(), record.seq == extent.lastSeq {
        extent.lastAction = LogExtent.LastAction(seq: record.seq, time: record.time, crc: record.crc)
      }
    }
    return extent
  }
}
