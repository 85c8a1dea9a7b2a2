internal import JSONCoding

/// What is known after a line, and what the next one must agree with.
struct ChainState {
  /// The last line's number, checksum and `synced`.
  struct Link: Equatable {
    var seq: Int
    var crc: UInt32
    var synced: Int

    /// Before the first line of a log.
    static let origin = Link(seq: 0, crc: 0, synced: 0)
  }

  /// What a segment's first line must say.
  struct Expectation: Equatable {
    /// The `seq` in the file's name; `nil` when the file may have any name.
    var first: Int?
    /// The identity of the log; `nil` when the file decides it.
    var log: String?
    var model: String?
  }

  /// The last line, `nil` when nothing is known of it: at the beginning of a file that is read by itself.
  private(set) var link: Link?
  /// The header of the segment that is being read.
  private(set) var header: LogHeader?
  /// The version of the shape of the actions that follow.
  private(set) var schema = 0
  /// The number of the last writer.
  private(set) var epoch = 0
  /// Whether the segment holds an action.
  private(set) var holdsAction = false
  /// Whether the last line is `@close`.
  private(set) var isClosed = false

  /// What the first line must say while it is still to come.
  private var expectation: Expectation?

  /// Whether the next line is the first one of a segment.
  var isBeforeSegment: Bool { expectation != nil }

  /// Before the first line of a segment.
  init(beforeSegment expectation: Expectation, after link: Link?) {
    self.expectation = expectation
    self.link = link
  }

  /// In the middle of a segment: after a line, or, if `link` is `nil`, before a line that is taken as it is.
  ///
  /// - Parameter holdsAction: Whether there is an action before it, so that the schema is that of the segment.
  init(inside header: LogHeader?, schema: Int, after link: Link?, holdsAction: Bool) {
    self.header = header
    self.schema = schema
    self.link = link
    self.holdsAction = holdsAction
  }

  /// Goes on to the first line of the next segment.
  mutating func enterSegment(_ expectation: Expectation) {
    self.expectation = expectation
    header = nil
    holdsAction = false
  }

  /// Takes the next line.
  ///
  /// - Parameters:
  ///   - parsed: The members of the line.
  ///   - line: The line whole, without its line feed.
  /// - Throws: ``LineFault`` when it does not follow; the state is then unchanged.
  @inline(__always)
  mutating func accept(_ parsed: ParsedLine, _ line: UnsafeRawBufferPointer) throws(LineFault) {
    try checkLink(parsed)
    if parsed.isControl || expectation != nil {
      // Rare, so that a copy and another parsing cost nothing. Handed over, the members of every line would be written to memory
      // for a call that hardly any makes.
      try acceptControl(Array(line)[...])
    } else {
      holdsAction = true
      isClosed = false
    }
    link = Link(seq: parsed.seq, crc: parsed.crc, synced: parsed.synced)
  }

  /// Takes the next line.
  ///
  /// - Throws: As for a raw buffer.
  mutating func accept(_ parsed: ParsedLine, _ line: ArraySlice<UInt8>) throws(LineFault) {
    try line.withUnsafeBufferPointer { (bytes) throws(LineFault) in
      try accept(parsed, UnsafeRawBufferPointer(bytes))
    }
  }

  /// Goes on after a line that is whole but did not follow, or, with `nil`, before a line that is taken as it is.
  mutating func resume(after parsed: ParsedLine?) {
    link = parsed.map { line in Link(seq: line.seq, crc: line.crc, synced: line.synced) }
    expectation = nil
    isClosed = false
  }

  @inline(__always)
  private func checkLink(_ parsed: ParsedLine) throws(LineFault) {
    guard parsed.synced <= (parsed.isControl ? parsed.seq : parsed.seq - 1) else {
      throw .wrongSynced(found: parsed.synced)
    }
    guard let link else { return }
    guard parsed.prev == link.crc else { throw .wrongPrevious(expected: link.crc, found: parsed.prev) }
    let expected = parsed.isControl ? link.seq : link.seq + 1
    guard parsed.seq == expected else { throw .wrongSeq(expected: expected, found: parsed.seq) }
    guard parsed.synced >= link.synced else { throw .wrongSynced(found: parsed.synced) }
  }

  @inline(never)
  private mutating func acceptControl(_ line: ArraySlice<UInt8>) throws(LineFault) {
    let parsed = try LineParser.parse(line)
    let type = parsed.controlType(in: line)
    guard (type == .segment) == (expectation != nil) else { throw .misplacedHeader }
    switch type {
    case .segment:
      let header = try readHeader(parsed, line)
      self.header = header
      expectation = nil
      schema = header.schema
      epoch = header.epoch
    case .open:
      let opened = try readOpen(parsed, line)
      // All actions of a segment have one schema, which whoever reads from the midst of it knows from its beginning.
      if holdsAction, opened.schema != schema { throw .wrongSchema(inForce: schema, found: opened.schema) }
      (epoch, schema) = opened
    default:
      break
    }
    isClosed = type == .close
  }

  private func readOpen(
    _ parsed: ParsedLine, _ line: ArraySlice<UInt8>
  ) throws(LineFault) -> (epoch: Int, schema: Int) {
    do throws(RecordMemberError) {
      return try OpenRecord.epochAndSchema(of: memberNode(parsed, line, keeping: OpenRecord.neededNames))
    } catch {
      throw .invalidMember("data.\(error.name)")
    }
  }

  private func readHeader(_ parsed: ParsedLine, _ line: ArraySlice<UInt8>) throws(LineFault) -> LogHeader {
    let node = try parsed.dataNode(in: line, keeping: LogHeader.names)
    let format = node["format"]?.string()
    // What stands there can be as long as the line, and messages are kept.
    if let format, format != LogFormat.name {
      throw .unsupportedFormat(String(String.UnicodeScalarView(format.unicodeScalars.prefix(64))))
    }
    let header: LogHeader
    do throws(RecordMemberError) { header = try LogHeader(data: node) } catch {
      throw .invalidMember("data.\(error.name)")
    }
    guard header.first == parsed.seq + 1 else {
      throw .foreignHeader("it says first \(header.first) and stands after seq \(parsed.seq)")
    }
    guard expectation?.first ?? header.first == header.first else {
      throw .foreignHeader("its first seq is \(header.first), its name says another")
    }
    guard expectation?.log ?? header.log == header.log, expectation?.model ?? header.model == header.model else {
      throw .foreignHeader("it is of the log \(header.log) of the model '\(header.model)'")
    }
    return header
  }

  private func memberNode(
    _ parsed: ParsedLine, _ line: ArraySlice<UInt8>, keeping names: [StaticString]
  ) throws(RecordMemberError) -> JSONTape.Node {
    // The parser has read it before, so that it cannot fail here.
    do throws(LineFault) { return try parsed.dataNode(in: line, keeping: names) } catch { throw RecordMemberError("") }
  }
}
