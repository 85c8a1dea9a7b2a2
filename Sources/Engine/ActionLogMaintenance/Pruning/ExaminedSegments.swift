import ActionLog
import Platform

/// Sealed segments that were read completely, and what a base says of them.
struct ExaminedSegments {
  /// The segments as `@prune` records them.
  private(set) var segments: [PruneRecord.Segment] = []
  /// The tree over all lines of the log up to their end.
  private(set) var tree: MerkleAccumulator
  private(set) var link: ChainState.Link
  /// The time and the checksum of the last action.
  private(set) var time = LogTime.earliest
  private(set) var checksum: UInt32

  /// Reads and verifies segments that follow each other.
  ///
  /// - Parameter base: The base before the first one; `nil` if it is the first of the log.
  init(
    _ files: [LogFolder.Segment], after base: LogBase?, of header: LogHeader, _ fileSystem: any LogFileSystem
  ) throws(LogError) {
    tree = MerkleAccumulator(size: base?.lineCount ?? 0, subtrees: base?.tree ?? []) ?? MerkleAccumulator()
    link = base?.lastLine ?? .origin
    checksum = base?.checksum ?? 0
    var chain = ChainState(beforeSegment: ChainState.Expectation(), after: link)
    for segment in files {
      chain.enterSegment(ChainState.Expectation(first: segment.first, log: header.log, model: header.model))
      let file = try SourceFile(segment.path, fileSystem)
      defer { file.close() }
      try read(segment, file, &chain)
    }
    if let last = chain.link { link = last }
  }

  private mutating func read(
    _ segment: LogFolder.Segment, _ file: SourceFile, _ chain: inout ChainState
  ) throws(LogError) {
    var scanner = LineScanner(file, from: 0, chunkBytes: RecordBatch.defaultChunkBytes)
    var parser = LineParser()
    var entry = LineEntry()
    var hash = SHA256()
    var lineCount = 0
    while let line = try scanner.next() {
      let read: (parsed: ParsedLine, leaf: Result<SHA256Digest, LineForm.Fault>)
      do throws(LineFault) {
        read = try scanner.withBytes(of: line) {
          (bytes) throws(LineFault) -> (ParsedLine, Result<SHA256Digest, LineForm.Fault>) in
          let parsed = try parser.parse(line, bytes)
          try chain.accept(parsed, bytes)
          hash.update(bytes)
          return (parsed, Result { () throws(LineForm.Fault) in try entry.leaf(of: parsed, bytes) })
        }
      } catch {
        throw LogError.fault(
          error, path: segment.path, line: lineCount + 1, byteOffset: line.byteOffset,
          lastRevision: chain.link?.revision ?? segment.first - 1, firstRead: segment.first)
      }
      hash.update(UInt8(ascii: "\n"))
      lineCount += 1
      do throws(LineForm.Fault) { tree.append(try read.leaf.get()) } catch {
        throw LogError.damage(
          error.message, path: segment.path, line: lineCount, byteOffset: line.byteOffset,
          lastRevision: max(read.parsed.revision - 1, 0), firstRead: segment.first)
      }
      if !read.parsed.isControl { (time, checksum) = (read.parsed.time, read.parsed.crc) }
    }
    guard lineCount > 0 else {
      throw LogError.damage(
        "the segment is empty", path: segment.path, line: 1, byteOffset: 0, lastRevision: segment.first - 1,
        firstRead: nil)
    }
    segments.append(
      PruneRecord.Segment(first: segment.first, lineCount: lineCount, sha256: hash.digest().hexadecimal))
  }
}
