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
