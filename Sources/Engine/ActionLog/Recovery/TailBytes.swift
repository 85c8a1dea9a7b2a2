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
