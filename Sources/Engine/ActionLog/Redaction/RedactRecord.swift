internal import JSONCoding

/// The `@redact` record: the lines whose values were replaced, and why.
///
/// It is complete in itself: the lines as they were, or as they are, and the record give the redacted lines byte for byte.
package struct RedactRecord: ControlRecord, Equatable, Sendable {
  /// A line that the record names.
  package struct Line: Equatable, Sendable {
    /// The number of the line in the log, counted from 0.
    package var index: Int
    /// The revision in the name of its segment.
    package var segment: Int
    /// The `seq` of the line.
    package var revision: Int
    /// The values that were replaced, with the values in their place.
    package var replacements: [ValueReplacement]
    /// Whether replay skips the action.
    package var skips: Bool
    /// The SHA-256 of the redacted line in hexadecimal digits.
    package var digest: String

    /// Creates an entry.
    package init(
      index: Int, segment: Int, revision: Int, replacements: [ValueReplacement], skips: Bool, digest: String
    ) {
      self.index = index
      self.segment = segment
      self.revision = revision
      self.replacements = replacements
      self.skips = skips
      self.digest = digest
    }
  }

  package static var controlType: ControlType { .redact }

  /// The reason that was given.
  package var reason: String
  /// The lines, in the order of the log.
  package var lines: [Line]

  /// Creates a record.
  package init(reason: String, lines: [Line]) {
    self.reason = reason
    self.lines = lines
  }

  /// The lowest revision that a line of the record belongs to; `nil` if it names none.
  package var lowestRevision: Int? { lines.map(\.revision).min() }

  package func data() -> [UInt8] {
    var bytes = Array(#"{"reason":"#.utf8)
    JSONText.appendString(reason, to: &bytes)
    bytes += #","lines":["#.utf8
    for (number, line) in lines.enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += #"{"index":\#(line.index),"segment":\#(line.segment),"seq":\#(line.revision),"with":{"#.utf8
      for (number, replacement) in line.replacements.enumerated() {
        if number > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONText.appendString(replacement.pointer.description, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        bytes += replacement.json ?? Array("null".utf8)
      }
      bytes += line.skips ? #"},"skip":true,"digest":""#.utf8 : #"},"digest":""#.utf8
      bytes += line.digest.utf8
      bytes += #""}"#.utf8
    }
    bytes += "]}".utf8
    return bytes
  }

  /// Reads the contents of a `@redact` record.
  ///
  /// - Parameter data: The `data` of the record. Its reason may have been redacted to a value of any type.
  /// - Returns: `nil` if a member that names a line is missing or has another type. Targets other than lines are passed over.
  /// - Complexity: O(length).
  package init?(data: ArraySlice<UInt8>) {
    let root: JSONTape.Node
    do throws(JSONError) { root = try JSONTape(parsing: data).root } catch { return nil }
    guard let entries = root["lines"], entries.kind == .array else { return nil }
    reason = root["reason"]?.string() ?? ""
    lines = []
    for entry in entries.elements {
      if entry["base"]?.bool() == true { continue }
      guard let line = Line(entry) else { return nil }
      lines.append(line)
    }
  }
}

extension RedactRecord.Line {
  fileprivate init?(_ entry: JSONTape.Node) {
    guard let index = entry["index"]?.plainInteger, let segment = entry["segment"]?.plainInteger, segment > 0,
      let revision = entry["seq"]?.plainInteger, let with = entry["with"], with.kind == .object,
      let digest = entry["digest"]?.string(), digest.utf8.count == 64
    else { return nil }
    var replacements: [ValueReplacement] = []
    for (name, value) in with.members {
      guard let pointer = name.string().flatMap({ text in JSONPointer(text) }) else { return nil }
      replacements.append(ValueReplacement(pointer, with: Array(value.bytes)))
    }
    self.init(
      index: index, segment: segment, revision: revision, replacements: replacements,
      skips: entry["skip"]?.bool() ?? false, digest: digest)
  }
}

/// A redaction in a log: its record, and whether it was carried out.
package struct LoggedRedaction: Equatable, Sendable {
  /// The number of the record's line in the log, counted from 0.
  package var index: Int
  /// The record.
  package var record: RedactRecord
  /// Whether a record follows. Without one, the writer that made the record was interrupted.
  package var isFinished: Bool

  /// Creates a description.
  package init(index: Int, record: RedactRecord, isFinished: Bool) {
    self.index = index
    self.record = record
    self.isFinished = isFinished
  }
}

extension LogReader {
  /// Returns the redactions of the log, in order.
  ///
  /// Each is recorded before the first action of its segment, so only the beginnings of segments are read, and the lines are
  /// counted if there is a redaction.
  ///
  /// - Returns: None for a log without salts, and for a single segment.
  /// - Throws: ``LogError`` if a segment cannot be read, or a `@redact` record is malformed.
  /// - Complexity: O(number of segments); O(length of the log) if there is a redaction.
  package func redactions() throws(LogError) -> [LoggedRedaction] {
    guard !isSingleSegment, isRedactable() else { return [] }
    let segments = try listing().segments
    var found: [(segment: Int, line: Int, record: RedactRecord)] = []
    /// The segment and line of the last line that was read.
    var last = (segment: 0, line: 0)
    for (number, segment) in segments.enumerated() {
      let file = try SourceFile(segment.path, fileSystem)
      defer { file.close() }
      var scanner = LineScanner(file, from: 0, chunkBytes: LogReader.beginningBytes)
      var line = 0
      while let next = try scanner.next(), next.isTerminated, !next.isTooLong {
        last = (number, line)
        let bytes = scanner.bytes(of: next)
        guard let parsed = Self.parsed(bytes), parsed.isControl else { break }
        if parsed.controlType(in: bytes) == .redact {
          let start = bytes.startIndex
          let data = bytes[start + parsed.data.lowerBound..<start + parsed.data.upperBound]
          guard let record = RedactRecord(data: data) else {
            throw LogError.malformedRedaction(path: segment.path, line: line + 1, byteOffset: next.byteOffset)
          }
          found.append((number, line, record))
        }
        line += 1
      }
    }
    guard let newest = found.last else { return [] }
    var firstIndex = [try firstLineIndex()]
    for segment in segments.prefix(newest.segment) {
      firstIndex.append(firstIndex[firstIndex.count - 1] + (try lineCount(of: segment)))
    }
    return found.map { redaction in
      LoggedRedaction(
        index: firstIndex[redaction.segment] + redaction.line, record: redaction.record,
        isFinished: (redaction.segment, redaction.line) != last)
    }
  }

  /// 4 KiB: the beginning of a segment usually has two or three short lines before its first action.
  private static let beginningBytes = 4_096

  private static func parsed(_ bytes: ArraySlice<UInt8>) -> ParsedLine? {
    do throws(LineFault) { return try LineParser.parse(bytes) } catch { return nil }
  }

  /// The number of the log's first line.
  func firstLineIndex() throws(LogError) -> Int { try listing().base?.lineCount ?? 0 }

  /// Counts the lines of a segment.
  ///
  /// - Complexity: O(length of the segment).
  func lineCount(of segment: LogFolder.Segment) throws(LogError) -> Int {
    let file = try SourceFile(segment.path, fileSystem)
    defer { file.close() }
    return try LineScanner.lineCount(of: file)
  }
}

extension LogError {
  /// The error for a `@redact` record that cannot be read.
  static func malformedRedaction(path: String, line: Int, byteOffset: Int) -> LogError {
    LogError(
      .damaged, "the @redact record does not name its lines as the format requires", path: path, line: line,
      byteOffset: byteOffset, advice: "Run 'action-log verify' for the full report.")
  }
}

extension LineScanner {
  /// Counts the complete lines of a file.
  ///
  /// - Complexity: O(length of the file); memory O(1).
  static func lineCount(of file: SourceFile) throws(LogError) -> Int {
    let size = try file.size()
    var (offset, count) = (0, 0)
    while offset < size {
      let bytes = try file.bytes(at: offset, count: min(size - offset, defaultChunkBytes))
      if bytes.isEmpty { break }
      bytes.withUnsafeBytes { bytes in
        var start = 0
        while let lineFeed = ByteSearch.first(UInt8(ascii: "\n"), in: bytes, from: start) {
          count += 1
          start = lineFeed + 1
        }
      }
      offset += bytes.count
    }
    return count
  }
}
