/// What is known about the end of the active segment when a line of it does not check.
///
/// A checksum cannot tell a line that a crash tore from one that was durable and then damaged. Only other evidence that
/// the line had been durable can (Alagappan et al., "Protocol-Aware Recovery for Consensus-Based Storage", FAST 2018):
/// later lines that say so, `HEAD`, a newer segment, and the shape of what a crash leaves behind.
package struct TailEvidence: Equatable {
  /// The first `seq` of the segment, which is its name.
  package var segment: Int
  /// The length of the file.
  package var sizeBytes: Int
  /// *b*: the first byte of the first line that is not whole, or the length of the file when all are.
  package var goodBytes: Int
  /// *s*: the `seq` of the last good line.
  package var lastSeq: Int
  /// Whether the line at *b* checks by itself but does not follow: no crash makes that.
  package var breaksChain = false
  /// Whether the segment begins with a `@segment` record.
  package var hasHeader = true
  /// The highest `synced` of the whole lines after *b*.
  package var highestSyncedBeyond: Int?
  /// The first byte of the next whole line after *b*; `nil` when the bad bytes reach the end of the file.
  package var nextWholeLine: Int?
  /// Whether the bytes from *b* to the next whole line hold a zeroed sector: what a lost page looks like.
  package var hasZeroedSector = false
  /// What `HEAD` says, if it can be read.
  package var head: LogHead?
  /// Whether a segment with a higher name exists.
  package var hasNewerSegment = false

  /// A segment of which nothing is known but its lengths.
  package init(segment: Int, sizeBytes: Int, goodBytes: Int, lastSeq: Int) {
    self.segment = segment
    self.sizeBytes = sizeBytes
    self.goodBytes = goodBytes
    self.lastSeq = lastSeq
  }
}

/// What the end of a segment is.
package enum TailVerdict: Equatable {
  /// Every line checks, and nothing says that there were more.
  case clean
  /// The last batch was cut by a crash: it was never acknowledged and may be cut off.
  case torn
  /// Durable bytes are missing or changed.
  case damaged(DamageReason)
}

/// Which clause of the recovery rule calls an end damaged.
package enum DamageReason: Equatable, CaseIterable {
  /// The segment does not begin with a `@segment` record, which is durable before the file gets its name.
  case noHeader
  /// A line checks by itself but does not follow the one before it.
  case brokenChain
  /// A later whole line says that a `seq` after the last good one was durable.
  case laterLineSynced
  /// `HEAD` names a segment that is missing.
  case headNamesLaterSegment
  /// `HEAD` says that bytes at the bad line, or beyond the end of the file, were durable.
  case headNamesMoreBytes
  /// A newer segment exists, and this one was durable before that was made.
  case newerSegment
  /// Good lines follow, and nothing between looks like a lost page.
  case noLostSector

  var message: String {
    switch self {
    case .noHeader: "the segment does not begin with a @segment record"
    case .brokenChain: "the line does not follow the one before it"
    case .laterLineSynced: "a later line says that this one was durable"
    case .headNamesLaterSegment: "HEAD names a later segment, which is missing"
    case .headNamesMoreBytes: "HEAD says that more of the segment was durable"
    case .newerSegment: "a newer segment exists"
    case .noLostSector: "good lines follow it, and no page is missing between"
    }
  }
}

extension TailEvidence {
  /// The recovery rule of the format.
  package func verdict() -> TailVerdict {
    if !hasHeader { return .damaged(.noHeader) }
    if breaksChain { return .damaged(.brokenChain) }
    if let head {
      if head.segment > segment { return .damaged(.headNamesLaterSegment) }
      if head.segment == segment, head.bytes > goodBytes { return .damaged(.headNamesMoreBytes) }
    }
    if goodBytes == sizeBytes { return .clean }
    if hasNewerSegment { return .damaged(.newerSegment) }
    if let highestSyncedBeyond, highestSyncedBeyond > lastSeq { return .damaged(.laterLineSynced) }
    if nextWholeLine != nil, !hasZeroedSector { return .damaged(.noLostSector) }
    return .torn
  }
}

extension TailEvidence {
  /// Looks at the bytes from *b* on.
  ///
  /// - Complexity: O(bytes after *b*).
  mutating func look(beyond fault: LineFault, in file: SourceFile) throws(LogError) {
    breaksChain = fault.isWhole
    // An unfinished line reaches the end of the file. Not to look again keeps a live writer, which may have finished it
    // meanwhile, from being taken for evidence.
    guard fault != .unfinished else { return }
    let beyond = try TailBytes(file, from: goodBytes)
    highestSyncedBeyond = beyond.highestSynced
    nextWholeLine = beyond.firstWholeLine
    if let next = beyond.firstWholeLine {
      hasZeroedSector = try TailBytes.holdsZeroedSector(file, goodBytes..<next)
    }
  }
}

extension TailEvidence {
  /// What an opening for writing would have to go by at the end of a log. Nothing is changed.
  ///
  /// - Returns: `nil` when there is no segment.
  /// - Throws: ``LogError``, also for damage at the seams of sealed segments.
  /// - Complexity: O(length of the last segment + number of segments).
  package static func gathered(
    of path: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> TailEvidence? {
    let head = try HeadEvidence.forWriting(path, fileSystem).head
    let segments = try LogFolder.list(path, fileSystem).segments
    guard let active = segments.last else { return nil }
    let boundary = try SealedSegments(fileSystem: fileSystem).check(segments)
    let file = try SourceFile(active.path, fileSystem)
    defer { file.close() }
    let expectation = ChainState.Expectation(
      first: active.first, log: boundary.header?.log, model: boundary.header?.model)
    let scan = try SegmentScan(file, ChainState(beforeSegment: expectation, after: boundary.link))
    return try scan.evidence(file, segment: active.first, head: head)
  }
}

/// What lies after the first bad line of a segment.
struct TailBytes {
  /// The size of the units in which devices lose data: a sector.
  static let sectorBytes = 512

  /// The highest `synced` of the whole lines.
  private(set) var highestSynced: Int?
  /// Where the first whole line begins.
  private(set) var firstWholeLine: Int?

  /// Looks for whole lines in the bytes from an offset to the end of the file.
  ///
  /// - Complexity: O(bytes); memory O(longest line).
  init(_ file: SourceFile, from byteOffset: Int) throws(LogError) {
    var scanner = LineScanner(file, from: byteOffset)
    while let line = try scanner.next() {
      guard line.isTerminated, !line.isTooLong else { continue }
      consider(scanner.bytes(of: line), at: line.byteOffset)
    }
  }

  private mutating func consider(_ bytes: ArraySlice<UInt8>, at byteOffset: Int) {
    // A lost page leaves zeros and no line feed, so that a whole line can follow them on what reads as one line.
    let afterZeros = bytes.lastIndex(of: 0).map { index in index + 1 } ?? bytes.startIndex
    var start = afterZeros
    var end = bytes.endIndex
    var tries = HiddenLines.limit
    while !isWhole(bytes[start...]) {
      // A damaged line feed makes one line of two, and the second says what it always said.
      guard tries > 0, let hidden = CommitMark.lineStart(afterLastMarkIn: bytes[afterZeros..<end]) else { return }
      (start, end) = (hidden, hidden)
      tries -= 1
    }
    if firstWholeLine == nil { firstWholeLine = byteOffset + (start - bytes.startIndex) }
  }

  /// Whether a line checks by itself; what it says of the lines before it is noted.
  private mutating func isWhole(_ line: ArraySlice<UInt8>) -> Bool {
    do throws(LineFault) {
      let parsed = try LineParser.parse(line)
      highestSynced = max(highestSynced ?? 0, parsed.synced)
      return true
    } catch {
      return error.isWhole
    }
  }

  /// Whether a range of a file holds a sector of zeros.
  ///
  /// Sectors begin at multiples of 512. The first one counts from the beginning of the range, because a page that was
  /// partly durable before keeps its durable bytes when the rest is lost.
  static func holdsZeroedSector(_ file: SourceFile, _ range: Range<Int>) throws(LogError) -> Bool {
    var offset = range.lowerBound
    // The chunks begin at sectors, so that none is cut in two.
    let chunkBytes = 128 * sectorBytes
    while offset < range.upperBound {
      let end = min((offset / chunkBytes + 1) * chunkBytes, range.upperBound)
      let bytes = try file.bytes(at: offset, count: end - offset)
      if holdsZeroedSector(bytes, at: offset) { return true }
      offset = end
    }
    return false
  }

  private static func holdsZeroedSector(_ bytes: [UInt8], at byteOffset: Int) -> Bool {
    var start = 0
    while start < bytes.count {
      let sectorEnd = ((byteOffset + start) / sectorBytes + 1) * sectorBytes - byteOffset
      // What a whole line cuts off is no sector.
      guard sectorEnd <= bytes.count else { return false }
      if bytes[start..<sectorEnd].allSatisfy({ byte in byte == 0 }) { return true }
      start = sectorEnd
    }
    return false
  }
}

/// Whole lines in what reads as one line that does not check.
///
/// A damaged line feed makes one line of two, and a lost page leaves zeros and no line feed before the line behind it: each line
/// says what it always said.
enum HiddenLines {
  /// In so many places, from its end, is looked for a whole line in one that is not: a hostile one could have a million of them.
  static let limit = 8

  /// A part of a line that does not check.
  struct Stretch: Equatable {
    var range: Range<Int>
    /// Whether it is a whole line itself, without its line feed.
    var isLine: Bool
  }

  /// Takes a line apart, in order and without gaps.
  ///
  /// - Parameter bytes: A line that does not check, without its line feed.
  /// - Complexity: O(count of the bytes).
  static func stretches(of bytes: ArraySlice<UInt8>) -> [Stretch] {
    var starts: [Int] = []
    while starts.count < limit,
      let start = CommitMark.lineStart(afterLastMarkIn: bytes[..<(starts.last ?? bytes.endIndex)])
    {
      starts.append(start)
    }
    starts.append(bytes.startIndex)
    if let zero = bytes.lastIndex(of: 0), !starts.contains(zero + 1) { starts.append(zero + 1) }
    starts.sort()
    // Before each of them stands what is no line feed any more.
    let ends = starts.dropFirst().map { start in start - 1 } + [bytes.endIndex]
    var stretches: [Stretch] = []
    var noted = bytes.startIndex
    for (start, end) in zip(starts, ends) where isWhole(bytes[start..<end]) {
      if noted < start { stretches.append(Stretch(range: noted..<start, isLine: false)) }
      stretches.append(Stretch(range: start..<end, isLine: true))
      noted = end
    }
    if noted < bytes.endIndex { stretches.append(Stretch(range: noted..<bytes.endIndex, isLine: false)) }
    return stretches
  }

  private static func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
    do throws(LineFault) {
      _ = try LineParser.parse(bytes)
      return true
    } catch {
      return false
    }
  }
}
