/// Looks at the seams between segments: the first line of each, and the last line of each sealed one.
///
/// That is what an opening can afford, whatever the length of the log; ``LogVerifier`` reads everything.
struct SealedSegments {
  /// What the last sealed segment leads to.
  struct Seam {
    /// The last line; the origin when there is no sealed segment.
    var link: ChainState.Link
    /// What the first segment says of the log; `nil` when there is no sealed segment.
    var header: LogHeader?
  }

  let fileSystem: any LogFileSystem

  /// Checks all segments but the last one.
  ///
  /// - Complexity: O(number of segments × longest line).
  func check(_ segments: [LogFolder.Segment]) throws(LogError) -> Seam {
    var seam = Seam(link: .origin, header: nil)
    for segment in segments.dropLast() {
      do throws(LogError) { try go(through: segment, &seam) } catch {
        throw error.behind(seam.link.seq, firstRead: nil)
      }
    }
    return seam
  }

  private func go(through segment: LogFolder.Segment, _ seam: inout Seam) throws(LogError) {
    let file = try SourceFile(segment.path, fileSystem)
    defer { file.close() }
    let expectation = ChainState.Expectation(
      first: segment.first, log: seam.header?.log, model: seam.header?.model)
    let chain = ChainState(beforeSegment: expectation, after: seam.link)
    let header = try SealedSegments.header(of: file, chain)
    seam.header = seam.header ?? header
    seam.link = try lastLine(file, chain, segment)
  }

  /// Reads the first line of a segment.
  static func header(of file: SourceFile, _ chain: ChainState) throws(LogError) -> LogHeader {
    var chain = chain
    let lastSeq = chain.link?.seq ?? 0
    var scanner = LineScanner(file, from: 0, chunkBytes: 4_096)
    guard let line = try scanner.next() else {
      throw LogError.damage(
        "the segment is empty", path: file.path, line: 1, byteOffset: 0, lastSeq: lastSeq, firstRead: nil)
    }
    let bytes = scanner.bytes(of: line)
    do throws(LineFault) {
      try chain.accept(try SegmentScan.parse(line, bytes), bytes)
      guard let header = chain.header else { throw LineFault.misplacedHeader }
      return header
    } catch {
      throw LogError.fault(error, path: file.path, line: 1, byteOffset: 0, lastSeq: lastSeq, firstRead: nil)
    }
  }

  /// The last line, which in a sealed segment is whole.
  private func lastLine(
    _ file: SourceFile, _ chain: ChainState, _ segment: LogFolder.Segment
  ) throws(LogError) -> ChainState.Link {
    let start = try LineBounds.lastLineStart(of: file, size: try file.size())
    var scanner = LineScanner(file, from: start)
    var fault = LineFault.unfinished
    if let line = try scanner.next() {
      do throws(LineFault) {
        let parsed = try SegmentScan.parse(line, scanner.bytes(of: line))
        return ChainState.Link(seq: parsed.seq, crc: parsed.crc, synced: parsed.synced)
      } catch {
        fault = error
      }
    }
    // Only now is it worth reading the segment: the first bad line in it is the one to name.
    let scan = try SegmentScan(file, chain)
    let lastSeq = scan.chain.link?.seq ?? 0
    throw LogError.fault(
      scan.fault?.fault ?? fault, path: file.path, line: scan.fault?.line ?? scan.lineCount + 1,
      byteOffset: scan.goodBytes, lastSeq: lastSeq, firstRead: segment.first)
  }
}
