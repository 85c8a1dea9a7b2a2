/// Follows a log while it is written: whole lines as they come, across segments.
///
/// ```swift
/// var follower = try reader.follower(from: 1)
/// while isInterested {
///   for record in try follower.poll() { show(record, isDurable: follower.isDurable(record)) }
///   try await Task.sleep(for: .milliseconds(100))
/// }
/// ```
///
/// What is not durable yet may be taken back: when a batch could not be written whole, its writer cuts it off again. The
/// follower then says so once, with the code `rejected`, and goes on after what was durable.
public struct LogFollower {
  /// The highest revision that is known to be durable.
  public private(set) var durableSeq = 0

  private let reader: LogReader
  private var target: Int?
  private var segment: LogFolder.Segment
  private var file: SourceFile
  private var chain: ChainState
  private var parser = LineParser()
  /// The first action that is read with all that follow it.
  private let firstRead: Int
  /// The end of the last line that was taken, and its beginning and checksum.
  private var goodBytes: Int
  private var lastLine: (start: Int, link: ChainState.Link)?

  /// How many records one call returns at most, so that catching up with a long log takes bounded memory.
  public static let defaultMaximumCount = 10_000

  init(_ reader: LogReader, from seq: Int) throws(LogError) {
    self.reader = reader
    let listing = try reader.listing()
    let start = try seq <= 0 ? reader.start(ofSegment: 0, listing) : reader.start(near: seq, listing)
    target = seq <= 0 ? nil : seq
    segment = listing.segments[start.segmentIndex]
    file = start.file
    chain = start.chain
    goodBytes = start.byteOffset
    firstRead = start.byteOffset == 0 ? segment.first : seq
    durableSeq = listing.head?.seq ?? 0
  }

  /// Whether a record is known to be durable. Control records are when the action before them is.
  public func isDurable(_ record: LogRecord) -> Bool { record.seq <= durableSeq }

  /// The records that were added since the last call.
  ///
  /// - Parameter maximumCount: How many at most; more come with the next call.
  /// - Returns: Nothing when there is nothing new.
  /// - Throws: ``LogError`` with code `rejected` when records that were returned were taken back by the writer: those
  ///   after ``durableSeq``; with code `damaged` when a line does not check, at every call that has nothing before it to return.
  /// - Complexity: O(bytes added).
  public mutating func poll(
    maximumCount: Int = LogFollower.defaultMaximumCount
  ) throws(LogError) -> [LogRecord] {
    var records: [LogRecord] = []
    // Listed first: what a newer segment follows is complete, and read to its end below.
    let listing = try reader.listing()
    durableSeq = max(durableSeq, listing.head?.seq ?? 0)
    while records.count < maximumCount {
      do throws(LogError) {
        if try readSegment(into: &records, maximumCount) == .isFull { break }
        guard let next = listing.segments.first(where: { other in other.first > segment.first }) else { break }
        try enter(next)
      } catch {
        // What stands before it is handed on first; the next call meets it again.
        guard error.code != .rejected, !records.isEmpty else { throw error }
        break
      }
    }
    return records
  }

  private enum Progress {
    case isAtEnd, isFull
  }

  private mutating func readSegment(
    into records: inout [LogRecord], _ maximumCount: Int
  ) throws(LogError) -> Progress {
    guard try file.size() >= goodBytes else { throw try rewind() }
    var scanner = LineScanner(file, from: goodBytes)
    while let line = try scanner.next() {
      // It is being written.
      guard line.isTerminated else { break }
      do throws(LineFault) {
        let parsed = try scanner.withBytes(of: line) { (bytes) throws(LineFault) in
          let parsed = try parser.parse(line, bytes)
          try chain.accept(parsed, bytes)
          return parsed
        }
        take(parsed, scanner.bytes(of: line), line, into: &records)
      } catch {
        throw try judge(error)
      }
      if records.count >= maximumCount { return .isFull }
    }
    return .isAtEnd
  }

  private mutating func take(
    _ parsed: ParsedLine, _ bytes: ArraySlice<UInt8>, _ line: LineScanner.Line, into records: inout [LogRecord]
  ) {
    goodBytes = line.byteOffset + line.sizeBytes
    lastLine = (line.byteOffset, ChainState.Link(seq: parsed.seq, crc: parsed.crc, synced: parsed.synced))
    durableSeq = max(durableSeq, parsed.synced)
    if let target {
      if parsed.isControl || parsed.seq < target { return }
      self.target = nil
    }
    let place = LogPlace(path: file.path, byteOffset: line.byteOffset)
    records.append(LogRecord(parsed, line: bytes, schema: chain.schema, place: place))
  }

  private mutating func enter(_ next: LogFolder.Segment) throws(LogError) {
    let nextFile = try SourceFile(next.path, reader.fileSystem)
    file.close()
    file = nextFile
    segment = next
    chain.enterSegment(
      ChainState.Expectation(first: next.first, log: reader.header.log, model: reader.header.model))
    goodBytes = 0
    lastLine = nil
  }
}

// MARK: - What was taken back

extension LogFollower {
  /// The error for a line that does not follow: damage, unless the line before it has changed too.
  private mutating func judge(_ fault: LineFault) throws(LogError) -> LogError {
    if let lastLine {
      var scanner = LineScanner(file, from: lastLine.start)
      let line = try scanner.next()
      var isSame = false
      if let line, line.isTerminated {
        do throws(LineFault) {
          isSame = try SegmentScan.parse(line, scanner.bytes(of: line)).crc == lastLine.link.crc
        } catch {
          isSame = false
        }
      }
      if !isSame { return try rewind() }
    }
    let number = try LineScanner.lineNumber(at: goodBytes, in: file)
    return LogError.fault(
      fault, path: file.path, line: number, byteOffset: goodBytes, lastSeq: chain.link?.seq ?? segment.first - 1,
      firstRead: firstRead)
  }

  /// Goes back to what is durable.
  ///
  /// - Returns: The error that says so.
  private mutating func rewind() throws(LogError) -> LogError {
    let path = file.path
    let durable = durableSeq
    self = try LogFollower(reader, from: durable + 1)
    durableSeq = max(durableSeq, durable)
    return LogError(
      .rejected, "the writer took back what it had written after action \(durable)", path: path, seq: durable + 1,
      advice: "None of it was acknowledged. Following goes on with what is written instead.")
  }
}

extension LogReader {
  /// Follows the log from an action on.
  ///
  /// - Parameter seq: The first action to return; 0 for every record from the first line on. It need not exist yet.
  /// - Throws: ``LogError`` when the files cannot be opened. What is wrong with their lines is thrown by the follower.
  /// - Complexity: O(log(length of a segment)).
  public func follower(from seq: Int = 0) throws(LogError) -> LogFollower {
    try LogFollower(self, from: seq)
  }
}
