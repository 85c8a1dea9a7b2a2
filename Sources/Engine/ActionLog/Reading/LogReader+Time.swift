extension LogReader {
  /// How far clocks are expected to have gone back: one hour, which covers corrections and mistaken time zones of summer.
  public static let defaultClockTolerance: Duration = .seconds(3_600)

  /// The last revision that was recorded at or before a time; 0 when the first action is later.
  ///
  /// Where the clock went back, several stretches of the log can lie before the time; the last one counts, because `seq`
  /// decides and not the clock.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - clockTolerance: How far the clock may have gone back for the answer still to be exact. If it went back further,
  ///     the answer is a revision at or before the time that is followed by a later one.
  /// - Throws: ``LogError`` with code `damaged` when damage lies where the answer is looked for.
  /// - Complexity: O(log(length of the log)), and reading through what was recorded within `clockTolerance` after the
  ///   time.
  public func lastSeq(
    atOrBefore time: LogTime, clockTolerance: Duration = LogReader.defaultClockTolerance
  ) throws(LogError) -> Int {
    let listing = try listing()
    // No record after one that is later than this can be at or before the time.
    let late = time.advanced(by: clockTolerance)
    let end = try firstSegment(before: listing.segments.count, listing) { first in first > late }
    guard end > 0 else { return 0 }
    let begin = max(0, try firstSegment(before: end, listing) { first in first > time } - 1)
    let stop = try stop(inSegment: end - 1, listing) { line in line.isControl || line.time <= late }
    for index in stride(from: begin, through: 0, by: -1) {
      var start = try start(ofSegment: index, listing)
      try narrow(&start) { line in !line.isControl && line.time <= time }
      if let seq = try last(atOrBefore: time, from: start, stop, listing) { return seq }
    }
    return 0
  }

  /// The first segment whose first action fulfils a condition, by halving, for a condition that is false and then true.
  /// Where it is not, a segment at which it is true and before which it is false, or the end.
  private func firstSegment(
    before end: Int, _ listing: Listing, _ condition: (LogTime) -> Bool
  ) throws(LogError) -> Int {
    var low = 0
    var high = end
    while low < high {
      let middle = (low + high) / 2
      let start = try start(ofSegment: middle, listing)
      defer { start.file.close() }
      // Only the last segment can be without an action, and then it has none to be found.
      if let time = try SegmentLeadIn(start)?.firstTime, !condition(time) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func narrow(
    _ start: inout ReadingStart, _ isBefore: (ParsedLine) -> Bool
  ) throws(LogError) {
    guard let leadIn = try SegmentLeadIn(start) else { return }
    var search = try SegmentSearch(start.file, from: leadIn.byteOffset)
    try search.narrow(isBefore)
    guard search.low > leadIn.byteOffset else { return }
    start.byteOffset = search.low
    start.chain = ChainState(
      inside: leadIn.chain.header, schema: leadIn.chain.schema, after: nil, holdsAction: true)
  }

  /// Where reading can stop: a segment, and a byte in it.
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
    var seq: Int?
    while let line = try records.nextLine() {
      if !line.isControl, line.time <= time { seq = line.seq }
      if records.isPast(stop.segmentIndex, stop.byteOffset) { break }
    }
    return seq
  }
}
