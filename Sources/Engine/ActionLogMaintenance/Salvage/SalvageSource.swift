import ActionLog

/// The log to salvage, and its intact part.
///
/// It is read twice, and a writer may hold it: the first pass determines the end of the second.
struct SalvageSource {
  let model: String
  let parent: LogHeader.Parent?
  /// The base of a pruned log, with which the new one begins, too.
  let base: LogBase?
  private let path: String
  let key: String?
  /// Whether the new log's lines have salts, because lines of the log have them.
  let isRedactable: Bool
  /// The last intact action, or the revision that the log begins with, and the schema of the first record.
  let lastRevision: Int
  let firstSchema: Int

  private let reader: LogReader?
  private let listing: LogReader.Listing
  private let fileSystem: SalvageFileSystem
  /// The end of the intact part.
  private let stop: (segmentIndex: Int, byteOffset: Int)
  /// The length of the last segment; lines at or past it are ignored.
  private let sizeBytes: Int
  private let lastSchema: Int
  /// The last line of the intact part.
  private let lastLink: ChainState.Link?
  /// The ending of the intact part; `nil` if it merely continues, because a writer is appending.
  private let ending: LogEnding?

  /// Finds the intact part of a log.
  init(_ folder: LogFolder, _ fileSystem: any LogFileSystem, model: String?) throws(LogError) {
    let fileSystem = SalvageFileSystem(fileSystem)
    self.fileSystem = fileSystem
    path = folder.path
    var reader: LogReader?
    var firstLineDamage: LogError?
    do throws(LogError) { reader = try LogReader.open(at: folder.path, fileSystem: fileSystem) } catch {
      guard error.code == .damaged else { throw error }
      firstLineDamage = error
    }
    self.reader = reader
    guard let reader else {
      let header = try Self.anyHeader(folder, fileSystem)
      base = folder.base
      guard let name = folder.base?.model ?? header?.model ?? model else {
        let closed = folder.segments.first { segment in fileSystem.isUnopenable(segment.path) }
        throw LogError(
          .damaged, "the log's model is unknown: no segment has a valid first line", path: folder.path,
          advice: closed.map { segment in "\(segment.path) cannot be opened: make it readable first." }
            ?? "Name it: \(.operation("salvage", "LOG", "NEW", .option("model", "MODEL"))).")
      }
      self.model = name
      parent =
        base.map { base in LogHeader.Parent(log: base.log, revision: base.revision, crc: base.checksum) }
        ?? header.map { header in LogHeader.Parent(log: header.log, revision: 0, crc: 0) }
      key = header?.key
      isRedactable = header?.isSalted ?? false
      listing = LogReader.Listing(segments: folder.segments, base: folder.base)
      lastRevision = folder.base?.revision ?? 0
      firstSchema = header?.schema ?? folder.base?.schema ?? 1
      lastSchema = firstSchema
      stop = (0, 0)
      sizeBytes = try Self.lastSize(listing, fileSystem)
      lastLink = nil
      ending = firstLineDamage.map { error in .damaged(error) }
      return
    }
    self.model = reader.header.model
    key = reader.header.key
    isRedactable = try reader.isRedactable()
    listing = try reader.listing()
    base = listing.base
    // Read after HEAD, so that the bytes HEAD records as durable are included.
    sizeBytes = try Self.lastSize(listing, fileSystem)
    var records = RecordCursor(
      reader, listing, from: try reader.start(ofSegment: 0, listing), target: nil,
      chunkBytes: RecordBatch.defaultChunkBytes)
    let firstCRC = try records.nextLine()?.crc ?? 0
    let summary = try records.summarize(upTo: (listing.segments.count - 1, sizeBytes))
    lastRevision = summary.lastRevision ?? listing.firstRevision
    parent = LogHeader.Parent(
      log: reader.header.log, revision: lastRevision,
      crc: summary.lastAction?.crc ?? listing.base?.checksum ?? firstCRC)
    firstSchema = reader.header.schema
    lastSchema = records.schema
    lastLink = records.lastLink
    stop = records.stop
    if records.ending == nil { try Self.readEnding(of: &records) }
    ending = records.ending
  }

  /// The base of a pruned log for the new one.
  var inherited: InheritedBase? { base.map { base in InheritedBase(base: base, log: path) } }

  private static func lastSize(
    _ listing: LogReader.Listing, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> Int {
    let file = try SourceFile(listing.segments[listing.segments.count - 1].path, fileSystem)
    defer { file.close() }
    return try file.size()
  }

  /// Determines whether the log ends here, and how.
  private static func readEnding(of records: inout RecordCursor) throws(LogError) {
    do throws(LogError) { _ = try records.nextLine() } catch {
      guard records.ending?.damage != nil else { throw error }
    }
  }

  /// Returns the first valid header of any segment.
  private static func anyHeader(
    _ folder: LogFolder, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> LogHeader? {
    for segment in folder.segments {
      let file = try SourceFile(segment.path, fileSystem)
      defer { file.close() }
      let chain = ChainState(beforeSegment: ChainState.Expectation(), after: nil)
      let header = try LogError.unlessDamaged { () throws(LogError) in try SealedSegments.header(of: file, chain) }
      if let header { return header }
    }
    return nil
  }

  /// Calls a closure for each record of the intact part.
  func forEachIntact(_ body: (LogRecord) throws(LogError) -> Void) throws(LogError) {
    guard let reader else { return }
    var records = RecordCursor(
      reader, listing, from: try reader.start(ofSegment: 0, listing), target: nil,
      chunkBytes: LogReader.defaultChunkBytes)
    do throws(LogError) {
      while !records.isPast(stop.segmentIndex, stop.byteOffset), let record = try records.readRecord(),
        records.stop <= stop
      { try body(record) }
    } catch {
      guard records.ending?.damage != nil, error.code == .damaged else { throw error }
    }
    guard records.stop == stop, records.lastLink == lastLink else {
      throw LogError(
        .inputOutput, "the log changed while it was read", path: reader.path,
        advice: "A writer rolled back a batch that it could not write. Salvage the log when the writer is idle.")
    }
  }

  /// Calls a closure for each valid line past the intact part.
  ///
  /// - Returns: The gaps before and between these lines.
  func forEachBeyond(_ body: (_ line: ArraySlice<UInt8>) throws(LogError) -> Void) throws(LogError) -> [SalvageReport
    .Gap]
  {
    switch ending {
    case nil, .clean, .closed: return []
    case .torn, .damaged: break
    }
    var gaps = GapList(lastRevision: lastRevision, lastCRC: lastLink?.crc)
    var schema = lastSchema
    for index in stop.segmentIndex..<listing.segments.count {
      let file = try SourceFile(listing.segments[index].path, fileSystem)
      defer { file.close() }
      var scanner = LineScanner(file, from: index == stop.segmentIndex ? stop.byteOffset : 0)
      let limit = index == listing.segments.count - 1 ? sizeBytes : .max
      while let line = try scanner.next(), line.byteOffset < limit {
        let bytes = scanner.bytes(of: line)
        switch parse(line, bytes, &schema) {
        case .success(let parsed):
          if ending?.damage == nil, line.byteOffset == stop.byteOffset, parsed.prev == lastLink?.crc {
            // A line that was being written is complete now, and so is its unit if it begins one: nothing was torn.
            guard parsed.controlType(in: bytes) == .unit, try !UnitLines(file, at: line.byteOffset).isComplete else {
              return []
            }
            gaps.addBad(LineFault.unfinishedUnit.message, file.path, line.byteOffset, 0)
          }
          gaps.addGood(parsed, file.path, line.byteOffset)
          try body(bytes)
        case .failure(let fault):
          let unread = fileSystem.failure(in: line.byteOffset..<line.byteOffset + line.sizeBytes, of: file.path)
          let message = unread.map(Self.message) ?? fault.message
          guard unread == nil, line.isTerminated, !line.isTooLong, !fault.isLineIntact else {
            gaps.addBad(message, file.path, line.byteOffset, fileSystem.isUnopenable(file.path) ? 0 : line.sizeBytes)
            continue
          }
          for part in HiddenLines.parts(of: bytes) {
            let byteOffset = line.byteOffset + part.range.lowerBound - bytes.startIndex
            if part.isLine, case .success(let parsed) = parse(nil, bytes[part.range], &schema) {
              gaps.addGood(parsed, file.path, byteOffset)
              try body(bytes[part.range])
            } else {
              let lineFeed = part.range.upperBound == bytes.endIndex ? 1 : 0
              gaps.addBad(message, file.path, byteOffset, part.range.count + lineFeed)
            }
          }
        }
      }
    }
    return gaps.finished(orElse: ending?.damage.map { error in endGap(error) })
  }

  /// Returns the message for bytes that cannot be read.
  private static func message(_ error: FileSystemError) -> String {
    error.code == .notARegularFile
      ? "the segment is not a regular file" : "the segment cannot be read (\(error))"
  }

  private func endGap(_ error: LogError) -> SalvageReport.Gap {
    SalvageReport.Gap(
      message: error.message, path: error.path ?? "", byteOffset: error.byteOffset ?? 0, sizeBytes: 0,
      lastRevisionBefore: lastRevision, firstRevisionAfter: nil)
  }

  /// Checks a line by itself and updates the schema that it states.
  ///
  /// - Parameter line: The scanner's line; `nil` for one that was hidden in another line.
  private func parse(
    _ line: LineScanner.Line?, _ bytes: ArraySlice<UInt8>, _ schema: inout Int
  ) -> Result<ParsedLine, LineFault> {
    Result { () throws(LineFault) in
      let parsed = if let line { try SegmentScan.parse(line, bytes) } else { try LineParser.parse(bytes) }
      let isHeader = parsed.controlType(in: bytes) == .segment
      var chain =
        isHeader
        ? ChainState(beforeSegment: ChainState.Expectation(), after: nil)
        : ChainState(inside: nil, schema: schema, after: nil, holdsAction: false)
      try chain.accept(parsed, bytes)
      schema = chain.schema
      return parsed
    }
  }
}

/// Collects the gaps while the lines past the intact part are read.
struct GapList {
  private var gaps: [SalvageReport.Gap] = []
  private var current: SalvageReport.Gap?
  private var lastRevision: Int
  /// The checksum of the last valid line; `nil` before the first one of a log that begins with a gap.
  private var lastCRC: UInt32?

  init(lastRevision: Int, lastCRC: UInt32?) {
    self.lastRevision = lastRevision
    self.lastCRC = lastCRC
  }

  mutating func addBad(_ message: String, _ path: String, _ byteOffset: Int, _ sizeBytes: Int) {
    if current?.path == path {
      current?.sizeBytes += sizeBytes
      return
    }
    close(before: nil)
    current = SalvageReport.Gap(
      message: message, path: path, byteOffset: byteOffset, sizeBytes: sizeBytes, lastRevisionBefore: lastRevision,
      firstRevisionAfter: nil)
  }

  mutating func addGood(_ parsed: ParsedLine, _ path: String, _ byteOffset: Int) {
    let next = parsed.isControl ? parsed.revision + 1 : parsed.revision
    if current != nil {
      close(before: next)
    } else if lastCRC != parsed.prev {
      current = SalvageReport.Gap(
        message: message(before: next, path, byteOffset), path: path, byteOffset: byteOffset, sizeBytes: 0,
        lastRevisionBefore: lastRevision, firstRevisionAfter: nil)
      close(before: next)
    }
    lastRevision = max(lastRevision, parsed.revision)
    lastCRC = parsed.crc
  }

  /// Describes the place between two valid lines that are not consecutive.
  private func message(before next: Int, _ path: String, _ byteOffset: Int) -> String {
    if next > lastRevision { return "lines are missing" }
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    if byteOffset == 0, let first = SegmentName.first(of: name), first != next {
      return "segment \(name) begins at revision \(next), not \(first)"
    }
    return "the revisions go back from \(lastRevision) to \(next)"
  }

  private mutating func close(before revision: Int?) {
    guard var gap = current else { return }
    gap.firstRevisionAfter = revision
    gaps.append(gap)
    current = nil
  }

  mutating func finished(orElse end: SalvageReport.Gap?) -> [SalvageReport.Gap] {
    close(before: nil)
    return gaps.isEmpty ? [end].compactMap { gap in gap } : gaps
  }
}
