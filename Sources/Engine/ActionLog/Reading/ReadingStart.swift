internal import Platform

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
    let file: SourceFile
    do throws(LogError) { file = try SourceFile(segment.path, fileSystem) } catch {
      throw error.behind(segment.first - 1, firstRead: nil)
    }
    return ReadingStart(
      segmentIndex: index,
      file: file,
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
    do throws(LogError) { return try start(near: seq, inSegment: index, listing) } catch {
      throw error.behind(listing.segments[index].first - 1, firstRead: nil)
    }
  }

  private func start(near seq: Int, inSegment index: Int, _ listing: Listing) throws(LogError) -> ReadingStart {
    var start = try start(ofSegment: index, listing)
    guard let leadIn = try leadIn(of: start, listing) else { return start }
    start.bytesRead += leadIn.bytesRead
    guard leadIn.firstAction < seq else { return start }
    var search = try SegmentSearch(start.file, from: leadIn.byteOffset)
    let end = index + 1 < listing.segments.count ? listing.segments[index + 1].first : nil
    try search.narrow(to: seq, from: leadIn.firstAction, before: end)
    start.bytesRead += search.bytesRead
    if search.low > leadIn.byteOffset {
      start.byteOffset = search.low
      start.chain = ChainState(
        inside: leadIn.chain.header, schema: leadIn.chain.schema, after: nil, holdsAction: true)
    }
    return start
  }
}

extension LogReader {
  /// The lines of a segment up to its first action, read once by every reader: they never change.
  func leadIn(of start: ReadingStart, _ listing: Listing) throws(LogError) -> SegmentLeadIn? {
    let path = start.file.path
    if let known = leadIns.withLock({ leadIns in leadIns[path] }), try known.isThat(of: start.file) { return known }
    guard let leadIn = try SegmentLeadIn(start) else { return nil }
    leadIns.withLock { leadIns in
      if leadIns.count >= LogReader.leadInLimit { leadIns.removeAll() }
      leadIns[path] = leadIn
    }
    return leadIn
  }

  /// How many are remembered: a few hundred bytes each.
  private static let leadInLimit = 1_000
}

/// The lines of a segment up to its first action: they say which schema all its actions have.
struct SegmentLeadIn: Sendable {
  /// The chain after the first action.
  private(set) var chain: ChainState
  /// The first action's number, time and place.
  private(set) var firstAction = 0
  private(set) var firstTime = LogTime.earliest
  private(set) var byteOffset = 0
  private(set) var bytesRead = 0
  /// The commit mark of the first line, and where it stands: what tells the segment from any other.
  private var mark: (byteOffset: Int, bytes: [UInt8]) = (0, [])

  /// Whether a segment still begins with the same line.
  func isThat(of file: SourceFile) throws(LogError) -> Bool {
    try file.bytes(at: mark.byteOffset, count: mark.bytes.count) == mark.bytes
  }

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
        if line.byteOffset == 0 {
          mark = (LineParser.markOffset(ofLine: bytes.count), Array(bytes.suffix(LineParser.markSizeBytes)))
        }
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
