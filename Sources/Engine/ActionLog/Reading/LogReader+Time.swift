import Platform

extension LogReader {
  /// The default clock tolerance: one hour, which covers corrections and daylight-saving mistakes.
  public static let defaultClockTolerance: Duration = .seconds(3_600)

  /// Returns the last revision that was recorded at or before a time; 0 if the first action is later. A pruned log begins with the
  /// revision of its base instead of 0.
  ///
  /// If the clock was set back, several ranges of the log can be before the time. The last one counts, because the
  /// order of records is that of their revisions.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - clockTolerance: The largest clock setback for which the result is exact. After a larger one, the result is a
  ///     revision at or before the time whose successor is later.
  /// - Throws: ``LogError`` with code `damaged` if there is damage in the range that is searched; `pruned` if the time is before
  ///   the base of a pruned log.
  /// - Complexity: O(log(length of the log)), and the records within `clockTolerance` after the time.
  public func lastRevision(
    atOrBefore time: LogTime, clockTolerance: Duration = LogReader.defaultClockTolerance
  ) throws(LogError) -> Int {
    let (listing, revision) = try listingWith { (listing) throws(LogError) in
      try lastRevision(atOrBefore: time, clockTolerance: clockTolerance, listing)
    }
    guard revision == 0, let base = listing.base else { return revision }
    guard time >= base.time else { throw pruned(at: time) }
    return base.revision
  }

  /// Returns the last revision like ``lastRevision(atOrBefore:clockTolerance:)``; the one that the log begins with if the first
  /// action is later, whether or not the log was pruned.
  package func lastKnownRevision(atOrBefore time: LogTime) throws(LogError) -> Int {
    let (listing, revision) = try listingWith { (listing) throws(LogError) in
      try lastRevision(atOrBefore: time, clockTolerance: LogReader.defaultClockTolerance, listing)
    }
    return max(revision, listing.firstRevision)
  }

  private func lastRevision(
    atOrBefore time: LogTime, clockTolerance: Duration, _ listing: Listing
  ) throws(LogError) -> Int {
    // After a later record than this, no record can be at or before the time.
    let late = time.advanced(by: clockTolerance)
    let end = try firstSegment(before: listing.segments.count, listing) { first in first > late }
    guard end > 0 else { return 0 }
    let begin = max(0, try firstSegment(before: end, listing) { first in first > time } - 1)
    let stop = try stop(inSegment: end - 1, listing) { line in line.isControl || line.time <= late }
    for index in stride(from: begin, through: 0, by: -1) {
      var start = try start(ofSegment: index, listing)
      try narrow(&start, listing) { line in !line.isControl && line.time <= time }
      if let revision = try last(atOrBefore: time, from: start, stop, listing) { return revision }
    }
    return 0
  }

  /// Returns the first segment whose first action satisfies a condition, by binary search. The condition should be
  /// false and then true. Otherwise, returns a segment at which it is true and before which it is false, or the end.
  private func firstSegment(
    before end: Int, _ listing: Listing, _ condition: (LogTime) -> Bool
  ) throws(LogError) -> Int {
    try (0..<end).partitioningIndex { segment throws(LogError) in
      let start = try start(ofSegment: segment, listing)
      defer { start.file.close() }
      // Only the last segment can be without an action.
      let time = try SegmentLeadIn(start)?.firstTime
      return time.map(condition) ?? true
    }
  }

  private func narrow(
    _ start: inout ReadingStart, _ listing: Listing, _ isBefore: (ParsedLine) -> Bool
  ) throws(LogError) {
    guard let leadIn = try SegmentLeadIn(start) else { return }
    var search = try SegmentSearch(start.file, from: leadIn.byteOffset)
    try search.narrow(isBefore)
    guard search.low > leadIn.byteOffset else { return }
    start.byteOffset = try completeUnitStart(search.low, start, listing)
    start.chain = ChainState(
      inside: leadIn.chain.header, schema: leadIn.chain.schema, after: nil, holdsAction: true)
  }

  private func stop(
    inSegment index: Int, _ listing: Listing, _ isBefore: (ParsedLine) -> Bool
  ) throws(LogError) -> (segmentIndex: Int, byteOffset: Int) {
    let file = try SourceFile(listing.segments[index].path, fileSystem)
    defer { file.close() }
    var search = try SegmentSearch(file, from: 0)
    try search.narrow(isBefore)
    return (index, search.high)
  }

  private func last(
    atOrBefore time: LogTime, from start: ReadingStart, _ stop: (segmentIndex: Int, byteOffset: Int),
    _ listing: Listing
  ) throws(LogError) -> Int? {
    var records = RecordCursor(self, listing, from: start, target: nil, chunkBytes: LogReader.defaultChunkBytes)
    var revision: Int?
    while let line = try records.nextLine() {
      if !line.isControl, line.time <= time { revision = line.revision }
      if records.isPast(stop.segmentIndex, stop.byteOffset) { break }
    }
    return revision
  }
}
