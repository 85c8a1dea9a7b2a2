/// The evidence about the end of the active segment, from which ``verdict()`` decides between a torn tail and damage.
///
/// A checksum cannot distinguish a line torn by a crash from a durable line that was damaged later. Only other
/// evidence can show that the line had been durable (Alagappan et al., "Protocol-Aware Recovery for Consensus-Based
/// Storage", FAST 2018): later lines that record it, `HEAD`, a newer segment, and the shape of what a crash leaves.
package struct TailEvidence: Equatable {
  /// The first `seq` of the segment, which is its name.
  package var segment: Int
  package var sizeBytes: Int
  /// *b*: the offset of the first line that is not complete, or the length of the file if all are.
  package var goodBytes: Int
  /// *s*: the `seq` of the last good line.
  package var lastRevision: Int
  /// Whether the line at *b* is valid by itself but does not follow. A crash cannot cause that.
  package var breaksChain = false
  /// Whether the segment begins with a `@segment` record.
  package var hasHeader = true
  /// The highest `synced` of the complete lines after *b*.
  package var highestSyncedBeyond: Int?
  /// The offset of the next complete line after *b*; `nil` if the bad bytes reach the end of the file.
  package var nextCompleteLine: Int?
  /// Whether the bytes from *b* to the next complete line contain a zeroed sector, as a lost page does.
  package var hasZeroedSector = false
  package var head: LogHead?
  /// Whether a segment with a higher name exists.
  package var hasNewerSegment = false

  /// Creates evidence that consists of lengths only.
  package init(segment: Int, sizeBytes: Int, goodBytes: Int, lastRevision: Int) {
    self.segment = segment
    self.sizeBytes = sizeBytes
    self.goodBytes = goodBytes
    self.lastRevision = lastRevision
  }
}

extension TailEvidence {
  /// Applies the recovery rule of the format, which the page *Recovery* explains.
  package func verdict() -> TailVerdict {
    if !hasHeader { return .damaged(.noHeader) }
    if breaksChain { return .damaged(.brokenChain) }
    if let head {
      if head.segment > segment { return .damaged(.headNamesLaterSegment) }
      if head.segment == segment, head.bytes > goodBytes { return .damaged(.headNamesMoreBytes) }
    }
    if goodBytes == sizeBytes { return .clean }
    if hasNewerSegment { return .damaged(.newerSegment) }
    if isTailTooLong { return .damaged(.tailTooLong(sizeBytes: sizeBytes - goodBytes)) }
    if let highestSyncedBeyond, highestSyncedBeyond > lastRevision { return .damaged(.laterLineSynced) }
    if nextCompleteLine != nil, !hasZeroedSector { return .damaged(.noLostSector) }
    return .torn
  }

  /// Whether more bytes follow the last good line than a crash can tear. They are not read.
  private var isTailTooLong: Bool { sizeBytes - goodBytes > LogFormat.tornLimitBytes }
}

/// The classification of the end of a segment.
package enum TailVerdict: Equatable {
  /// Every line is valid, and nothing shows that there were more.
  case clean
  /// A crash tore the last batch. It was never acknowledged and may be truncated.
  case torn
  /// Durable bytes are missing or changed.
  case damaged(DamageReason)
}

/// The clause of the recovery rule that classifies an end as damage.
package enum DamageReason: Equatable {
  /// The segment does not begin with a `@segment` record, which is durable before the file gets its name.
  case noHeader
  /// A line is valid by itself but does not follow the previous one.
  case brokenChain
  /// A later complete line records that a `seq` after the last good one was durable.
  case laterLineSynced
  /// `HEAD` names a segment that is missing.
  case headNamesLaterSegment
  /// `HEAD` records durable bytes at the bad line or past the end of the file.
  case headNamesMoreBytes
  /// A newer segment exists, which is begun only after this one is durable.
  case newerSegment
  /// More bytes follow than a crash can tear.
  case tailTooLong(sizeBytes: Int)
  /// Good lines follow, and no lost page explains the bad bytes between.
  case noLostSector

  package var message: String {
    switch self {
    case .noHeader: "the segment does not begin with a @segment record"
    case .brokenChain: "the line does not follow the one before it"
    case .laterLineSynced: "a later line records that this one was durable"
    case .headNamesLaterSegment: "HEAD names a later segment, which is missing"
    case .headNamesMoreBytes: "HEAD records more durable bytes in the segment"
    case .newerSegment: "a newer segment exists"
    case .tailTooLong(let sizeBytes): "the \(sizeBytes) bytes from there on are more than a crash can tear"
    case .noLostSector: "good lines follow it, and no lost page explains it"
    }
  }
}

// MARK: - Gathering the evidence

extension TailEvidence {
  /// Scans the bytes from *b*.
  package mutating func scan(after fault: LineFault, in file: SourceFile) throws(LogError) {
    breaksChain = fault.isLineIntact
    // An unfinished line reaches the end of the file. A live writer may have completed it since; scanning it again
    // would count that as evidence.
    guard fault != .unfinished, !isTailTooLong else { return }
    var start = goodBytes
    if fault == .unfinishedUnit {
      // The first lines of an unfinished unit are complete, and prove nothing. If it reaches the end of the file, a live writer may
      // have completed it since, as an unfinished line.
      let unit = try UnitLines(file, at: goodBytes)
      guard unit.isBroken else { return }
      start = unit.end
    }
    let beyond = try TailBytes(file, from: start)
    highestSyncedBeyond = beyond.highestSynced
    nextCompleteLine = beyond.firstCompleteLine
    if let next = beyond.firstCompleteLine {
      hasZeroedSector = try TailBytes.holdsZeroedSector(file, start..<next)
    }
  }

  /// Gathers the evidence that opening the log for writing would use. Nothing is changed.
  ///
  /// - Returns: `nil` if there is no segment.
  package static func gathered(
    of path: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> TailEvidence? {
    let head = try HeadFile.forWriting(path, fileSystem).head
    let folder = try LogFolder.list(path, fileSystem)
    guard let active = folder.segments.last else { return nil }
    try folder.checkBeginning()
    let boundary = try SealedSegments(fileSystem: fileSystem).check(folder.segments, after: folder.base)
    let file = try SourceFile(active.path, fileSystem)
    defer { file.close() }
    let scan = try SegmentScan(file, boundary.chain(before: active), last: active, head: head)
    return try scan.end(of: file, active, head: head).evidence(after: scan.fault)
  }
}

extension SourceFile {
  /// Whether the file ends, after an offset at which a line begins, with more bytes without a line feed than a crash can tear.
  package func endsInGap(from byteOffset: Int) throws(LogError) -> Bool {
    guard try size() - byteOffset > LogFormat.tornLimitBytes else { return false }
    var scanner = LineScanner(self, from: byteOffset)
    while let line = try scanner.next() {
      if !line.isTerminated { return line.sizeBytes > LogFormat.tornLimitBytes }
    }
    return false
  }
}

/// The complete lines after the first bad line of a segment.
struct TailBytes {
  /// The size of the units that devices lose: a sector.
  static let sectorBytes = 512

  /// The highest `synced` of the complete lines.
  private(set) var highestSynced: Int?
  /// The offset of the first complete line.
  private(set) var firstCompleteLine: Int?

  /// Finds the complete lines from an offset to the end of the file.
  init(_ file: SourceFile, from byteOffset: Int) throws(LogError) {
    var scanner = LineScanner(file, from: byteOffset)
    while let line = try scanner.next() {
      guard line.isTerminated, !line.isTooLong else { continue }
      inspect(scanner.bytes(of: line), at: line.byteOffset)
    }
  }

  private mutating func inspect(_ bytes: ArraySlice<UInt8>, at byteOffset: Int) {
    // A lost page leaves zeros and no line feed, so a complete line can follow them on the same line.
    let afterZeros = bytes.lastIndex(of: 0).map { index in index + 1 } ?? bytes.startIndex
    var start = afterZeros
    var end = bytes.endIndex
    var tries = HiddenLines.limit
    while !isComplete(bytes[start...]) {
      // A damaged line feed joins two lines, and the second one is still complete.
      guard tries > 0, let hidden = CommitMark.lineStart(afterLastMarkIn: bytes[afterZeros..<end]) else { return }
      (start, end) = (hidden, hidden)
      tries -= 1
    }
    if firstCompleteLine == nil { firstCompleteLine = byteOffset + (start - bytes.startIndex) }
  }

  /// Whether a line is valid by itself. Records its `synced`.
  private mutating func isComplete(_ line: ArraySlice<UInt8>) -> Bool {
    do throws(LineFault) {
      let parsed = try LineParser.parse(line)
      highestSynced = max(highestSynced ?? 0, parsed.synced)
      return true
    } catch {
      return error.isLineIntact
    }
  }

  /// Whether a range of a file contains a sector of zeros.
  ///
  /// Sectors begin at multiples of 512. The first one counts from the beginning of the range, because a page that was
  /// partly durable keeps those bytes when the rest is lost.
  static func holdsZeroedSector(_ file: SourceFile, _ range: Range<Int>) throws(LogError) -> Bool {
    var offset = range.lowerBound
    // Chunks begin at sector boundaries, so that no sector is split.
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
      // The bytes before a complete line are not a full sector.
      guard sectorEnd <= bytes.count else { return false }
      if bytes[start..<sectorEnd].allSatisfy({ byte in byte == 0 }) { return true }
      start = sectorEnd
    }
    return false
  }
}

/// Finds complete lines inside a line that is not valid.
///
/// A damaged line feed joins two lines, and a lost page leaves zeros and no line feed before the next line. The
/// second line is complete in both cases.
package enum HiddenLines {
  /// The number of line starts to try, from the end: a hostile line could have a million of them.
  static let limit = 8

  package struct Part: Equatable {
    package var range: Range<Int>
    /// Whether the part is a complete line, without its line feed.
    package var isLine: Bool
  }

  /// Splits an invalid line into consecutive parts.
  ///
  /// - Parameter bytes: A line that is not valid, without its line feed.
  package static func parts(of bytes: ArraySlice<UInt8>) -> [Part] {
    var starts: [Int] = []
    while starts.count < limit,
      let start = CommitMark.lineStart(afterLastMarkIn: bytes[..<(starts.last ?? bytes.endIndex)])
    {
      starts.append(start)
    }
    starts.append(bytes.startIndex)
    if let zero = bytes.lastIndex(of: 0), !starts.contains(zero + 1) { starts.append(zero + 1) }
    starts.sort()
    // Each start follows one byte that was a line feed.
    let ends = starts.dropFirst().map { start in start - 1 } + [bytes.endIndex]
    var parts: [Part] = []
    var noted = bytes.startIndex
    for (start, end) in zip(starts, ends) where isComplete(bytes[start..<end]) {
      if noted < start { parts.append(Part(range: noted..<start, isLine: false)) }
      parts.append(Part(range: start..<end, isLine: true))
      noted = end
    }
    if noted < bytes.endIndex { parts.append(Part(range: noted..<bytes.endIndex, isLine: false)) }
    return parts
  }

  private static func isComplete(_ bytes: ArraySlice<UInt8>) -> Bool {
    do throws(LineFault) {
      _ = try LineParser.parse(bytes)
      return true
    } catch {
      return false
    }
  }
}
