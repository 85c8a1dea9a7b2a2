/// Goes through the records of a log from a place on, whatever is wrong between them, and says of each whether it is known to
/// follow the one before it.
///
/// ``RecordCursor`` ends at the first line that does not check. This is for those who look at what lies behind it.
struct LooseRecords {
  /// A record, and whether the line before it is good and the one that it names.
  struct Found {
    var record: LogRecord
    var follows: Bool
  }

  private let reader: LogReader
  private let listing: LogReader.Listing
  private var segmentIndex: Int
  private var file: SourceFile
  /// `nil` when nothing more is wanted of the segment.
  private var scanner: LineScanner?
  private var chain: ChainState
  private var bytesReadBefore = 0
  /// Whether it is known which schema the actions of the segment have: no line up to the first of them is bad.
  private var isSchemaKnown: Bool

  /// Prepares to read from a byte of a segment at which a line begins.
  init(
    _ reader: LogReader, _ listing: LogReader.Listing, from segmentIndex: Int, _ byteOffset: Int
  ) throws(LogError) {
    self.reader = reader
    self.listing = listing
    self.segmentIndex = segmentIndex
    let start = try reader.start(ofSegment: segmentIndex, listing)
    file = start.file
    chain = start.chain
    isSchemaKnown = false
    guard let leadIn = try reader.leadIn(of: start, listing) else { return }
    isSchemaKnown = true
    chain = ChainState(
      inside: leadIn.chain.header, schema: leadIn.chain.schema, after: nil, holdsAction: byteOffset > leadIn.byteOffset)
    scanner = LineScanner(file, from: byteOffset)
  }

  /// How many bytes were read from files.
  var bytesRead: Int { bytesReadBefore + (scanner?.bytesRead ?? 0) }

  /// The next line that is a record; `nil` at the end of the log.
  ///
  /// What stands in a segment behind a bad line before its first action is passed over: nothing says which schema it has.
  ///
  /// - Complexity: O(bytes up to the end of the line).
  mutating func next() throws(LogError) -> Found? {
    while true {
      if let line = try scanner?.next() {
        if let found = take(line) { return found }
      } else if try !enterNextSegment() {
        return nil
      }
    }
  }

  private mutating func take(_ line: LineScanner.Line) -> Found? {
    guard let scanner else { return nil }
    let bytes = scanner.bytes(of: line)
    let isLinked = chain.link != nil
    do throws(LineFault) {
      let parsed = try SegmentScan.parse(line, bytes)
      let follows = try accept(parsed, bytes)
      if !parsed.isControl { isSchemaKnown = true }
      let place = LogPlace(path: file.path, byteOffset: line.byteOffset, line: nil)
      return Found(
        record: LogRecord(parsed, line: bytes, schema: chain.schema, place: place), follows: follows && isLinked)
    } catch {
      chain.resume(after: nil)
      if case .wrongSchema = error { isSchemaKnown = false }
      if !isSchemaKnown { leave() }
      return nil
    }
  }

  /// Takes a line into the chain, or begins another one with it.
  ///
  /// - Returns: Whether it goes on with the one that there is.
  private mutating func accept(_ parsed: ParsedLine, _ bytes: ArraySlice<UInt8>) throws(LineFault) -> Bool {
    do throws(LineFault) {
      try chain.accept(parsed, bytes)
      return true
    } catch {
      // A first line must still be a first line.
      if chain.isBeforeSegment {
        chain = reader.chain(before: listing.segments[segmentIndex], after: nil)
      } else {
        chain.resume(after: nil)
      }
      try chain.accept(parsed, bytes)
      return false
    }
  }

  private mutating func leave() {
    bytesReadBefore = bytesRead
    scanner = nil
  }

  private mutating func enterNextSegment() throws(LogError) -> Bool {
    leave()
    guard segmentIndex + 1 < listing.segments.count else { return false }
    file.close()
    segmentIndex += 1
    let segment = listing.segments[segmentIndex]
    file = try SourceFile(segment.path, reader.fileSystem)
    scanner = LineScanner(file, from: 0)
    isSchemaKnown = false
    chain.enterSegment(
      ChainState.Expectation(first: segment.first, log: reader.header.log, model: reader.header.model))
    return true
  }
}
