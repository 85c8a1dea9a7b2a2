import ActionLog
import Platform

// The lines of a log as leaves of its tree.

/// A pass over the lines of an extent in their order.
struct EvidenceWalk {
  /// The position after the last line, in the form of the edge. Before the first line its segment is 0.
  private(set) var position: EvidenceEdge

  private let extent: EvidenceExtent
  private let fileSystem: any LogFileSystem
  private var chain: ChainState
  private var index: Int
  private var byteOffset = 0

  init(_ extent: EvidenceExtent, _ fileSystem: any LogFileSystem) {
    self.extent = extent
    self.fileSystem = fileSystem
    index = 0
    chain = ChainState(beforeFirst: extent.segments[0], after: extent.base)
    position = EvidenceEdge(
      lines: extent.base?.lineCount ?? 0, revision: extent.base?.revision ?? 0, segment: 0, line: 0,
      last: extent.base?.link ?? 0)
  }

  /// Continues after the line that an edge names.
  init(_ extent: EvidenceExtent, after edge: EvidenceEdge, _ fileSystem: any LogFileSystem) throws(LogError) {
    self.init(extent, fileSystem)
    if let base = extent.base, edge.segment < extent.segments[0].first {
      // The line is before the base; only the last one of these is known.
      guard edge.lines == base.lineCount, edge.last == base.link else {
        throw LogError(
          .damaged, "the tiles end at line \(edge.lines), and the log begins at line \(base.lineCount)",
          path: extent.segments[0].path, advice: "Restore the directory 'proofs' from a copy.")
      }
      return
    }
    guard let found = extent.segments.firstIndex(where: { segment in segment.first == edge.segment }) else {
      throw Self.shortened(edge, extent.segments[extent.segments.count - 1].path)
    }
    let path = extent.segments[found].path
    let file = try SourceFile(path, fileSystem)
    defer { file.close() }
    var scanner = LineScanner(file, from: 0, chunkBytes: RecordBatch.defaultChunkBytes)
    // The lines before the first action state the schema of all actions.
    var leadIn = ChainState(beforeSegment: ChainState.Expectation(first: edge.segment), after: nil)
    var number = 0
    while number < edge.line {
      if leadIn.holdsAction {
        if let end = try Self.end(of: edge, in: file, after: byteOffset) {
          byteOffset = end
          break
        }
        // The lines in between were covered before: they only count.
        guard try scanner.skip(edge.line - 1 - number) else { throw Self.shortened(edge, path) }
        number = edge.line - 1
      }
      guard let line = try scanner.next() else { throw Self.shortened(edge, path) }
      number += 1
      do throws(LineFault) {
        let parsed = try SegmentScan.parse(line, scanner.bytes(of: line))
        if !leadIn.holdsAction { try leadIn.accept(parsed, scanner.bytes(of: line)) }
        guard number == edge.line else { continue }
        guard parsed.crc == edge.last, parsed.revision == edge.revision else { throw .checksumMismatch }
      } catch {
        throw LogError(
          .damaged,
          number == edge.line ? "the line is not the one that the tiles in 'proofs' end with" : error.message,
          path: path, line: number, byteOffset: line.byteOffset, revision: edge.revision,
          advice: .fullReport)
      }
      byteOffset = line.byteOffset + line.sizeBytes
    }
    index = found
    position = edge
    // That `synced` does not decrease was checked when the line was covered.
    chain = ChainState(
      inside: leadIn.header, schema: leadIn.schema,
      after: ChainState.Link(revision: edge.revision, crc: edge.last, synced: 0), holdsAction: leadIn.holdsAction)
  }

  /// Returns where the line of an edge ends; `nil` if it is not where its revision belongs.
  private static func end(of edge: EvidenceEdge, in file: SourceFile, after start: Int) throws(LogError) -> Int? {
    guard edge.revision > edge.segment else { return nil }
    var search = try SegmentSearch(file, from: start)
    try search.narrow(to: edge.revision, from: edge.segment + 1, before: nil)
    var lines = RecordLines(file, from: search.low)
    while let record = try lines.next(), record.parsed.revision <= edge.revision {
      if record.parsed.crc == edge.last, record.parsed.revision == edge.revision { return record.end }
    }
    return nil
  }

  private static func shortened(_ edge: EvidenceEdge, _ path: String) -> LogError {
    LogError(
      .damaged,
      "the log ends before line \(edge.line) of the segment \(SegmentName.text(first: edge.segment)), "
        + "which the tiles in 'proofs' cover", path: path, revision: edge.revision,
      advice: .sentences("The end of the log is missing.", .fullReport))
  }

  mutating func forEachLeaf(
    _ body: (_ leaf: SHA256Digest, _ position: EvidenceEdge) throws(LogError) -> Void
  ) throws(LogError) {
    var entry = LineEntry()
    try forEachLine { (bytes, parsed, position) throws(LogError) in
      let leaf = try position.describing { () throws(LineForm.Fault) in
        try entry.leaf(of: parsed, bytes)
      }
      try body(leaf, position)
    }
  }

  /// Calls a closure with each line up to the end of the extent, without its line feed.
  mutating func forEachLine(
    _ body: (UnsafeRawBufferPointer, ParsedLine, _ position: EvidenceEdge) throws(LogError) -> Void
  ) throws(LogError) {
    // `HEAD` is not synced, so it can be older than the edge.
    if index == extent.lastIndex, byteOffset > extent.lastBytes { return }
    while index <= extent.lastIndex {
      let segment = extent.segments[index]
      if byteOffset == 0 {
        if index > 0 {
          chain.enterSegment(
            ChainState.Expectation(first: segment.first, log: chain.header?.log, model: chain.header?.model))
        }
        position.segment = segment.first
        position.line = 0
      }
      do throws(LogError) {
        guard try readSegment(segment, body) else { return }
      } catch {
        var failure = error
        failure.path = failure.path ?? segment.path
        throw failure
      }
      index += 1
      byteOffset = 0
    }
  }

  /// Reads a segment from the current offset.
  ///
  /// - Returns: Whether the next segment follows; `false` at a torn tail.
  private mutating func readSegment(
    _ segment: LogFolder.Segment,
    _ body: (UnsafeRawBufferPointer, ParsedLine, _ position: EvidenceEdge) throws(LogError) -> Void
  ) throws(LogError) -> Bool {
    let isLast = index == extent.lastIndex
    let file = try SourceFile(segment.path, fileSystem)
    defer { file.close() }
    var scanner = LineScanner(
      file, from: byteOffset, to: isLast ? extent.lastBytes : .max, chunkBytes: RecordBatch.defaultChunkBytes)
    var parser = LineParser()
    func accept(_ line: LineScanner.Line) throws(LineFault) -> ParsedLine {
      try scanner.withBytes(of: line) { (bytes) throws(LineFault) in
        let parsed = try parser.parse(line, bytes)
        try chain.accept(parsed, bytes)
        return parsed
      }
    }
    chain.checksUnits = isLast && extent.mayBeTorn
    while let line = try scanner.next() {
      let parsed: ParsedLine
      do throws(LineFault) {
        do throws(LineFault) { parsed = try accept(line) } catch {
          guard error == .unfinishedUnit, isCompleteUnit(in: file, at: line.byteOffset) else { throw error }
          chain.isUnitComplete = true
          parsed = try accept(line)
        }
        position.lines += 1
        position.line += 1
        position.revision = parsed.revision
        position.last = parsed.crc
      } catch {
        return try stop(at: line, error, file, segment, isLast: isLast)
      }
      byteOffset = line.byteOffset + line.sizeBytes
      try scanner.withBytes(of: line) { (bytes) throws(LogError) in try body(bytes, parsed, position) }
    }
    guard isLast ? byteOffset == extent.lastBytes : byteOffset > 0 else {
      throw LogError(
        .damaged, "the segment is empty, or shorter than HEAD recorded", path: segment.path,
        advice: .fullReport)
    }
    return true
  }

  private func isCompleteUnit(in file: SourceFile, at byteOffset: Int) -> Bool {
    // The fault is reported with the reason why the file cannot be read.
    do throws(LogError) { return try UnitLines(file, at: byteOffset).isComplete } catch { return false }
  }

  /// Ends the pass at a line that does not follow, if it begins a torn tail.
  private func stop(
    at line: LineScanner.Line, _ fault: LineFault, _ file: SourceFile, _ segment: LogFolder.Segment, isLast: Bool
  ) throws(LogError) -> Bool {
    let lastRevision = chain.link?.revision ?? segment.first - 1
    if isLast, extent.mayBeTorn, !fault.isLineIntact {
      var evidence = TailEvidence(
        segment: segment.first, sizeBytes: extent.lastBytes, goodBytes: line.byteOffset, lastRevision: lastRevision)
      evidence.head = extent.head
      evidence.hasHeader = line.byteOffset > 0
      try evidence.scan(after: fault, in: file)
      switch evidence.verdict() {
      case .torn: return false
      case .damaged(let reason):
        throw LogError.damage(
          reason, fault, path: segment.path, line: position.line + 1, byteOffset: line.byteOffset,
          lastRevision: lastRevision, firstRead: nil)
      default: break
      }
    }
    throw LogError.fault(
      fault, path: segment.path, line: position.line + 1, byteOffset: line.byteOffset, lastRevision: lastRevision,
      firstRead: nil)
  }
}

extension EvidenceEdge {
  /// Adds the position to the fault of its line.
  func describing<Value>(_ body: () throws(LineForm.Fault) -> Value) throws(LogError) -> Value {
    do throws(LineForm.Fault) { return try body() } catch {
      throw LogError(.damaged, "the line is not a record: \(error.message)", line: line, revision: revision)
    }
  }
}
