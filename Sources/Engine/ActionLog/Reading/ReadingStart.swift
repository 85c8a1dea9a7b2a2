internal import Platform

/// The line at which a cursor starts, and the state before it.
package struct ReadingStart {
  var segmentIndex: Int
  var file: SourceFile
  package var byteOffset: Int
  package var chain: ChainState
  var bytesRead = 0
}

extension LogReader {
  /// Returns the first line of a segment.
  package func start(ofSegment index: Int, _ listing: Listing) throws(LogError) -> ReadingStart {
    let segment = listing.segments[index]
    let file: SourceFile
    do throws(LogError) { file = try SourceFile(segment.path, fileSystem) } catch {
      throw error.positioned(after: segment.first - 1, firstRead: nil)
    }
    return ReadingStart(
      segmentIndex: index,
      file: file,
      byteOffset: 0,
      chain: chain(beforeSegment: index, listing)
    )
  }

  /// Returns the position for reading from a revision, and the first action to return; `nil` for all records.
  func start(from revision: Int, _ listing: Listing) throws(LogError) -> (start: ReadingStart, target: Int?) {
    guard revision > 0, revision != listing.firstRevision else { return (try start(ofSegment: 0, listing), nil) }
    guard revision > listing.firstRevision else { throw pruned(revision) }
    return (try start(near: revision, listing), revision)
  }

  /// Returns a line at or shortly before an action.
  ///
  /// The names give the segment, and a search in the file gives the line. At an invalid line, the search ends early;
  /// the cursor then reads up to the action or the damage before it.
  func start(near revision: Int, _ listing: Listing) throws(LogError) -> ReadingStart {
    let index = max(
      0, (listing.segments.firstIndex { segment in segment.first > revision } ?? listing.segments.count) - 1)
    do throws(LogError) { return try start(near: revision, inSegment: index, listing) } catch {
      throw error.positioned(after: listing.segments[index].first - 1, firstRead: nil)
    }
  }

  /// Returns a line of a segment at or shortly before an action, or the first one.
  package func start(near revision: Int, inSegment index: Int, _ listing: Listing) throws(LogError) -> ReadingStart {
    var start = try start(ofSegment: index, listing)
    guard let leadIn = try leadIn(of: start, listing) else { return start }
    start.bytesRead += leadIn.bytesRead
    guard leadIn.firstAction < revision else { return start }
    var search = try SegmentSearch(start.file, from: leadIn.byteOffset)
    let end = index + 1 < listing.segments.count ? listing.segments[index + 1].first : nil
    try search.narrow(to: revision, from: leadIn.firstAction, before: end)
    start.bytesRead += search.bytesRead
    if search.low > leadIn.byteOffset {
      // An incomplete unit is the end of the log. Its last line can be torn, so that the search cannot tell how near that is.
      let isNearEnd = search.lastRevision.map { last in last - revision < UnitRecord.limit } ?? true
      start.byteOffset = isNearEnd ? try completeUnitStart(search.low, start, listing) : search.low
      start.chain = ChainState(
        inside: leadIn.chain.header, schema: leadIn.chain.schema, after: nil, holdsAction: true)
    }
    return start
  }
}

extension LogReader {
  /// Returns the offset of a line, or that of the unfinished unit that it is in: a cursor that begins inside a unit cannot tell.
  func completeUnitStart(
    _ byteOffset: Int, _ start: ReadingStart, _ listing: Listing
  ) throws(LogError) -> Int {
    guard start.segmentIndex == listing.segments.count - 1 else { return byteOffset }
    let segment = listing.segments[start.segmentIndex].first
    var head = listing.head
    if head == nil, !isSingleSegment { head = try HeadFile(path, fileSystem).head }
    if head?.confirms(byteOffset, of: segment) == true { return byteOffset }
    let confirmed = head.flatMap { head in head.segment == segment ? head.bytes : nil }
    let lines = try RecordLines.extent(of: start.file, from: confirmed ?? 0, to: byteOffset)
    guard let unit = lines.unfinishedUnit, try !UnitLines(start.file, at: unit).isComplete else { return byteOffset }
    return unit
  }

  /// Returns the lines of a segment up to its first action. They never change, so they are read once and cached.
  func leadIn(of start: ReadingStart, _ listing: Listing) throws(LogError) -> SegmentLeadIn? {
    let path = start.file.path
    if let known = leadIns.withLock({ leadIns in leadIns[path] }), try known.matches(start.file) { return known }
    guard let leadIn = try SegmentLeadIn(start) else { return nil }
    leadIns.withLock { leadIns in
      if leadIns.count >= LogReader.leadInLimit { leadIns.removeAll() }
      leadIns[path] = leadIn
    }
    return leadIn
  }

  /// The maximum number of cached entries, a few hundred bytes each.
  private static let leadInLimit = 1_000
}

/// The lines of a segment up to its first action, which determine the schema of all its actions.
struct SegmentLeadIn: Sendable {
  /// The state of the checksum chain after the first action.
  private(set) var chain: ChainState
  /// The number, time and offset of the first action.
  private(set) var firstAction = 0
  private(set) var firstTime = LogTime.earliest
  private(set) var byteOffset = 0
  private(set) var bytesRead = 0
  /// The offset and bytes of the first line's commit mark, which identify the segment.
  private var mark: (byteOffset: Int, bytes: [UInt8]) = (0, [])
  /// The identity of the file; `nil` if the file system has none. A redaction replaces the file, and its lines may have other
  /// lengths then.
  private var identity: FileIdentity?

  /// Whether a file is the same and still begins with the same line.
  func matches(_ file: SourceFile) throws(LogError) -> Bool {
    guard try file.identity() == identity else { return false }
    return try file.bytes(at: mark.byteOffset, count: mark.bytes.count) == mark.bytes
  }

  /// Reads the lines.
  ///
  /// - Returns: `nil` if the segment has no action, or a line before it is invalid.
  init?(_ start: ReadingStart) throws(LogError) {
    chain = start.chain
    identity = try start.file.identity()
    var lines = RecordLines(start.file)
    while let record = try lines.next() {
      do throws(LineFault) { try chain.accept(record.parsed, record.bytes) } catch { return nil }
      if record.byteOffset == 0 {
        mark = (
          LineParser.markOffset(ofLine: record.bytes.count), Array(record.bytes.suffix(LineParser.markSizeBytes))
        )
      }
      guard !record.parsed.isControl else { continue }
      firstAction = record.parsed.revision
      firstTime = record.parsed.time
      byteOffset = record.byteOffset
      bytesRead = lines.bytesRead
      return
    }
    return nil
  }
}

/// A binary search in a segment by byte offset. It needs no index, because every line contains its `seq` and time.
struct SegmentSearch {
  /// The start of a line before the target, or the start of the search.
  private(set) var low: Int
  /// The start of a line at or after the target, or the end of the file.
  private(set) var high: Int
  private(set) var bytesRead = 0
  /// The revision of the last line, if the search has read it.
  private(set) var lastRevision: Int?

  private let file: SourceFile

  /// 4 KiB: the remainder is read sequentially. Halving it further costs as many calls as it saves bytes.
  private static let remainderBytes = 4_096
  /// The number of bytes read around a position, enough for a few lines of the usual length.
  private static let windowBytes = 2_048

  /// Starts a search from the beginning of a line to the end of the file.
  init(_ file: SourceFile, from byteOffset: Int) throws(LogError) {
    self.file = file
    low = byteOffset
    high = max(try file.size(), byteOffset)
  }

  /// Halves the range until ``low`` and ``high`` are close, or a line is invalid.
  ///
  /// - Parameter isBefore: Whether a line is before the target: true for the lines up to some position, then false.
  mutating func narrow(_ isBefore: (ParsedLine) -> Bool) throws(LogError) {
    while high - low > SegmentSearch.remainderBytes {
      let middle = low + (high - low) / 2
      guard let (start, line) = try line(around: middle), start > low, start < high else { return }
      if isBefore(line) { low = start } else { high = start }
    }
  }

  /// Interpolates the position of an action until ``low`` is a few lines before it, or a line is invalid.
  ///
  /// The lines of a segment differ in length, but rarely in the mean, so three or four steps suffice. After that, every
  /// other step halves the range, so that no distribution of lengths takes more than twice the steps of a binary
  /// search, plus three.
  mutating func narrow(to revision: Int, from first: Int, before end: Int?) throws(LogError) {
    var lowRevision = first
    var highRevision = end
    if highRevision == nil, high - low > SegmentSearch.remainderBytes, let last = try line(around: high - 1)?.line {
      highRevision = last.revision + 1
      lastRevision = last.revision
    }
    var steps = 0
    while high - low > SegmentSearch.remainderBytes, revision - lowRevision > SegmentSearch.nearLines {
      steps += 1
      var middle = low + (high - low) / 2
      if steps < 4 || steps % 2 == 0, let highRevision, highRevision > lowRevision {
        let share = Double(revision - lowRevision - SegmentSearch.nearLines / 2) / Double(highRevision - lowRevision)
        middle = low + Int(min(max(share, 0), 1) * Double(high - low - 1))
      }
      guard let (start, line) = try line(around: middle), start > low, start < high else { return }
      if line.revision < revision {
        (low, lowRevision) = (start, line.revision)
      } else {
        (high, highRevision) = (start, line.revision)
      }
    }
  }

  /// 16: the number of lines of the usual length in a chunk of 4 KiB. Another step would read as much again.
  private static let nearLines = 16

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
    var scanner = LineScanner(file, from: start, to: start + LogFormat.lineLimitBytes)
    defer { bytesRead += scanner.bytesRead + (byteOffset - start) }
    guard let line = try scanner.next(), line.isTerminated, !line.isTooLong else { return nil }
    return parse(scanner.bytes(of: line), at: start)
  }

  private func parse(_ bytes: ArraySlice<UInt8>, at start: Int) -> (start: Int, line: ParsedLine)? {
    do throws(LineFault) { return (start, try LineParser.parse(bytes)) } catch { return nil }
  }
}
