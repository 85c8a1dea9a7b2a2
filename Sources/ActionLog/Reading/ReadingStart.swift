/// Where an iterator begins: a line of a segment, and what is known before it.
struct ReadingStart {
  var segmentIndex: Int
  var file: SourceFile
  var byteOffset: Int
  var chain: ChainState
  /// How many bytes were read to find it.
  var bytesRead = 0
}

extension LogReader {
  /// The first line of a segment.
  func start(ofSegment index: Int, _ listing: Listing) throws(LogError) -> ReadingStart {
    let segment = listing.segments[index]
    return ReadingStart(
      segmentIndex: index,
      file: try SourceFile(segment.path, fileSystem),
      byteOffset: 0,
      chain: chain(beforeSegment: index, listing)
    )
  }

  /// A line at or shortly before an action.
  ///
  /// The segment follows from the names, the place in it from halving the file. Where a line does not check, the search
  /// gives up early; reading on from what it has then finds the action, or the damage before it.
  ///
  /// - Complexity: O(log(length of the segment) × longest line).
  func start(near seq: Int, _ listing: Listing) throws(LogError) -> ReadingStart {
    let index = max(0, (listing.segments.firstIndex { segment in segment.first > seq } ?? listing.segments.count) - 1)
    var start = try start(ofSegment: index, listing)
    guard let leadIn = try SegmentLeadIn(start) else { return start }
    start.bytesRead += leadIn.bytesRead
    guard leadIn.firstAction < seq else { return start }
    var search = try SegmentSearch(start.file, from: leadIn.byteOffset)
    try search.narrow { line in line.seq < seq }
    start.bytesRead += search.bytesRead
    if search.low > leadIn.byteOffset {
      start.byteOffset = search.low
      start.chain = ChainState(inside: leadIn.chain.header, schema: leadIn.chain.schema, after: nil)
    }
    return start
  }
}

/// The lines of a segment up to its first action: they say which schema all its actions have.
struct SegmentLeadIn {
  /// The chain after the first action.
  private(set) var chain: ChainState
  /// The first action's number, time and place.
  private(set) var firstAction = 0
  private(set) var firstTime = LogTime.earliest
  private(set) var byteOffset = 0
  private(set) var bytesRead = 0

  /// Reads them.
  ///
  /// - Returns: `nil` when the segment has no action, or a line before it does not check.
  init?(_ start: ReadingStart) throws(LogError) {
    chain = start.chain
    var scanner = LineScanner(start.file, from: 0, chunkBytes: 4_096)
    while let line = try scanner.next() {
      do throws(LineFault) {
        let bytes = scanner.bytes(of: line)
        let parsed = try SegmentScan.parse(line, bytes)
        try chain.accept(parsed, bytes)
        guard !parsed.isControl else { continue }
        firstAction = parsed.seq
        firstTime = parsed.time
        byteOffset = line.byteOffset
        bytesRead = scanner.bytesRead
        return
      } catch {
        return nil
      }
    }
    return nil
  }
}
