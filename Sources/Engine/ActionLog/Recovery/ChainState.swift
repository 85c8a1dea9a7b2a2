internal import JSONCoding

/// The state of the checksum chain after a line, which decides whether the next line follows.
package struct ChainState {
  package struct Link: Equatable {
    package var revision: Int
    package var crc: UInt32
    package var synced: Int

    package init(revision: Int, crc: UInt32, synced: Int) {
      (self.revision, self.crc, self.synced) = (revision, crc, synced)
    }

    /// The position before the first line of a log.
    package static let origin = Link(revision: 0, crc: 0, synced: 0)
  }

  /// The kinds of last lines that a writer distinguishes.
  package enum Ending: Equatable {
    /// Any other line: a writer is active, or was terminated.
    case open
    case closed
    /// `@prune`: the pruning was not finished.
    case pruning
    /// `@redact`: the redaction was not finished.
    case redaction
  }

  /// The values that a segment's first line must have.
  package struct Expectation: Equatable {
    /// The `seq` in the file's name; `nil` if the file may have any name.
    var first: Int?
    /// The identity of the log; `nil` if the file determines it.
    var log: String?
    var model: String?

    package init(first: Int? = nil, log: String? = nil, model: String? = nil) {
      (self.first, self.log, self.model) = (first, log, model)
    }
  }

  /// The last line; `nil` if it is unknown, as at the beginning of a file that is read by itself.
  package private(set) var link: Link?
  package private(set) var header: LogHeader?
  /// The schema of the following actions.
  package private(set) var schema = 0
  /// The schema in the last line if it is an `@open` whose writer recorded in the newer ``schema``; `nil` for any other line.
  package private(set) var misstatedSchema: Int?
  package private(set) var epoch = 0
  package private(set) var holdsAction = false
  /// The last line, as far as it decides what the next writer has to do.
  package private(set) var ending = Ending.open
  /// Whether a `@unit` record is accepted only if ``isUnitComplete`` is set before: in the last segment, where a crash may have left the
  /// first lines of a unit. A test for each line would cost every reader; so the caller looks for the end of the unit after the
  /// fault ``LineFault/unfinishedUnit``, and has the line accepted again.
  package var checksUnits = false
  /// Whether the actions of the unit that begins with the next line are all there.
  package var isUnitComplete = false

  /// The expected first line, until it was read.
  private var expectation: Expectation?

  package var isClosed: Bool { ending == .closed }

  /// Whether the next line is the first one of a segment.
  var isBeforeSegment: Bool { expectation != nil }

  package init(beforeSegment expectation: Expectation, after link: Link?) {
    self.expectation = expectation
    self.link = link
  }

  package init(beforeFirst segment: LogFolder.Segment, after base: LogBase?) {
    self.init(
      beforeSegment: Expectation(first: segment.first, log: base?.log, model: base?.model),
      after: base?.lastLine ?? .origin)
  }

  /// Creates the state in the middle of a segment: after a line, or, if `link` is `nil`, before a line that is
  /// accepted without a predecessor.
  ///
  /// - Parameter holdsAction: Whether the segment has an earlier action, which fixes its schema.
  package init(inside header: LogHeader?, schema: Int, after link: Link?, holdsAction: Bool) {
    self.header = header
    self.schema = schema
    self.link = link
    self.holdsAction = holdsAction
  }

  /// Moves to the first line of the next segment.
  package mutating func enterSegment(_ expectation: Expectation) {
    self.expectation = expectation
    header = nil
    holdsAction = false
  }

  /// Checks and accepts the next line.
  ///
  /// - Parameter line: The complete line without its line feed.
  /// - Throws: ``LineFault`` if it does not follow; the state is then unchanged.
  @inline(__always)
  package mutating func accept(_ parsed: ParsedLine, _ line: UnsafeRawBufferPointer) throws(LineFault) {
    try checkLink(parsed)
    if parsed.isControl || expectation != nil {
      // Control records are rare, so a copy and a second parse cost nothing. Passing the members instead would write
      // those of every line to memory.
      try acceptControl(Array(line)[...])
    } else {
      holdsAction = true
      ending = .open
    }
    link = Link(revision: parsed.revision, crc: parsed.crc, synced: parsed.synced)
  }

  package mutating func accept(_ parsed: ParsedLine, _ line: ArraySlice<UInt8>) throws(LineFault) {
    try line.withUnsafeBufferPointer { (bytes) throws(LineFault) in
      try accept(parsed, UnsafeRawBufferPointer(bytes))
    }
  }

  /// Resumes after a valid line that did not follow, or, with `nil`, before a line that is accepted without a
  /// predecessor.
  package mutating func resume(after parsed: ParsedLine?) {
    link = parsed.map { line in Link(revision: line.revision, crc: line.crc, synced: line.synced) }
    expectation = nil
    misstatedSchema = nil
    ending = .open
  }

  @inline(__always)
  private func checkLink(_ parsed: ParsedLine) throws(LineFault) {
    guard parsed.synced <= (parsed.isControl ? parsed.revision : parsed.revision - 1) else {
      throw .wrongSynced(found: parsed.synced)
    }
    guard let link else { return }
    guard parsed.prev == link.crc else { throw wrongPrevious(parsed, link) }
    let expected = parsed.isControl ? link.revision : link.revision + 1
    guard parsed.revision == expected else { throw .wrongRevision(expected: expected, found: parsed.revision) }
    guard parsed.synced >= link.synced else { throw .wrongSynced(found: parsed.synced) }
  }

  @inline(never)
  private func wrongPrevious(_ parsed: ParsedLine, _ link: Link) -> LineFault {
    // With nothing before it, the report on the segment says what is missing.
    let last = link.crc == 0 ? 0 : parsed.isControl ? parsed.revision : parsed.revision - 1
    return .wrongPrevious(
      expected: link.crc, found: parsed.prev, missing: last > link.revision ? link.revision + 1...last : nil)
  }

  @inline(never)
  private mutating func acceptControl(_ line: ArraySlice<UInt8>) throws(LineFault) {
    let parsed = try LineParser.parse(line)
    let type = parsed.controlType(in: line)
    guard (type == .segment) == (expectation != nil) else { throw .misplacedHeader }
    var misstatedSchema: Int?
    switch type {
    case .segment:
      let header = try readHeader(parsed, line)
      self.header = header
      expectation = nil
      schema = header.schema
      epoch = header.epoch
    case .open:
      let opened = try readOpen(parsed, line)
      // All actions of a segment have one schema, so that a reader that starts in its middle knows it from the
      // header.
      if holdsAction, schema > 0, opened.schema != schema { throw .wrongSchema(inForce: schema, found: opened.schema) }
      // A writer that began the segment for its salts once stated its own schema in the first line, and the older one in
      // its `@open`. Its actions have its own schema.
      if let header, opened.epoch == header.epoch, opened.schema < header.schema, !holdsAction {
        misstatedSchema = opened.schema
        schema = header.schema
      } else {
        schema = opened.schema
      }
      epoch = opened.epoch
      if opened.isSalted { header?.isSalted = true }
    case .unit:
      _ = try UnitRecord(parsed, line)
      guard isUnitComplete || !checksUnits else { throw .unfinishedUnit }
      isUnitComplete = false
    default:
      break
    }
    self.misstatedSchema = misstatedSchema
    ending =
      switch type {
      case .close: .closed
      case .prune: .pruning
      case .redact: .redaction
      default: .open
      }
  }

  private func readOpen(
    _ parsed: ParsedLine, _ line: ArraySlice<UInt8>
  ) throws(LineFault) -> (epoch: Int, schema: Int, isSalted: Bool) {
    do throws(RecordMemberError) {
      return try OpenRecord.needed(of: memberNode(parsed, line, keeping: OpenRecord.neededNames))
    } catch {
      throw .invalidMember("data.\(error.name)")
    }
  }

  private func readHeader(_ parsed: ParsedLine, _ line: ArraySlice<UInt8>) throws(LineFault) -> LogHeader {
    let node = try parsed.dataNode(in: line, keeping: LogHeader.names)
    let format = node["format"]?.string()
    // The value can be as long as the line, and error messages are kept.
    if let format, format != LogFormat.name {
      throw .unsupportedFormat(String(String.UnicodeScalarView(format.unicodeScalars.prefix(64))))
    }
    let header: LogHeader
    do throws(RecordMemberError) { header = try LogHeader(data: node) } catch {
      throw .invalidMember("data.\(error.name)")
    }
    guard header.first == parsed.revision + 1 else {
      throw .foreignHeader("its header has first \(header.first) but follows seq \(parsed.revision)")
    }
    guard expectation?.first ?? header.first == header.first else {
      throw .foreignHeader("its header has first \(header.first), which its name does not match")
    }
    guard expectation?.log ?? header.log == header.log, expectation?.model ?? header.model == header.model else {
      throw .foreignHeader("it belongs to the log \(header.log) of the model '\(header.model)'")
    }
    return header
  }

  private func memberNode(
    _ parsed: ParsedLine, _ line: ArraySlice<UInt8>, keeping names: [StaticString]
  ) throws(RecordMemberError) -> JSONTape.Node {
    // The parser has read the line before, so this cannot fail.
    do throws(LineFault) { return try parsed.dataNode(in: line, keeping: names) } catch { throw RecordMemberError("") }
  }
}
