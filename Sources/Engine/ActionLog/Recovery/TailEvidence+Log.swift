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
    let seam = try SealedSegments(fileSystem: fileSystem).check(segments)
    let file = try SourceFile(active.path, fileSystem)
    defer { file.close() }
    let expectation = ChainState.Expectation(
      first: active.first, log: seam.header?.log, model: seam.header?.model)
    let scan = try SegmentScan(file, ChainState(beforeSegment: expectation, after: seam.link))
    return try scan.evidence(file, segment: active.first, head: head)
  }
}
