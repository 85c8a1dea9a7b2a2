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

/// Halves a segment by byte offsets: no index is needed, because every line says its own `seq` and time.
struct SegmentSearch {
  /// The beginning of a line that lies before what is looked for, or where the search began.
  private(set) var low: Int
  /// The beginning of a line that does not, or the end of the file.
  private(set) var high: Int
  private(set) var bytesRead = 0

  private let file: SourceFile

  /// 4 KiB: what remains is read through; halving it further costs as many calls as it saves bytes.
  private static let remainderBytes = 4_096
  /// How much is read around a place, enough for a few lines of the usual length.
  private static let windowBytes = 2_048

  /// Prepares to search from the beginning of a line to the end of the file.
  init(_ file: SourceFile, from byteOffset: Int) throws(LogError) {
    self.file = file
    low = byteOffset
    high = max(try file.size(), byteOffset)
  }

  /// Halves until little is left between ``low`` and ``high``, or a line does not check.
  ///
  /// - Parameter isBefore: Whether what is looked for lies after a line: true for the lines up to some place, then false.
  mutating func narrow(_ isBefore: (ParsedLine) -> Bool) throws(LogError) {
    while high - low > SegmentSearch.remainderBytes {
      let middle = low + (high - low) / 2
      guard let (start, line) = try line(around: middle), start > low, start < high else { return }
      if isBefore(line) { low = start } else { high = start }
    }
  }

  /// Goes to where an action lies if lines are of even length, until ``low`` is a few lines before it, or a line does not
  /// check.
  ///
  /// Lines of a segment differ in length, but mostly not in the mean: three or four looks are enough. From then on every
  /// other one halves, so that no distribution of lengths takes more than twice as many as halving alone, and three.
  ///
  /// - Parameters:
  ///   - seq: The action, after the one at ``low``.
  ///   - first: The `seq` of the line at ``low``.
  ///   - end: The first `seq` that is not in the file, where it is known.
  mutating func narrow(to seq: Int, from first: Int, before end: Int?) throws(LogError) {
    var lowSeq = first
    var highSeq = end
    if highSeq == nil, high - low > SegmentSearch.remainderBytes, let last = try line(around: high - 1)?.line {
      highSeq = last.seq + 1
    }
    var looks = 0
    while high - low > SegmentSearch.remainderBytes, seq - lowSeq > SegmentSearch.nearLines {
      looks += 1
      var middle = low + (high - low) / 2
      if looks < 4 || looks % 2 == 0, let highSeq, highSeq > lowSeq {
        let share = Double(seq - lowSeq - SegmentSearch.nearLines / 2) / Double(highSeq - lowSeq)
        middle = low + Int(min(max(share, 0), 1) * Double(high - low - 1))
      }
      guard let (start, line) = try line(around: middle), start > low, start < high else { return }
      if line.seq < seq { (low, lowSeq) = (start, line.seq) } else { (high, highSeq) = (start, line.seq) }
    }
  }

  /// 16: what one chunk of 4 KiB holds of lines of the usual length, so that another look would read as much again.
  private static let nearLines = 16

  /// The line that a byte belongs to; `nil` when it does not check.
  private mutating func line(around byteOffset: Int) throws(LogError) -> (start: Int, line: ParsedLine)? {
    let windowStart = max(low, byteOffset - SegmentSearch.windowBytes / 2)
    let window = try file.bytes(at: windowStart, count: SegmentSearch.windowBytes)
    bytesRead += window.count
    let place = min(byteOffset - windowStart, window.count)
    let found = window.withUnsafeBytes { bytes -> Range<Int>? in
      let lineFeed = UInt8(ascii: "\n")
      guard let before = ByteSearch.last(lineFeed, in: UnsafeRawBufferPointer(rebasing: bytes[..<place])),
        let end = ByteSearch.first(lineFeed, in: bytes, from: before + 1)
      else { return nil }
      return before + 1..<end
    }
    guard let found else { return try longLine(around: byteOffset) }
    return parse(window[found], at: windowStart + found.lowerBound)
  }

  private mutating func longLine(around byteOffset: Int) throws(LogError) -> (start: Int, line: ParsedLine)? {
    let start = try LineBounds.lineStart(before: byteOffset, in: file)
    var scanner = LineScanner(file, from: start)
    defer { bytesRead += scanner.bytesRead + (byteOffset - start) }
    guard let line = try scanner.next(), line.isTerminated, !line.isTooLong else { return nil }
    return parse(scanner.bytes(of: line), at: start)
  }

  private func parse(_ bytes: ArraySlice<UInt8>, at start: Int) -> (start: Int, line: ParsedLine)? {
    do throws(LineFault) { return (start, try LineParser.parse(bytes)) } catch { return nil }
  }
}
