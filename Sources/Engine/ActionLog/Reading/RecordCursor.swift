/// A position in a log. It reads the records in order, one at a time or in batches.
///
/// ```swift
/// var records = try reader.records()
/// while let record = try records.next() { … }
/// ```
///
/// Every line is checked by itself and against the previous one. If lines remain after the last valid one, the recovery rule of the
/// format decides whether the log has a torn tail or is damaged. The cursor uses the memory of one chunk or of the longest line,
/// whichever is larger, and of the batches that the caller keeps.
public struct RecordCursor: Sendable {
  /// The way the log ends; `nil` until the end is reached.
  public private(set) var ending: LogEnding?

  private let reader: LogReader
  private let listing: LogReader.Listing
  private let chunkBytes: Int
  /// The first action to return. Records before it are skipped.
  private var target: Int?

  private var segmentIndex: Int
  private var file: SourceFile
  private var scanner: LineScanner
  private var chain: ChainState
  private var parser = LineParser()
  /// The number of lines read in the segment; `nil` if reading began in the middle of it.
  private var lineCount: Int?
  /// The offset after the last valid line in the file.
  private var goodBytes: Int
  private var bytesReadBefore: Int
  private var largestBufferBefore = 0
  /// The first action that is read: in the middle of a segment, the requested one.
  private let firstRead: Int?

  /// The range of the last line in the buffer of the scanner, and its offset in the file.
  private var lastLine: (range: Range<Int>, byteOffset: Int) = (0..<0, 0)
  /// Whether the next line must be read alone, because it was invalid in a batch.
  private var mustRecheckLine = false
  /// Past damage, whether the schema of the segment's actions is known: no line up to the first action is invalid.
  private var isSchemaKnown = true
  /// Memory of recycled batches.
  private var spareBytes: [UInt8] = []
  private var spareEntries: [RecordEntry] = []

  /// The minimum length of all but the shortest actions.
  private static let usualLineBytes = 192

  package init(
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
    chain.checksUnits = isInLastSegment
  }

  private var isInLastSegment: Bool { segmentIndex == listing.segments.count - 1 }

  package var bytesRead: Int { bytesReadBefore + scanner.bytesRead }

  package var largestBufferBytes: Int { max(largestBufferBefore, scanner.largestBufferBytes) }

  /// The schema in force at the last record.
  public var schema: Int { chain.schema }

  /// The last line that was read.
  package var lastLink: ChainState.Link? { chain.link }

  var lastFile: SourceFile { file }

  /// The position at which reading stopped: the first byte after the last valid line.
  package var stop: (segmentIndex: Int, byteOffset: Int) { (segmentIndex, goodBytes) }

  /// Whether everything up to a byte of a segment was returned.
  package func isPast(_ index: Int, _ byteOffset: Int) -> Bool {
    segmentIndex > index || (segmentIndex == index && goodBytes >= byteOffset)
  }
}

// MARK: - Line by line

extension RecordCursor {
  /// Returns the next record, including control records.
  ///
  /// - Returns: `nil` at the end of the log, including a torn tail; ``ending`` tells them apart.
  /// - Throws: ``LogError``. Damage has the code `damaged`. It is thrown after all valid records before it, and again by every
  ///   later call.
  /// - Complexity: O(length of the line).
  public mutating func next() throws(LogError) -> LogRecord? {
    do throws(LogError) { return try readRecord() } catch { throw explained(error) }
  }

  /// Returns the next record that a screen does not exclude.
  package mutating func next(unless screen: LineScreen) throws(LogError) -> LogRecord? {
    screen.beginChunk()
    do throws(LogError) { return try readRecord(unless: screen) } catch { throw explained(error) }
  }

  package mutating func nextLine(unless screen: LineScreen? = nil) throws(LogError) -> ParsedLine? {
    if let ending {
      if case .damaged(let error) = ending { throw error }
      return nil
    }
    var isRetry = false
    while true {
      guard let found = try scanner.next() else {
        if try enterNextSegment() { continue }
        try finish(nil)
        return nil
      }
      do throws(LineFault) {
        let parsed = try check(found, screen)
        goodBytes = found.byteOffset + found.sizeBytes
        lineCount = lineCount.map { count in count + 1 }
        lastLine = (found.range, found.byteOffset)
        return parsed
      } catch {
        // A writer may have truncated a rejected batch and written the next one in the meantime, so the line is read
        // again once.
        guard !isRetry, isInLastSegment else {
          try finish(error)
          return nil
        }
        isRetry = true
        rescan()
      }
    }
  }

  private mutating func check(_ line: LineScanner.Line, _ screen: LineScreen?) throws(LineFault) -> ParsedLine {
    do throws(LineFault) { return try checkOnce(line, screen) } catch {
      guard findsUnit(after: error, at: line.byteOffset) else { throw error }
      return try checkOnce(line, screen)
    }
  }

  private mutating func checkOnce(_ line: LineScanner.Line, _ screen: LineScreen?) throws(LineFault) -> ParsedLine {
    try scanner.withBytes(of: line) { (bytes) throws(LineFault) in
      let parsed = try parser.parse(line, bytes, unless: screen)
      try chain.accept(parsed, bytes)
      return parsed
    }
  }

  /// Whether a line was not accepted because it begins a unit, and all of the unit is there. The line is then accepted.
  private mutating func findsUnit(after fault: LineFault, at byteOffset: Int) -> Bool {
    guard fault == .unfinishedUnit else { return false }
    if listing.head?.confirms(byteOffset, of: listing.segments[segmentIndex].first) == true {
      chain.isUnitComplete = true
    } else {
      do throws(LogError) { chain.isUnitComplete = try UnitLines(file, at: byteOffset).isComplete } catch {
        // The end of the log is determined from the same bytes, and reports why they cannot be read.
      }
    }
    return chain.isUnitComplete
  }

  /// Calls a closure with the bytes of the line that `nextLine` returned last, without its line feed.
  package func withLastLine<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try scanner.buffer.withUnsafeBufferPointer { (bytes) throws(Failure) in
      try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[lastLine.range]))
    }
  }

  /// Returns the next record. Errors do not report the intact actions yet; see ``explained(_:)``.
  package mutating func readRecord(unless screen: LineScreen? = nil) throws(LogError) -> LogRecord? {
    while let parsed = try nextLine(unless: screen) {
      guard isWanted(parsed), !parsed.isExcluded else { continue }
      let place = LogPlace(path: file.path, byteOffset: lastLine.byteOffset, line: lineCount)
      return LogRecord(parsed, line: scanner.buffer[lastLine.range], schema: chain.schema, place: place)
    }
    return nil
  }

  /// Whether to return a record: all of them, after the target was reached.
  @inline(__always)
  private mutating func isWanted(_ parsed: ParsedLine) -> Bool {
    guard let target else { return true }
    if parsed.isControl || parsed.revision < target { return false }
    self.target = nil
    return true
  }
}

// MARK: - Past damage

extension RecordCursor {
  /// Returns the next valid record after the damage that ``next()`` reported, and whether it is known to follow the previous one;
  /// `nil` at the end of the log.
  ///
  /// After an invalid line before the first action of a segment, the rest of the segment is skipped, because its schema is unknown.
  mutating func nextPastDamage() throws(LogError) -> (record: LogRecord, follows: Bool)? {
    var isSkipped = ending != nil && !readDamagedLineAgain()
    while true {
      if !isSkipped, let line = try scanner.next() {
        if let found = recordPastDamage(line) { return found }
        isSkipped = !isSchemaKnown
      } else {
        guard try enterNextSegment() else { return nil }
        (isSchemaKnown, isSkipped) = (false, false)
      }
    }
  }

  /// Returns to the damaged line, which can be a valid one that does not follow the one before it.
  ///
  /// - Returns: Whether what follows it in the segment can be read.
  private mutating func readDamagedLineAgain() -> Bool {
    ending = nil
    rescan()
    guard goodBytes > 0 else {
      chain = reader.chain(before: listing.segments[segmentIndex], after: nil)
      isSchemaKnown = false
      return true
    }
    chain.resume(after: nil)
    isSchemaKnown = chain.holdsAction
    return isSchemaKnown
  }

  private mutating func recordPastDamage(_ line: LineScanner.Line) -> (record: LogRecord, follows: Bool)? {
    let bytes = scanner.bytes(of: line)
    var follows = chain.link != nil
    do throws(LineFault) {
      let parsed = try SegmentScan.parse(line, bytes)
      do throws(LineFault) { try chain.accept(parsed, bytes) } catch {
        if error != .unfinishedUnit {
          follows = false
          // The first line of a segment must still be a header.
          if chain.isBeforeSegment {
            chain = reader.chain(before: listing.segments[segmentIndex], after: nil)
          } else {
            chain.resume(after: nil)
          }
        } else if !findsUnit(after: error, at: line.byteOffset) {
          throw error
        }
        try chain.accept(parsed, bytes)
      }
      if !parsed.isControl { isSchemaKnown = true }
      let place = LogPlace(path: file.path, byteOffset: line.byteOffset)
      return (LogRecord(parsed, line: bytes, schema: chain.schema, place: place), follows)
    } catch {
      chain.resume(after: nil)
      switch error {
      // An unfinished unit is the end of the log.
      case .wrongSchema, .unfinishedUnit: isSchemaKnown = false
      default: break
      }
      return nil
    }
  }
}

// MARK: - In batches

extension RecordCursor {
  /// Returns the next records, including control records, in a batch of complete lines.
  ///
  /// - Returns: At least one record; `nil` at the end of the log, including a torn tail.
  package mutating func nextBatch() throws(LogError) -> RecordBatch? { try nextBatch(nil) }

  /// Returns the next records without the actions that a screen excludes: for each chunk a batch, which can be empty.
  package mutating func nextBatch(unless screen: LineScreen) throws(LogError) -> RecordBatch? {
    do throws(LogError) { return try readBatch(unless: screen) } catch { throw explained(error) }
  }

  /// Returns the next records, and adds their actions to a sink, which is empty before.
  mutating func nextBatch(_ sink: ActionSink?) throws(LogError) -> RecordBatch? {
    do throws(LogError) { return try readBatch(sink) } catch { throw explained(error) }
  }

  /// Returns the next records. Errors do not report the intact actions yet; see ``explained(_:)``.
  mutating func readBatch(
    _ sink: ActionSink? = nil, unless screen: LineScreen? = nil
  ) throws(LogError) -> RecordBatch? {
    while true {
      if ending == nil, !mustRecheckLine {
        if let block = try scanner.takeBlock(spare: &spareBytes) {
          if let batch = read(block, sink, screen) { return batch }
          continue
        }
        if scanner.isDrained, try enterNextSegment() { continue }
      }
      // The end of the log, damage, or a line that has just been completed.
      guard let parsed = try nextLine() else { return nil }
      mustRecheckLine = false
      guard isWanted(parsed) else { continue }
      if let sink, sink.accepts(parsed) { sink.countMissed() }
      return batch(of: parsed)
    }
  }

  /// Reuses the memory of a batch that is no longer needed.
  package mutating func recycle(_ batch: consuming RecordBatch) {
    (spareBytes, spareEntries) = batch.memory()
  }

  /// Reads lines up to the first invalid one, which the next call reads alone.
  private mutating func read(
    _ block: LineScanner.Block, _ sink: ActionSink?, _ screen: LineScreen?
  ) -> RecordBatch? {
    if let screen { return readScreening(block, screen) }
    return if let sink { readTaking(block, sink) } else { readChecking(block) }
  }

  // Three loops, so that none tests the sink or the screen for each line; and three functions, because in a larger one
  // the compiler stops inlining halfway.

  @inline(never)
  private mutating func readScreening(_ block: LineScanner.Block, _ screen: LineScreen) -> RecordBatch? {
    screen.beginChunk()
    return read(
      block, isScreened: true,
      { (cursor, line) throws(LineFault) in
        let parsed = try cursor.parser.parse(line, unless: screen)
        try cursor.chain.accept(parsed, line)
        return parsed
      }, {})
  }

  @inline(never)
  private mutating func readTaking(_ block: LineScanner.Block, _ sink: ActionSink) -> RecordBatch? {
    read(block, { (cursor, line) throws(LineFault) in try cursor.check(line, sink) }, { sink.removeLast() })
  }

  @inline(never)
  private mutating func readChecking(_ block: LineScanner.Block) -> RecordBatch? {
    read(block, { (cursor, line) throws(LineFault) in try cursor.check(line) }, {})
  }

  @inline(__always)
  private mutating func read(
    _ block: LineScanner.Block, isScreened: Bool = false,
    _ check: (inout RecordCursor, UnsafeRawBufferPointer) throws(LineFault) -> ParsedLine, _ forget: () -> Void
  ) -> RecordBatch? {
    var entries: [RecordEntry] = []
    swap(&entries, &spareEntries)
    entries.removeAll(keepingCapacity: true)
    // Sized for lines of the usual length. Longer lines need less.
    if !isScreened { entries.reserveCapacity(block.range.count / RecordCursor.usualLineBytes) }
    var first: Int?
    var start = block.range.lowerBound
    block.bytes.withUnsafeBytes { bytes in
      while let end = ByteSearch.first(UInt8(ascii: "\n"), in: bytes, from: start), end < block.range.upperBound {
        let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        do throws(LineFault) {
          let parsed = try check(&self, line)
          lineCount = lineCount.map { count in count &+ 1 }
          if isWanted(parsed) {
            if parsed.isExcluded {
              start = end &+ 1
              continue
            }
            // Screened records do not follow each other.
            if entries.isEmpty, !isScreened { first = lineCount }
            entries.append(RecordEntry(parsed, line: start..<end, schema: chain.schema))
          } else if parsed.isActionRead {
            forget()
          }
        } catch {
          if findsUnit(after: error, at: block.byteOffset + start) { continue }
          mustRecheckLine = true
          break
        }
        start = end &+ 1
      }
    }
    goodBytes = block.byteOffset + start
    if mustRecheckLine { rescan() }
    if entries.isEmpty, !isScreened {
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

  /// Checks a line and decodes its action if it is requested.
  @inline(__always)
  private mutating func check(_ line: UnsafeRawBufferPointer, _ sink: ActionSink) throws(LineFault) -> ParsedLine {
    let parsed = try parser.parse(line, schema: chain.schema, into: sink)
    do throws(LineFault) {
      try chain.accept(parsed, line)
    } catch {
      if parsed.isActionRead { sink.removeLast() }
      throw error
    }
    if !parsed.isActionRead, sink.accepts(parsed) { sink.countMissed() }
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
  /// Returns to the end of the last valid line and reads again what follows it.
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
      // The log may have been pruned since it was listed.
      if error.code == .notFound, let base = try reader.listing().base, base.first > segment.first {
        throw reader.pruned(segment.first)
      }
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
    chain.checksUnits = isInLastSegment
    lineCount = 0
    goodBytes = 0
    return true
  }

  /// Adds the range of intact actions to an error of opening or reading a segment.
  func explained(_ error: LogError) -> LogError {
    error.positioned(after: chain.link?.revision ?? listing.segments[segmentIndex].first - 1, firstRead: firstRead)
  }

  /// Determines how the log ends at this position.
  private mutating func finish(_ fault: LineFault?) throws(LogError) {
    let end = ReadingEnd(
      file: file, segment: listing.segments[segmentIndex].first, goodBytes: goodBytes, lineCount: lineCount,
      chain: chain, head: listing.head, hasNewerSegment: segmentIndex < listing.segments.count - 1,
      firstRead: firstRead)
    let ending = try end.ending(after: fault)
    self.ending = ending
    if case .damaged(let error) = ending { throw error }
  }
}
