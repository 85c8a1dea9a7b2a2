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
/// follower then says so once, with the code `rejected`, and goes on after what was durable. What is durable no writer takes back:
/// that it is missing is damage.
public struct LogFollower {
  /// The highest revision that is known to be durable: by a line that was read and says so, or by `HEAD`, once the line has been
  /// read that it speaks of.
  public private(set) var durableSeq = 0

  private let reader: LogReader
  /// The first action that was asked for.
  private let first: Int
  private var target: Int?
  private var segment: LogFolder.Segment
  private var file: SourceFile
  private var chain: ChainState
  private var parser = LineParser()
  /// The first action that is read with all that follow it.
  private let firstRead: Int
  /// The end of the last line that was taken.
  private var goodBytes: Int
  /// The checksum of the last line that was taken, if that was in this segment.
  private var lastCRC: UInt32?
  /// The last action that was taken, and the last that was returned when it was known to be durable.
  private var lastAction: (seq: Int, crc: UInt32)?
  /// What `HEAD` said before the lines were read.
  private var head: LogHead?
  private var settledAction: (seq: Int, crc: UInt32)?

  /// How many records one call returns at most, so that catching up with a long log takes bounded memory.
  public static let defaultMaximumCount = 10_000

  init(_ reader: LogReader, from seq: Int) throws(LogError) {
    self.reader = reader
    first = seq
    let listing = try reader.listing()
    let start = try seq <= 0 ? reader.start(ofSegment: 0, listing) : reader.start(near: seq, listing)
    target = seq <= 0 ? nil : seq
    segment = listing.segments[start.segmentIndex]
    file = start.file
    chain = start.chain
    goodBytes = start.byteOffset
    firstRead = start.byteOffset == 0 ? segment.first : seq
    head = listing.head
  }

  /// Whether a record is known to be durable. Control records are when the action before them is.
  public func isDurable(_ record: LogRecord) -> Bool { record.seq <= durableSeq }

  /// The records that were added since the last call.
  ///
  /// - Parameter maximumCount: How many at most; more come with the next call.
  /// - Returns: Nothing when there is nothing new.
  /// - Throws: ``LogError`` with code `rejected` when records that were returned were taken back by the writer: those
  ///   from its `seq` on; with code `damaged` when a line does not check or actions that were durable are missing, at every call
  ///   that has nothing before it to return.
  /// - Complexity: O(bytes added); when something is missing O(length of the last segment + number of segments).
  public mutating func poll(
    maximumCount: Int = LogFollower.defaultMaximumCount
  ) throws(LogError) -> [LogRecord] {
    var records: [LogRecord] = []
    // Listed first: what a newer segment follows is complete, and read to its end below.
    let listing = try reader.listing()
    try confirm(listing.head)
    while records.count < maximumCount {
      do throws(LogError) {
        if try readSegment(into: &records, maximumCount) == .isFull { break }
        guard let next = listing.segments.first(where: { other in other.first > segment.first }) else {
          try checkEnd(listing.head)
          break
        }
        try enter(next)
      } catch {
        // What stands before it is handed on first; the next call meets it again.
        guard error.code != .rejected, !records.isEmpty else { throw error }
        break
      }
    }
    if let lastAction, lastAction.seq <= durableSeq { settledAction = lastAction }
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
    lastCRC = parsed.crc
    if !parsed.isControl { lastAction = (parsed.seq, parsed.crc) }
    durableSeq = max(durableSeq, parsed.synced)
    believeHead(parsed.seq)
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
    lastCRC = nil
  }
}

// MARK: - What was taken back

extension LogFollower {
  /// Takes over what `HEAD` says durable, if the lines that were taken are still there: it may speak of others, which the writer
  /// has put in their place.
  private mutating func confirm(_ head: LogHead?) throws(LogError) {
    // What is durable is not taken back, and need not be looked at.
    if let link = chain.link, link.seq > durableSeq, try !isLastLineThere() { throw try rewind() }
    self.head = head
    if let link = chain.link { believeHead(link.seq) }
  }

  /// Takes over what `HEAD` says, if that is the line that was taken last: it has no checksum of its own, and is evidence only.
  private mutating func believeHead(_ seq: Int) {
    guard let head, head.segment == segment.first, head.bytes == goodBytes, head.crc == lastCRC, head.seq == seq else {
      return
    }
    durableSeq = max(durableSeq, seq)
  }

  /// Whether the last line that was taken is still what it was; those before it are then, too, whose checksums are in its own.
  private func isLastLineThere() throws(LogError) -> Bool {
    guard let lastCRC else { return true }
    let mark = CommitMark.bytes(of: lastCRC)
    return try file.bytes(at: goodBytes - mark.count, count: mark.count) == mark
  }

  /// The error for a line that does not follow: damage, unless the line before it has changed too.
  private mutating func judge(_ fault: LineFault) throws(LogError) -> LogError {
    guard try isLastLineThere() else { return try rewind() }
    let number = try LineScanner.lineNumber(at: goodBytes, in: file)
    return LogError.fault(
      fault, path: file.path, line: number, byteOffset: goodBytes, lastSeq: chain.link?.seq ?? segment.first - 1,
      firstRead: firstRead)
  }

  /// Goes back to what is durable and was returned.
  ///
  /// - Returns: The error that says so, or that something durable is missing; the follower then stays where it is.
  private mutating func rewind() throws(LogError) -> LogError {
    let path = file.path
    if let loss = try loss() { return loss }
    let durable = durableSeq
    let seq = max((settledAction?.seq ?? 0) + 1, first)
    let settled = settledAction
    self = try LogFollower(reader, from: seq)
    durableSeq = max(durableSeq, durable)
    settledAction = settled
    return LogError(
      .rejected, "the writer discarded what it had written after action \(seq - 1)", path: path, seq: seq,
      advice: "None of it was acknowledged. Following continues with what is written instead.")
  }

  /// The error for actions that were durable and are missing; `nil` when all are there.
  private func loss() throws(LogError) -> LogError? {
    let extent = try reader.extent()
    if extent.lastSeq < durableSeq {
      return cutOff(after: extent.lastSeq, firstRead: extent.firstRead, durable: durableSeq)
    }
    guard let settledAction, try reader.record(at: settledAction.seq).crc != settledAction.crc else { return nil }
    return LogError(
      .damaged, "the log was written anew: action \(settledAction.seq), which was durable, is another one now",
      path: file.path, seq: settledAction.seq,
      advice: "No writer discards durable actions. Run 'action-log verify' for the full report.")
  }

  /// Notices a log that ends before what `HEAD` says durable, which was read before the lines.
  private func checkEnd(_ head: LogHead?) throws(LogError) {
    guard let head, head.segment == segment.first, try file.size() < head.bytes else { return }
    throw cutOff(after: chain.link?.seq ?? segment.first - 1, firstRead: firstRead, durable: head.seq)
  }

  private func cutOff(after lastSeq: Int, firstRead: Int, durable: Int) -> LogError {
    LogError(
      .damaged, "the log was truncated: it ends after action \(lastSeq), and action \(durable) was durable",
      path: file.path, byteOffset: goodBytes, seq: min(lastSeq, LogFormat.seqLimit - 1) + 1,
      advice: "No writer discards durable actions. " + LogError.intact(from: firstRead, through: lastSeq)
        + " Run 'action-log verify' for the full report.")
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
