/// A position among the records of a log: the one implementation of reading it in order, line by line or in batches.
///
/// Every line is checked by itself and against the one before; what is beyond the last good line is judged by the recovery
/// rule of the format.
struct RecordCursor: Sendable {
  /// How the log ends; `nil` while there may be more.
  private(set) var ending: LogEnding?

  private let reader: LogReader
  private let listing: LogReader.Listing
  private let chunkBytes: Int
  /// Records before this action are not returned.
  private var target: Int?

  private var segmentIndex: Int
  private var file: SourceFile
  private var scanner: LineScanner
  private var chain: ChainState
  private var parser = LineParser()
  /// How many lines of the segment were read; `nil` when reading began in the middle of it.
  private var lineCount: Int?
  /// The end of the last good line in the file.
  private var goodBytes: Int
  private var bytesReadBefore: Int
  private var largestBufferBefore = 0
  /// The first action of those that are read: in the middle of a segment, that which was asked for.
  private let firstRead: Int?

  /// The line that was read last, in the buffer of the scanner, and where it begins in the file.
  private var lastLine: (range: Range<Int>, byteOffset: Int) = (0..<0, 0)
  /// Whether the next line is to be read by itself: it did not check the first time.
  private var isDoubtful = false
  /// Memory of batches that nobody needs any more.
  private var spareBytes: [UInt8] = []
  private var spareEntries: [RecordEntry] = []

  /// What a line has at least, but for the shortest actions.
  private static let usualLineBytes = 192

  init(
    _ reader: LogReader, _ listing: LogReader.Listing, from start: ReadingStart, target: Int?, chunkBytes: Int
  ) {
    self.reader = reader
    self.listing = listing
    self.target = target
    self.chunkBytes = chunkBytes
    segmentIndex = start.segmentIndex
    file = start.file
    scanner = LineScanner(start.file, from: start.byteOffset, chunkBytes: chunkBytes)
    chain = start.chain
    lineCount = start.byteOffset == 0 ? 0 : nil
    goodBytes = start.byteOffset
    bytesReadBefore = start.bytesRead
    firstRead = start.byteOffset == 0 ? listing.segments[start.segmentIndex].first : target
  }

  /// How many bytes were read from files, those of finding the first record included.
  var bytesRead: Int { bytesReadBefore + scanner.bytesRead }

  /// The largest stretch of memory that lines were read into.
  var largestBufferBytes: Int { max(largestBufferBefore, scanner.largestBufferBytes) }

  /// The schema in force at the last record.
  var schema: Int { chain.schema }

  /// The last line that was read.
  var lastLink: ChainState.Link? { chain.link }

  /// Where reading stopped: the first byte that is not part of a good line.
  var stop: (segmentIndex: Int, byteOffset: Int) { (segmentIndex, goodBytes) }

  /// Whether everything up to a byte of a segment was returned.
  func isPast(_ index: Int, _ byteOffset: Int) -> Bool {
    segmentIndex > index || (segmentIndex == index && goodBytes >= byteOffset)
  }
}

// MARK: - Line by line

extension RecordCursor {
  /// The members of the next line.
  mutating func nextLine() throws(LogError) -> ParsedLine? {
    if let ending {
      if case .damaged(let error) = ending { throw error }
      return nil
    }
    var isSecondLook = false
    while true {
      guard let found = try scanner.next() else {
        if try enterNextSegment() { continue }
        try finish(nil)
        return nil
      }
      do throws(LineFault) {
        let parsed = try check(found)
        goodBytes = found.byteOffset + found.sizeBytes
        lineCount = lineCount.map { count in count + 1 }
        lastLine = (found.range, found.byteOffset)
        return parsed
      } catch {
        // A live writer may have been cutting off a rejected batch and writing the next one while we read.
        guard !isSecondLook, segmentIndex == listing.segments.count - 1 else {
          try finish(error)
          return nil
        }
        isSecondLook = true
        rescan()
      }
    }
  }

  private mutating func check(_ line: LineScanner.Line) throws(LineFault) -> ParsedLine {
    try scanner.withBytes(of: line) { (bytes) throws(LineFault) in
      let parsed = try parser.parse(line, bytes)
      try chain.accept(parsed, bytes)
      return parsed
    }
  }

  /// The next line as a record.
  mutating func nextRecord() throws(LogError) -> LogRecord? {
    while let parsed = try nextLine() {
      guard isWanted(parsed) else { continue }
      let place = LogPlace(path: file.path, byteOffset: lastLine.byteOffset, line: lineCount)
      return LogRecord(parsed, line: scanner.buffer[lastLine.range], schema: chain.schema, place: place)
    }
    return nil
  }

  /// Whether a record is to be returned: everything is, from the action on that was asked for.
  @inline(__always)
  private mutating func isWanted(_ parsed: ParsedLine) -> Bool {
    guard let target else { return true }
    if parsed.isControl || parsed.seq < target { return false }
    self.target = nil
    return true
  }
}

// MARK: - In batches

extension RecordCursor {
  /// The next records; `nil` at the end.
  ///
  /// - Parameter sink: Takes those actions in that are wanted there.
  mutating func nextBatch(_ sink: ActionSink? = nil) throws(LogError) -> RecordBatch? {
    while true {
      if ending == nil, !isDoubtful {
        if let block = try scanner.takeBlock(spare: &spareBytes) {
          if let batch = read(block, sink) { return batch }
          continue
        }
        if scanner.isDrained, try enterNextSegment() { continue }
      }
      // The end of the log, damage, or a line that is finished only now.
      guard let parsed = try nextLine() else { return nil }
      isDoubtful = false
      guard isWanted(parsed) else { continue }
      if let sink, sink.wants(parsed) { sink.miss() }
      return batch(of: parsed)
    }
  }

  /// Takes back the memory of a batch.
  mutating func recycle(_ batch: consuming RecordBatch) {
    (spareBytes, spareEntries) = batch.memory()
  }

  /// Reads lines up to the first that does not check, which the next call looks at again by itself.
  private mutating func read(_ block: LineScanner.Block, _ sink: ActionSink?) -> RecordBatch? {
    if let sink { readTaking(block, sink) } else { readChecking(block) }
  }

  // Two loops, so that neither asks for each line which of them it is, and two functions, so that the compiler does not stop to
  // inline in the middle of the larger one.

  @inline(never)
  private mutating func readTaking(_ block: LineScanner.Block, _ sink: ActionSink) -> RecordBatch? {
    read(block, { (cursor, line) throws(LineFault) in try cursor.check(line, sink) }, { sink.removeLast() })
  }

  @inline(never)
  private mutating func readChecking(_ block: LineScanner.Block) -> RecordBatch? {
    read(block, { (cursor, line) throws(LineFault) in try cursor.check(line) }, {})
  }

  /// Reads lines.
  ///
  /// - Parameters:
  ///   - check: Checks a line.
  ///   - forget: Gives up the action that was read with it, which is not wanted.
  @inline(__always)
  private mutating func read(
    _ block: LineScanner.Block,
    _ check: (inout RecordCursor, UnsafeRawBufferPointer) throws(LineFault) -> ParsedLine, _ forget: () -> Void
  ) -> RecordBatch? {
    var entries: [RecordEntry] = []
    swap(&entries, &spareEntries)
    entries.removeAll(keepingCapacity: true)
    // Lines of the usual length; longer ones take less.
    entries.reserveCapacity(block.range.count / RecordCursor.usualLineBytes)
    var first: Int?
    var start = block.range.lowerBound
    block.bytes.withUnsafeBytes { bytes in
      while let end = ByteSearch.first(UInt8(ascii: "\n"), in: bytes, from: start), end < block.range.upperBound {
        let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        do throws(LineFault) {
          let parsed = try check(&self, line)
          lineCount = lineCount.map { count in count &+ 1 }
          if isWanted(parsed) {
            if entries.isEmpty { first = lineCount }
            entries.append(RecordEntry(parsed, line: start..<end, schema: chain.schema))
          } else if parsed.isActionRead {
            forget()
          }
        } catch {
          isDoubtful = true
          break
        }
        start = end &+ 1
      }
    }
    goodBytes = block.byteOffset + start
    if isDoubtful { rescan() }
    if entries.isEmpty {
      (spareBytes, spareEntries) = (block.bytes, entries)
      return nil
    }
    return RecordBatch(
      bytes: block.bytes, entries: entries, path: file.path, byteOffset: block.byteOffset, firstLine: first)
  }

  @inline(__always)
  private mutating func check(_ line: UnsafeRawBufferPointer) throws(LineFault) -> ParsedLine {
    let parsed = try parser.parse(line)
    try chain.accept(parsed, line)
    return parsed
  }

  /// Checks a line and reads its action if that is wanted.
  @inline(__always)
  private mutating func check(_ line: UnsafeRawBufferPointer, _ sink: ActionSink) throws(LineFault) -> ParsedLine {
    let parsed = try parser.parse(line, schema: chain.schema, into: sink)
    do throws(LineFault) {
      try chain.accept(parsed, line)
    } catch {
      if parsed.isActionRead { sink.removeLast() }
      throw error
    }
    if !parsed.isActionRead, sink.wants(parsed) { sink.miss() }
    return parsed
  }

  private func batch(of parsed: ParsedLine) -> RecordBatch {
    let bytes = Array(scanner.buffer[lastLine.range])
    return RecordBatch(
      bytes: bytes, entries: [RecordEntry(parsed, line: 0..<bytes.count, schema: chain.schema)], path: file.path,
      byteOffset: lastLine.byteOffset, firstLine: lineCount)
  }
}

// MARK: - Ends

extension RecordCursor {
  /// Goes back to the end of the last good line and reads anew what follows it.
  private mutating func rescan() {
    replaceScanner(LineScanner(file, from: goodBytes, chunkBytes: chunkBytes))
  }

  private mutating func replaceScanner(_ next: LineScanner) {
    bytesReadBefore += scanner.bytesRead
    largestBufferBefore = largestBufferBytes
    scanner = next
  }

  private mutating func enterNextSegment() throws(LogError) -> Bool {
    let next = segmentIndex + 1
    guard next < listing.segments.count else { return false }
    let segment = listing.segments[next]
    let nextFile: SourceFile
    do throws(LogError) { nextFile = try SourceFile(segment.path, reader.fileSystem) } catch {
      let error = explained(error)
      if error.code == .damaged { ending = .damaged(error) }
      throw error
    }
    file.close()
    file = nextFile
    segmentIndex = next
    replaceScanner(LineScanner(nextFile, from: 0, chunkBytes: chunkBytes, firstChunkBytes: chunkBytes))
    chain.enterSegment(
      ChainState.Expectation(first: segment.first, log: reader.header.log, model: reader.header.model))
    lineCount = 0
    goodBytes = 0
    return true
  }

  /// An error of opening or reading a segment, with what was read before.
  func explained(_ error: LogError) -> LogError {
    error.behind(chain.link?.seq ?? listing.segments[segmentIndex].first - 1, firstRead: firstRead)
  }

  /// Decides how the log ends here.
  private mutating func finish(_ fault: LineFault?) throws(LogError) {
    let end = ReadingEnd(
      file: file, segment: listing.segments[segmentIndex].first, goodBytes: goodBytes, lineCount: lineCount,
      chain: chain, head: listing.head, hasNewerSegment: segmentIndex < listing.segments.count - 1,
      firstRead: firstRead)
    let ending = try end.judge(fault)
    self.ending = ending
    if case .damaged(let error) = ending { throw error }
  }
}
