import ActionLog
import Platform

// The lines of a log as leaves of its tree.

/// A pass over the lines of an extent in their order.
struct EvidenceWalk {
  /// The position after the last line, in the form of the edge. Before the first line its segment is 0.
  private(set) var position: EvidenceEdge

  private let extent: EvidenceExtent
  private var cursor: RecordCursor

  init(_ extent: EvidenceExtent, of log: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    self.extent = extent
    cursor = try Self.cursor(extent, log, fileSystem)
    position = EvidenceEdge(
      lines: extent.base?.lineCount ?? 0, revision: extent.base?.revision ?? 0, segment: 0, line: 0,
      last: extent.base?.link ?? 0)
  }

  private static func cursor(
    _ extent: EvidenceExtent, _ log: String, _ fileSystem: any LogFileSystem, inSegment index: Int = 0,
    near revision: Int? = nil
  ) throws(LogError) -> RecordCursor {
    let reader = try LogReader.open(at: log, fileSystem: fileSystem)
    let listing = LogReader.Listing(segments: extent.segments, base: extent.base, head: extent.head)
    let start =
      if let revision {
        try reader.start(near: revision, inSegment: index, listing)
      } else {
        try reader.start(ofSegment: index, listing)
      }
    return RecordCursor(reader, listing, from: start, target: nil, chunkBytes: RecordBatch.defaultChunkBytes)
  }

  /// Continues after the line that an edge names.
  init(
    _ extent: EvidenceExtent, of log: String, after edge: EvidenceEdge, _ fileSystem: any LogFileSystem
  ) throws(LogError) {
    try self.init(extent, of: log, fileSystem)
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
    cursor = try Self.cursor(extent, log, fileSystem, inSegment: found, near: edge.revision)
    var isPast = false
    while !isPast, let line = try cursor.nextLine(), cursor.stop.segmentIndex == found {
      if line.crc == edge.last, line.revision == edge.revision {
        position = edge
        return
      }
      isPast = line.revision > edge.revision
    }
    let file = try SourceFile(path, fileSystem)
    defer { file.close() }
    if !isPast, try LineScanner.lineCount(of: file) < edge.line { throw Self.shortened(edge, path) }
    throw LogError(
      .damaged, "the line is not the one that the tiles in 'proofs' end with", path: path, line: edge.line,
      revision: edge.revision, advice: .fullReport)
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
      let leaf: SHA256Digest
      do throws(LineForm.Fault) { leaf = try entry.leaf(of: parsed, bytes) } catch {
        throw LogError(
          .damaged, "the line is not a record: \(error.message)", line: position.line, revision: position.revision)
      }
      try body(leaf, position)
    }
  }

  /// Calls a closure with each line up to the end of the extent, or up to a torn tail, without its line feed.
  mutating func forEachLine(
    _ body: (UnsafeRawBufferPointer, ParsedLine, _ position: EvidenceEdge) throws(LogError) -> Void
  ) throws(LogError) {
    // `HEAD` is not synced, so it can be older than the edge.
    while !cursor.isPast(extent.lastIndex, extent.lastBytes) {
      guard let parsed = try cursor.nextLine() else {
        if case .torn = cursor.ending { return }
        throw shortened()
      }
      guard !cursor.isPast(extent.lastIndex, extent.lastBytes + 1) else { throw shortened() }
      let segment = extent.segments[cursor.stop.segmentIndex]
      position.line = position.segment == segment.first ? position.line + 1 : 1
      position.lines += 1
      (position.segment, position.revision, position.last) = (segment.first, parsed.revision, parsed.crc)
      do throws(LogError) {
        try cursor.withLastLine { (line) throws(LogError) in try body(line, parsed, position) }
      } catch {
        var failure = error
        failure.path = failure.path ?? segment.path
        throw failure
      }
    }
  }

  private func shortened() -> LogError {
    LogError(
      .damaged, "the segment is shorter than it was, or than HEAD recorded",
      path: extent.segments[cursor.stop.segmentIndex].path, advice: .fullReport)
  }
}
