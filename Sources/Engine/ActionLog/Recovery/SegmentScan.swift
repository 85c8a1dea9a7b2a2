internal import JSONCoding

/// The result of reading one segment up to its first bad line.
package struct SegmentScan {
  var chain: ChainState
  var goodBytes = 0
  var lineCount = 0
  /// The length of the file at the end of the scan.
  var sizeBytes = 0
  /// Why the next line is not a record or does not follow; `nil` if all lines are good.
  var fault: LineFault?

  /// - Parameters:
  ///   - last: The segment if it is the last one, which may end inside a unit.
  ///   - head: The contents of `HEAD`. Lines before the bytes that it names were durable, so that their units are complete.
  init(
    _ file: SourceFile, _ chain: ChainState, last: LogFolder.Segment? = nil, head: LogHead? = nil
  ) throws(LogError) {
    self.chain = chain
    var scanner = LineScanner(file, from: 0)
    var parser = LineParser()
    self.chain.checksUnits = last != nil
    while fault == nil, let line = try scanner.next() {
      fault = accept(line, scanner, &parser)
      guard fault == .unfinishedUnit, let last else { continue }
      self.chain.isUnitComplete =
        if head?.confirms(line.byteOffset, of: last.first) == true { true } else {
          try UnitLines(file, at: line.byteOffset).isComplete
        }
      if self.chain.isUnitComplete { fault = accept(line, scanner, &parser) }
    }
    sizeBytes = max(try file.size(), goodBytes)
  }

  /// Returns why a line is not a record or does not follow; `nil` if it was accepted.
  private mutating func accept(
    _ line: LineScanner.Line, _ scanner: LineScanner, _ parser: inout LineParser
  ) -> LineFault? {
    do throws(LineFault) {
      try scanner.withBytes(of: line) { (bytes) throws(LineFault) in
        try chain.accept(try parser.parse(line, bytes), bytes)
      }
    } catch {
      return error
    }
    lineCount += 1
    goodBytes = line.byteOffset + line.sizeBytes
    return nil
  }

  package static func parse(_ line: LineScanner.Line, _ bytes: ArraySlice<UInt8>) throws(LineFault) -> ParsedLine {
    if line.isTooLong { throw .tooLong }
    if !line.isTerminated { throw .unfinished }
    return try LineParser.parse(bytes)
  }
}

extension SegmentScan {
  /// Describes the end of the last segment of a log for the recovery rule.
  ///
  /// - Parameter head: The contents of `HEAD`, read before the segment.
  func end(of file: SourceFile, _ segment: LogFolder.Segment, head: LogHead?) -> ReadingEnd {
    ReadingEnd(
      file: file, segment: segment.first, goodBytes: goodBytes, lineCount: lineCount, chain: chain, head: head,
      hasNewerSegment: false, firstRead: segment.first)
  }
}

/// Checks the boundaries between segments: the first line of each, and the last line of each sealed one.
///
/// Opening a log can afford that whatever its length; `LogVerifier` reads everything.
package struct SealedSegments {
  /// The end of the last sealed segment.
  package struct Boundary {
    /// The last line; if there is no sealed segment, the origin or the line before a pruned log.
    var link: ChainState.Link
    /// The header of the first segment; `nil` if there is no sealed segment.
    var header: LogHeader?
    /// The identity of the log; `nil` if the next segment determines it.
    var log: String?
    var model: String?

    init(before base: LogBase?) {
      link = base?.lastLine ?? .origin
      log = base?.log
      model = base?.model
    }

    /// The chain before the first line of the next segment.
    func chain(before segment: LogFolder.Segment) -> ChainState {
      ChainState(beforeSegment: ChainState.Expectation(first: segment.first, log: log, model: model), after: link)
    }
  }

  let fileSystem: any LogFileSystem

  package init(fileSystem: any LogFileSystem) { self.fileSystem = fileSystem }

  /// Checks all segments except the last one.
  package func check(_ segments: [LogFolder.Segment], after base: LogBase?) throws(LogError) -> Boundary {
    var boundary = Boundary(before: base)
    for segment in segments.dropLast() {
      do throws(LogError) { try check(segment, &boundary) } catch {
        throw error.positioned(after: boundary.link.revision, firstRead: nil)
      }
    }
    return boundary
  }

  private func check(_ segment: LogFolder.Segment, _ boundary: inout Boundary) throws(LogError) {
    let file = try SourceFile(segment.path, fileSystem)
    defer { file.close() }
    let chain = boundary.chain(before: segment)
    let header = try SealedSegments.header(of: file, chain)
    boundary.header = boundary.header ?? header
    (boundary.log, boundary.model) = (header.log, header.model)
    boundary.link = try lastLine(file, chain, segment)
  }

  /// Reads the first line of the last segment, which must follow the sealed ones.
  package func header(ofLast segment: LogFolder.Segment, after boundary: Boundary) throws(LogError) -> LogHeader {
    do throws(LogError) {
      let file = try SourceFile(segment.path, fileSystem)
      defer { file.close() }
      return try SealedSegments.header(of: file, boundary.chain(before: segment))
    } catch {
      throw error.positioned(after: boundary.link.revision, firstRead: nil)
    }
  }

  package static func header(of file: SourceFile, _ chain: ChainState) throws(LogError) -> LogHeader {
    var chain = chain
    let lastRevision = chain.link?.revision ?? 0
    var scanner = LineScanner(file, from: 0, chunkBytes: 4_096)
    guard let line = try scanner.next() else {
      throw LogError.damage(
        "the segment is empty", path: file.path, line: 1, byteOffset: 0, lastRevision: lastRevision, firstRead: nil)
    }
    let bytes = scanner.bytes(of: line)
    do throws(LineFault) {
      try chain.accept(try SegmentScan.parse(line, bytes), bytes)
      guard let header = chain.header else { throw LineFault.misplacedHeader }
      return header
    } catch {
      throw LogError.fault(error, path: file.path, line: 1, byteOffset: 0, lastRevision: lastRevision, firstRead: nil)
    }
  }

  /// Whether a control record before the first action announces salts.
  static func announcesSalts(_ file: SourceFile, _ chain: ChainState) throws(LogError) -> Bool {
    var chain = chain
    var lines = RecordLines(file)
    while let record = try lines.next(), record.parsed.isControl {
      do throws(LineFault) { try chain.accept(record.parsed, record.bytes) } catch { return false }
      if chain.header?.isSalted == true { return true }
    }
    return false
  }

  /// Reads the last line, which is complete in a sealed segment.
  private func lastLine(
    _ file: SourceFile, _ chain: ChainState, _ segment: LogFolder.Segment
  ) throws(LogError) -> ChainState.Link {
    let start = try LineBounds.lastLineStart(of: file, size: try file.size())
    var lines = RecordLines(file, from: start)
    if let last = try lines.next()?.parsed {
      return ChainState.Link(revision: last.revision, crc: last.crc, synced: last.synced)
    }
    // Read the entire segment only now, to name its first bad line.
    let scan = try SegmentScan(file, chain)
    let lastRevision = scan.chain.link?.revision ?? 0
    throw LogError.fault(
      scan.fault ?? lines.fault ?? .unfinished, path: file.path, line: scan.lineCount + 1,
      byteOffset: scan.goodBytes, lastRevision: lastRevision, firstRead: segment.first)
  }
}
