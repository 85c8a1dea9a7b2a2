internal import JSONCoding
internal import Platform

/// The `@prune` record: the beginning of the log was removed, or was put back.
///
/// It precedes the first action of its segment, so that the beginnings of segments show all such records.
package struct PruneRecord: ControlRecord, Equatable, Sendable {
  /// The base with which the log begins.
  package struct Base: Equatable, Sendable {
    /// The revision of its state.
    package var revision: Int
    /// The SHA-256 digest of the file: 64 hexadecimal digits.
    package var sha256: String
    /// The digest of the state in canonical form.
    package var state: String
  }

  /// A segment that was removed or put back.
  package struct Segment: Equatable, Sendable {
    /// The revision of its first action, which is its name.
    package var first: Int
    package var lineCount: Int
    /// The SHA-256 digest of the file: 64 hexadecimal digits.
    package var sha256: String
  }

  package static var controlType: ControlType { .prune }

  package var reason: String
  /// The first action of the log from here on; 1 if the segments were put back.
  package var first: Int
  /// The index of the log's first line, counted from 0.
  package var lineCount: Int
  /// The base; `nil` if the segments were put back.
  package var base: Base?
  /// The segments that were removed or put back; none if the log was made of another one, with its base.
  package var segments: [Segment]
  /// The directory that holds the segments; `nil` if they were deleted.
  package var archive: String?

  package func data() -> [UInt8] {
    var bytes = Array(#"{"reason":"#.utf8)
    JSONText.appendString(reason, to: &bytes)
    bytes += #","first":\#(first),"lines":\#(lineCount)"#.utf8
    if let base {
      bytes += #","base":{"seq":\#(base.revision),"sha256":"\#(base.sha256)","state":"\#(base.state)"}"#.utf8
    }
    bytes += #","segments":["#.utf8
    for (index, segment) in segments.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += #"{"first":\#(segment.first),"lines":\#(segment.lineCount),"sha256":"\#(segment.sha256)"}"#.utf8
    }
    bytes.append(UInt8(ascii: "]"))
    if let archive {
      bytes += #","archive":"#.utf8
      JSONText.appendString(archive, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}

extension PruneRecord {
  /// Creates the record of a new log that begins with the base of the log that it is made of.
  init(inheriting base: LogBase) {
    self.init(
      reason: "the log that this one was made of begins there", first: base.first, lineCount: base.lineCount,
      base: Base(
        revision: base.revision, sha256: SHA256.hexadecimal(base.bytes), state: SHA256.hexadecimal(base.state)),
      segments: [], archive: nil)
  }

  /// Reads a `@prune` record of a log.
  ///
  /// - Returns: `nil` if a member is missing or invalid.
  package init?(_ record: LogRecord) {
    guard record.controlType == .prune else { return nil }
    do { try self.init(JSONTape(parsing: record.dataBytes).root) } catch { return nil }
  }

  private init(_ root: JSONTape.Node) throws(RecordMemberError) {
    reason = try root.text("reason")
    first = try root.number("first", from: 1)
    lineCount = try root.number("lines", from: 0)
    archive = root["archive"] == nil ? nil : try root.text("archive")
    if let member = root["base"] {
      base = Base(
        revision: try member.number("seq", from: 1), sha256: try member.sha256("sha256"),
        state: try member.sha256("state"))
      guard base?.revision == first - 1 else { throw RecordMemberError("base") }
    } else {
      guard first == 1 else { throw RecordMemberError("base") }
    }
    segments = []
    var elements = root["segments"]?.elements.makeIterator()
    while let element = elements?.next() {
      segments.append(
        Segment(
          first: try element.number("first", from: 1), lineCount: try element.number("lines", from: 1),
          sha256: try element.sha256("sha256")))
    }
  }
}

extension JSONTape.Node {
  /// Returns the digest member with a name: 64 lower-case hexadecimal digits.
  fileprivate func sha256(_ name: String) throws(RecordMemberError) -> String {
    let text = try text(name)
    guard text.utf8.count == 64,
      text.utf8.allSatisfy({ byte in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) })
    else { throw RecordMemberError(name) }
    return text
  }
}

extension LogReader {
  /// A `@prune` record and its position.
  package struct Pruning: Sendable {
    package var record: PruneRecord
    /// The revision after which it was recorded.
    package var revision: Int
    /// Whether it is the last record of the log, so that the pruning was not finished.
    package var isLastRecord: Bool
  }

  /// Returns the newest record of a pruning.
  ///
  /// - Returns: `nil` if there is none.
  /// - Throws: ``LogError`` if the beginning of a segment cannot be read.
  /// - Complexity: O(number of segments), and O(lines before the first action of each).
  package func lastPruning() throws(LogError) -> Pruning? {
    guard !isSingleSegment else { return nil }
    return try listingAgain { (listing) throws(LogError) in
      for index in listing.segments.indices.reversed() {
        if let found = try lastPruning(inSegment: index, listing) { return found }
      }
      return nil
    }
  }

  private func lastPruning(inSegment index: Int, _ listing: Listing) throws(LogError) -> Pruning? {
    let start = try start(ofSegment: index, listing)
    defer { start.file.close() }
    var found: Pruning?
    var scanner = LineScanner(start.file, from: 0, chunkBytes: 4_096)
    while let line = try scanner.next() {
      let bytes = scanner.bytes(of: line)
      let parsed: ParsedLine
      do throws(LineFault) { parsed = try SegmentScan.parse(line, bytes) } catch { break }
      guard parsed.isControl else {
        found?.isLastRecord = false
        break
      }
      found?.isLastRecord = false
      let place = LogPlace(path: start.file.path, byteOffset: line.byteOffset, line: nil)
      if let record = PruneRecord(LogRecord(parsed, line: bytes, schema: 0, place: place)) {
        found = Pruning(
          record: record, revision: parsed.revision, isLastRecord: index == listing.segments.count - 1)
      }
    }
    return found
  }

  /// Returns a sentence on where the beginning of the log is; `nil` if no record says so, or it cannot be read.
  ///
  /// - Complexity: As ``lastPruning()``.
  package func pruningAdvice() -> String? {
    let pruning: Pruning?
    // The advice belongs to another error.
    do throws(LogError) { pruning = try lastPruning() } catch { return nil }
    guard let record = pruning?.record, record.base != nil else { return nil }
    guard !record.segments.isEmpty else { return "The log was made of another one, which begins there." }
    guard let archive = record.archive else { return "Its segments were deleted." }
    return "Its segments were archived to '\(archive)'; 'action-log prune LOG --restore DIR' puts them back."
  }
}
