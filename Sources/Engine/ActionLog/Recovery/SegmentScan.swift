internal import JSONCoding

/// What a reading of one segment from its first line to the first bad one found.
struct SegmentScan {
  /// The first line that is not a record, or not the one that follows.
  struct Fault {
    var fault: LineFault
    var byteOffset: Int
    var line: Int
  }

  /// What is known after the last good line.
  var chain: ChainState
  /// The end of the last good line.
  var goodBytes = 0
  /// How many good lines there are.
  var lineCount = 0
  /// The length of the file when the reading ended.
  var sizeBytes = 0
  /// `nil` when every line is good.
  var fault: Fault?

  /// Reads a segment.
  ///
  /// - Complexity: O(length of the file); memory O(longest line).
  init(
    _ file: SourceFile,
    _ chain: ChainState,
    chunkBytes: Int = LineScanner.defaultChunkBytes
  ) throws(LogError) {
    self.chain = chain
    var scanner = LineScanner(file, from: 0, chunkBytes: chunkBytes)
    var parser = LineParser()
    while fault == nil, let line = try scanner.next() {
      do throws(LineFault) {
        try scanner.withBytes(of: line) { (bytes) throws(LineFault) in
          try self.chain.accept(try parser.parse(line, bytes), bytes)
        }
        lineCount += 1
        goodBytes = line.byteOffset + line.sizeBytes
      } catch {
        fault = Fault(fault: error, byteOffset: line.byteOffset, line: lineCount + 1)
      }
    }
    sizeBytes = max(try file.size(), goodBytes)
  }

  /// Reads the members of a line that a scanner found.
  static func parse(_ line: LineScanner.Line, _ bytes: ArraySlice<UInt8>) throws(LineFault) -> ParsedLine {
    if line.isTooLong { throw .tooLong }
    if !line.isTerminated { throw .unfinished }
    return try LineParser.parse(bytes)
  }
}

extension SegmentScan {
  /// Gathers what decides between a torn tail and damage.
  ///
  /// - Parameters:
  ///   - segment: The first `seq` in the file's name.
  ///   - head: What `HEAD` said before the segment was read.
  /// - Complexity: O(bytes after the last good line).
  func evidence(_ file: SourceFile, segment: Int, head: LogHead?) throws(LogError) -> TailEvidence {
    var evidence = TailEvidence(
      segment: segment, sizeBytes: sizeBytes, goodBytes: goodBytes, lastSeq: chain.link?.seq ?? segment - 1)
    evidence.head = head
    evidence.hasHeader = chain.header != nil
    if let fault { try evidence.look(beyond: fault.fault, in: file) }
    return evidence
  }
}

/// Looks at the seams between segments: the first line of each, and the last line of each sealed one.
///
/// That is what an opening can afford, whatever the length of the log; ``LogVerifier`` reads everything.
struct SealedSegments {
  /// What the last sealed segment leads to.
  struct Boundary {
    /// The last line; the origin when there is no sealed segment.
    var link: ChainState.Link
    /// What the first segment says of the log; `nil` when there is no sealed segment.
    var header: LogHeader?
  }

  let fileSystem: any LogFileSystem

  /// Checks all segments but the last one.
  ///
  /// - Complexity: O(number of segments × longest line).
  func check(_ segments: [LogFolder.Segment]) throws(LogError) -> Boundary {
    var boundary = Boundary(link: .origin, header: nil)
    for segment in segments.dropLast() {
      do throws(LogError) { try go(through: segment, &boundary) } catch {
        throw error.behind(boundary.link.seq, firstRead: nil)
      }
    }
    return boundary
  }

  private func go(through segment: LogFolder.Segment, _ boundary: inout Boundary) throws(LogError) {
    let file = try SourceFile(segment.path, fileSystem)
    defer { file.close() }
    let expectation = ChainState.Expectation(
      first: segment.first, log: boundary.header?.log, model: boundary.header?.model)
    let chain = ChainState(beforeSegment: expectation, after: boundary.link)
    let header = try SealedSegments.header(of: file, chain)
    boundary.header = boundary.header ?? header
    boundary.link = try lastLine(file, chain, segment)
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
