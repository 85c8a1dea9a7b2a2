/// Goes through the records of a log in order.
///
/// ```swift
/// var records = try reader.records()
/// while let record = try records.next() { … }
/// ```
///
/// Memory is that of one chunk and of the longest line.
public struct LogRecordIterator {
  /// How the log ends; `nil` while there may be more.
  public private(set) var ending: LogEnding?

  private let reader: LogReader
  private let listing: LogReader.Listing
  private let chunkBytes: Int
  /// Records before this action are not returned.
  private var target: Int?

  private var segmentIndex: Int
  private var file: SourceFile
  private var scanner: LineScanner
  private var chain: ChainState
  /// The number of the line that was read last; `nil` when reading began in the middle of the file.
  private var line: Int?
  /// The end of the last good line in the file.
  private var goodBytes: Int
  private var bytesReadBefore: Int

  init(
    _ reader: LogReader, _ listing: LogReader.Listing, from start: ReadingStart, target: Int?, chunkBytes: Int
  ) throws(LogError) {
    self.reader = reader
    self.listing = listing
    self.target = target
    self.chunkBytes = chunkBytes
    segmentIndex = start.segmentIndex
    file = start.file
    scanner = LineScanner(start.file, from: start.byteOffset, chunkBytes: chunkBytes)
    chain = start.chain
    line = start.byteOffset == 0 ? 0 : nil
    goodBytes = start.byteOffset
    bytesReadBefore = start.bytesRead
  }

  /// How many bytes were read from files, those of finding the first record included.
  public var bytesRead: Int { bytesReadBefore + scanner.bytesRead }

  /// The schema in force at the record that was returned last.
  public var schema: Int { chain.schema }

  /// The next record, control records included.
  ///
  /// - Returns: `nil` at the end of the log, also when that is a torn tail; ``ending`` then says which.
  /// - Throws: ``LogError`` with code `damaged` at a line that does not check and that no crash explains, after all good
  ///   records before it; then again at every call.
  /// - Complexity: O(length of the line).
  public mutating func next() throws(LogError) -> LogRecord? {
    while true {
      guard let (parsed, place) = try nextLine() else { return nil }
      if let target {
        if parsed.isControl || parsed.seq < target { continue }
        self.target = nil
      }
      return LogRecord(parsed, line: currentBytes, schema: chain.schema, place: place)
    }
  }

  /// The bytes of the line that was read last.
  private var currentRange = 0..<0
  private var currentBytes: ArraySlice<UInt8> { scanner.buffer[currentRange] }
}

extension LogRecordIterator {
  /// Goes to the next line, without making a record of it.
  private mutating func nextLine() throws(LogError) -> (ParsedLine, LogPlace)? {
    if let ending {
      if case .damaged(let error) = ending { throw error }
      return nil
    }
    var isSecondLook = false
    while true {
      guard let found = try scanner.next() else {
        if try enterNextSegment() { continue }
        return try finish(nil)
      }
      do throws(LineFault) {
        let bytes = scanner.bytes(of: found)
        let parsed = try SegmentScan.parse(found, bytes)
        try chain.accept(parsed, bytes)
        goodBytes = found.byteOffset + found.sizeBytes
        line = line.map { line in line + 1 }
        currentRange = found.range
        return (parsed, LogPlace(path: file.path, byteOffset: found.byteOffset, line: line))
      } catch {
        // A live writer may have been cutting off a rejected batch and writing the next one while we read.
        guard !isSecondLook, segmentIndex == listing.segments.count - 1 else { return try finish(error) }
        isSecondLook = true
        bytesReadBefore += scanner.bytesRead
        scanner = LineScanner(file, from: goodBytes, chunkBytes: chunkBytes)
      }
    }
  }

  private mutating func enterNextSegment() throws(LogError) -> Bool {
    let next = segmentIndex + 1
    guard next < listing.segments.count else { return false }
    let segment = listing.segments[next]
    let nextFile = try SourceFile(segment.path, reader.fileSystem)
    file.close()
    file = nextFile
    segmentIndex = next
    bytesReadBefore += scanner.bytesRead
    scanner = LineScanner(nextFile, from: 0, chunkBytes: chunkBytes)
    chain.enterSegment(
      ChainState.Expectation(first: segment.first, log: reader.header.log, model: reader.header.model))
    line = 0
    goodBytes = 0
    return true
  }

  /// Decides how the log ends here.
  private mutating func finish(_ fault: LineFault?) throws(LogError) -> (ParsedLine, LogPlace)? {
    let segment = listing.segments[segmentIndex]
    var evidence = TailEvidence(
      segment: segment.first, sizeBytes: goodBytes, goodBytes: goodBytes, lastSeq: chain.link?.seq ?? segment.first - 1)
    evidence.head = listing.head
    evidence.hasHeader = chain.header != nil
    evidence.hasNewerSegment = segmentIndex < listing.segments.count - 1
    if let fault {
      // At least one byte is bad, even if the file was cut since.
      evidence.sizeBytes = max(try file.size(), goodBytes + 1)
      try evidence.look(beyond: fault, in: file)
    }
    switch evidence.verdict() {
    case .clean:
      ending = chain.isClosed ? .closed : .clean
    case .torn:
      let place = LogPlace(path: file.path, byteOffset: goodBytes, line: line.map { line in line + 1 })
      ending = .torn(bytes: evidence.sizeBytes - goodBytes, place: place)
    case .damaged(let reason):
      let error = try damage(reason, fault, evidence.lastSeq)
      ending = .damaged(error)
      throw error
    }
    return nil
  }

  private func damage(_ reason: DamageReason, _ fault: LineFault?, _ lastSeq: Int) throws(LogError) -> LogError {
    let number = if let line { line + 1 } else { try LineScanner.lineNumber(at: goodBytes, in: file) }
    return LogError.damage(reason, fault, path: file.path, line: number, byteOffset: goodBytes, lastSeq: lastSeq)
  }
}

extension LogRecordIterator {
  /// The members of the next line, for those who need no more.
  mutating func nextParsed() throws(LogError) -> ParsedLine? {
    try nextLine()?.0
  }

  /// Whether everything up to a byte of a segment was returned.
  func isPast(_ index: Int, _ byteOffset: Int) -> Bool {
    segmentIndex > index || (segmentIndex == index && goodBytes >= byteOffset)
  }

  /// Where reading stopped: the first byte that is not part of a good line.
  var stop: (segmentIndex: Int, byteOffset: Int) { (segmentIndex, goodBytes) }

  /// What is left of the log, without its contents.
  struct Summary {
    var lastSeq: Int?
    var lastAction: LogExtent.LastAction?
  }

  /// Reads to the end, which is then in ``ending``, damage included.
  ///
  /// - Throws: ``LogError`` when the files cannot be read.
  mutating func summarise() throws(LogError) -> Summary {
    var summary = Summary()
    do throws(LogError) {
      while let (parsed, _) = try nextLine() {
        summary.lastSeq = parsed.seq
        if !parsed.isControl {
          summary.lastAction = LogExtent.LastAction(seq: parsed.seq, time: parsed.time, crc: parsed.crc)
        }
      }
    } catch {
      guard ending?.damage != nil else { throw error }
    }
    return summary
  }
}
