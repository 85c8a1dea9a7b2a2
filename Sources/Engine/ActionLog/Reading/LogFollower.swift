/// Reads a log while it is written: complete lines as they arrive, across segments.
///
/// ```swift
/// var follower = try reader.follower(from: 1)
/// while isInterested {
///   for record in try follower.poll() { show(record, isDurable: follower.isDurable(record)) }
///   try await Task.sleep(for: .milliseconds(100))
/// }
/// ```
///
/// A record that is not durable yet can be rolled back: if a batch cannot be written completely, its writer truncates
/// it. The follower then throws one error with the code `rejected` and continues after the last durable record. No
/// writer rolls back durable records; if one is missing, the log is damaged.
public struct LogFollower: Sendable {
  /// The highest revision that is known to be durable, from the lines that were read, or from `HEAD` after its line was
  /// read.
  public private(set) var durableRevision = 0

  private let reader: LogReader
  private let first: Int
  private var target: Int?
  private var segment: LogFolder.Segment
  private var file: SourceFile
  private var chain: ChainState
  private var parser = LineParser()
  /// The first action of the range that was read completely.
  private let firstRead: Int
  /// The offset after the last accepted line.
  private var goodBytes: Int
  /// The checksum of the last accepted line, if it is in this segment.
  private var lastCRC: UInt32?
  /// The last accepted action.
  private var lastAction: (revision: Int, crc: UInt32)?
  private var head: LogHead?
  private var settledAction: (revision: Int, crc: UInt32)?
  /// A file at the path of the open one that does not continue it.
  private var ignoredReplacement: FileIdentity?

  /// The default maximum number of records per call. It bounds the memory for catching up with a long log.
  public static let defaultMaximumCount = 10_000

  init(_ reader: LogReader, from revision: Int) throws(LogError) {
    self.reader = reader
    first = revision
    let (listing, (start, target)) = try reader.listingWith { (listing) throws(LogError) in
      try reader.start(from: revision, listing)
    }
    self.target = target
    segment = listing.segments[start.segmentIndex]
    file = start.file
    chain = start.chain
    chain.checksUnits = true
    goodBytes = start.byteOffset
    firstRead = start.byteOffset == 0 ? segment.first : revision
    // The actions before a base were durable.
    durableRevision = listing.firstRevision
    head = listing.head
  }

  /// Whether a record is known to be durable. A control record is durable if the action before it is.
  public func isDurable(_ record: LogRecord) -> Bool { record.revision <= durableRevision }

  /// Returns the records that were added since the last call.
  ///
  /// - Parameter maximumCount: The maximum number of records. The next call returns more.
  /// - Returns: An empty array if nothing was added.
  /// - Throws: ``LogError`` with code `rejected` if the writer rolled back records that were returned: those from its
  ///   revision on. With code `damaged` if a line is invalid or durable actions are missing; every call that has no record
  ///   before the damage throws it.
  /// - Complexity: O(bytes added); if something is missing, O(length of the last segment + number of segments).
  public mutating func poll(
    maximumCount: Int = LogFollower.defaultMaximumCount
  ) throws(LogError) -> [LogRecord] {
    var records: [LogRecord] = []
    // A segment with a successor in this listing is complete, so it is read to its end below.
    let listing = try reader.listing()
    try confirm(listing.head)
    var isReplaced = false
    while records.count < maximumCount {
      do throws(LogError) {
        try readSegment(into: &records, maximumCount)
        if records.count >= maximumCount { break }
        if !isReplaced, try continueInReplacement() {
          isReplaced = true
          continue
        }
        guard let next = listing.segments.first(where: { other in other.first > segment.first }) else {
          // The listing may have the HEAD of the segment as it was.
          if !isReplaced { try checkEnd(listing.head) }
          break
        }
        if let last = chain.link?.revision, listing.firstRevision > last { throw reader.pruned(last + 1) }
        try enter(next)
      } catch {
        // The records before the error are returned first. The next call throws it again.
        guard error.code != .rejected, !records.isEmpty else { throw error }
        break
      }
    }
    if let lastAction, lastAction.revision <= durableRevision { settledAction = lastAction }
    return records
  }

  private mutating func readSegment(into records: inout [LogRecord], _ maximumCount: Int) throws(LogError) {
    guard try file.size() >= goodBytes else { throw try rewind() }
    var scanner = LineScanner(file, from: goodBytes)
    while records.count < maximumCount, let line = try scanner.next() {
      // The writer is appending this line, unless it is longer than any.
      guard line.isTerminated || line.isTooLong else { break }
      var fault = accept(line, scanner, into: &records)
      if fault == .unfinishedUnit {
        var unit = try UnitLines(file, at: line.byteOffset)
        // A writer that cannot write a unit removes its lines, and can write others while they are read.
        if unit.isBroken { unit = try UnitLines(file, at: line.byteOffset) }
        // The writer is appending the unit.
        guard unit.isComplete || unit.isBroken else { break }
        chain.isUnitComplete = unit.isComplete
        if unit.isComplete { fault = accept(line, scanner, into: &records) }
      }
      if let fault { throw try lineError(fault) }
    }
  }

  /// Returns why a line is not a record or does not follow; `nil` if it was accepted.
  private mutating func accept(
    _ line: LineScanner.Line, _ scanner: LineScanner, into records: inout [LogRecord]
  ) -> LineFault? {
    do throws(LineFault) {
      let parsed = try scanner.withBytes(of: line) { (bytes) throws(LineFault) in
        let parsed = try parser.parse(line, bytes)
        try chain.accept(parsed, bytes)
        return parsed
      }
      take(parsed, scanner.bytes(of: line), line, into: &records)
      return nil
    } catch {
      return error
    }
  }

  private mutating func take(
    _ parsed: ParsedLine, _ bytes: ArraySlice<UInt8>, _ line: LineScanner.Line, into records: inout [LogRecord]
  ) {
    goodBytes = line.byteOffset + line.sizeBytes
    lastCRC = parsed.crc
    if !parsed.isControl { lastAction = (parsed.revision, parsed.crc) }
    durableRevision = max(durableRevision, parsed.synced)
    applyHead(parsed.revision)
    if let target {
      if parsed.isControl || parsed.revision < target { return }
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

// MARK: - Replaced segments

extension LogFollower {
  /// Continues in the file that a redaction put in place of the open one. Its lines have the same checksums and other lengths, and only
  /// it has what was appended since.
  ///
  /// - Returns: Whether the file was replaced by one that has the last accepted line.
  private mutating func continueInReplacement() throws(LogError) -> Bool {
    let status = try LogError.files("the segment cannot be inspected", at: segment.path) {
      () throws(FileSystemError) in try reader.fileSystem.status(of: segment.path)
    }
    guard let found = status?.identity, found != ignoredReplacement, let held = try file.identity(), found != held
    else { return false }
    let newFile = try SourceFile(segment.path, reader.fileSystem)
    guard let offset = try end(ofLastLineIn: newFile) else {
      newFile.close()
      ignoredReplacement = found
      return false
    }
    file.close()
    file = newFile
    goodBytes = offset
    return true
  }

  /// Returns the offset after the last accepted line in another file; `nil` if the file does not have the line.
  private func end(ofLastLineIn newFile: SourceFile) throws(LogError) -> Int? {
    if goodBytes == 0 { return 0 }
    // Nothing was read in a segment with actions. It was sealed before it was replaced, so the open file is complete.
    guard let lastCRC else { return nil }
    let mark = CommitMark.bytes(of: lastCRC).dropLast()
    var scanner = LineScanner(newFile, from: 0)
    while let line = try scanner.next(), line.isTerminated {
      if scanner.bytes(of: line).suffix(mark.count).elementsEqual(mark) { return line.byteOffset + line.sizeBytes }
    }
    return nil
  }
}

// MARK: - Rollback

extension LogFollower {
  /// Applies `HEAD` if the accepted lines are still in the log. Otherwise it may describe lines that the writer wrote
  /// in their place.
  private mutating func confirm(_ head: LogHead?) throws(LogError) {
    // Durable lines are not rolled back, so they need no check.
    if let link = chain.link, link.revision > durableRevision, try !isLastLineUnchanged() { throw try rewind() }
    self.head = head
    if let link = chain.link { applyHead(link.revision) }
  }

  /// Applies `HEAD` if it describes the last accepted line. That of an older program has no checksum, so it is only a hint.
  private mutating func applyHead(_ revision: Int) {
    guard let head, head.segment == segment.first, head.bytes == goodBytes, head.crc == lastCRC,
      head.revision == revision
    else {
      return
    }
    durableRevision = max(durableRevision, revision)
  }

  /// Whether the last accepted line is unchanged. Its checksum covers the lines before it.
  private func isLastLineUnchanged() throws(LogError) -> Bool {
    guard let lastCRC else { return true }
    let mark = CommitMark.bytes(of: lastCRC)
    return try file.bytes(at: goodBytes - mark.count, count: mark.count) == mark
  }

  /// Returns the error for an invalid line: damage, unless the previous line has changed as well.
  private mutating func lineError(_ fault: LineFault) throws(LogError) -> LogError {
    guard try isLastLineUnchanged() else { return try rewind() }
    let number = try LineScanner.lineNumber(at: goodBytes, in: file)
    return LogError.fault(
      fault, path: file.path, line: number, byteOffset: goodBytes,
      lastRevision: chain.link?.revision ?? segment.first - 1,
      firstRead: firstRead)
  }

  /// Returns to the last record that is durable and was returned.
  ///
  /// - Returns: The error that reports this. If a durable record is missing, that error; the follower then stays at its
  ///   position.
  private mutating func rewind() throws(LogError) -> LogError {
    let path = file.path
    if let error = try missingActionsError() { return error }
    let durable = durableRevision
    let revision = max((settledAction?.revision ?? 0) + 1, first)
    let settled = settledAction
    self = try LogFollower(reader, from: revision)
    durableRevision = max(durableRevision, durable)
    settledAction = settled
    return LogError(
      .rejected, "the writer discarded what it had written after action \(revision - 1)", path: path,
      revision: revision,
      intact: "None of it was acknowledged.", advice: "Following continues with what is written instead.")
  }

  /// Returns the error for missing durable actions; `nil` if there are none.
  private func missingActionsError() throws(LogError) -> LogError? {
    let extent = try reader.extent()
    if extent.lastRevision < durableRevision {
      return truncationError(after: extent.lastRevision, firstRead: extent.firstRead, durable: durableRevision)
    }
    guard let settledAction, try reader.record(at: settledAction.revision).crc != settledAction.crc else { return nil }
    return LogError(
      .damaged, "the log was replaced: action \(settledAction.revision), which was durable, is different now",
      path: file.path, revision: settledAction.revision,
      advice: .sentences("No writer discards durable actions.", .fullReport))
  }

  /// Throws if the log ends before the position in `HEAD`, which was read before the lines.
  private func checkEnd(_ head: LogHead?) throws(LogError) {
    guard let head, head.segment == segment.first, try file.size() < head.bytes else { return }
    throw truncationError(
      after: chain.link?.revision ?? segment.first - 1, firstRead: firstRead, durable: head.revision)
  }

  private func truncationError(after lastRevision: Int, firstRead: Int, durable: Int) -> LogError {
    LogError(
      .damaged, "the log was truncated: it ends after action \(lastRevision), and action \(durable) was durable",
      path: file.path, byteOffset: goodBytes, revision: min(lastRevision, LogFormat.revisionLimit - 1) + 1,
      intact: "No writer discards durable actions. " + LogError.intact(from: firstRead, through: lastRevision),
      advice: .fullReport)
  }
}

extension LogReader {
  /// Follows the log, starting at an action.
  ///
  /// - Parameter revision: The first action to return; 0 for every record from the first line on. The action need not exist
  ///   yet.
  /// - Throws: ``LogError`` if the files cannot be opened. The follower itself throws errors about their contents.
  /// - Complexity: O(log(length of a segment)).
  public func follower(from revision: Int = 0) throws(LogError) -> LogFollower {
    try LogFollower(self, from: revision)
  }
}

extension LogReader {
  /// Returns the highest revision that is known to be durable: from the last lines, and from `HEAD` if it describes a line of the
  /// log. More can be durable than is known, after a process ended without closing the log.
  package func durableRevision() throws(LogError) -> Int {
    let listing = try listing()
    let last = try extent().lastRevision
    var durable = 0
    if let head = listing.head, head.revision <= last, head.bytes >= CommitMark.sizeBytes,
      let segment = listing.segments.first(where: { segment in segment.first == head.segment })
    {
      let file = try SourceFile(segment.path, fileSystem)
      defer { file.close() }
      let mark = CommitMark.bytes(of: head.crc)
      if try file.bytes(at: head.bytes - mark.count, count: mark.count) == mark { durable = head.revision }
    }
    var records = try records(from: last)
    do throws(LogError) {
      while let record = try records.next() { durable = max(durable, min(record.synced, last)) }
    } catch {
      guard error.code == .damaged else { throw error }
    }
    return durable
  }
}
