internal import JSONCoding

/// A strict parser of lines. It checks the commit mark, the checksum, the JSON and the members.
///
/// Lines with the members in the order of the writer take the fast path. Lines with another order, unknown members or
/// an escaped type take the general path, `parseAny`. Both paths accept the same lines. The parser keeps the second and
/// the checksum of the previous line, only to avoid parsing the same digits again.
package struct LineParser {
  /// The digits of the last checksum, and their value.
  var lastChecksum: (digits: UInt64, value: UInt32) = (ChecksumDigits.word(0), 0)
  /// The 19 characters of the last second, as three overlapping words, and the microseconds at its start.
  ///
  /// The initial words disagree where they overlap, so they match no text.
  var lastSecond: (words: (UInt64, UInt64, UInt64), microseconds: Int64) = ((0, 0, .max), 0)

  package init() {}

  /// Parses a line.
  ///
  /// - Parameter line: The line without its line feed.
  package mutating func parse(_ line: UnsafeRawBufferPointer) throws(LineFault) -> ParsedLine {
    guard line.count < LogFormat.lineLimitBytes else { throw .tooLong }
    let crc = try checkedChecksum(line)
    let parsed = parseFast(line, crc: crc.value)
    lastChecksum = crc
    if let parsed { return parsed }
    return try LineParser.parseAny(line, crc: crc.value)
  }

  /// Parses a line, and its action if the sink accepts it.
  ///
  /// - Parameters:
  ///   - line: The line without its line feed.
  ///   - sink: Receives the action. ``ParsedLine/isActionRead`` reports whether it did.
  /// - Throws: As ``parse(_:)-(UnsafeRawBufferPointer)``; the sink is then unchanged.
  @inline(__always)
  mutating func parse(
    _ line: UnsafeRawBufferPointer, schema: Int, into sink: ActionSink
  ) throws(LineFault) -> ParsedLine {
    guard line.count < LogFormat.lineLimitBytes else { throw .tooLong }
    let crc = try checkedChecksum(line)
    let parsed = parseFast(line, crc: crc.value, schema: schema, into: sink)
    lastChecksum = crc
    if let parsed { return parsed }
    return try LineParser.parseAny(line, crc: crc.value)
  }

  /// Parses a line, but not the values of an action that the screen excludes. ``ParsedLine/isExcluded`` reports whether it did.
  @inline(__always)
  mutating func parse(_ line: UnsafeRawBufferPointer, unless screen: LineScreen) throws(LineFault) -> ParsedLine {
    guard line.count < LogFormat.lineLimitBytes else { throw .tooLong }
    let crc = try checkedChecksum(line)
    let parsed = parseFast(line, crc: crc.value, unless: screen)
    lastChecksum = crc
    if let parsed { return parsed }
    return try LineParser.parseAny(line, crc: crc.value)
  }

  @inline(__always)
  package mutating func parse(
    _ line: LineScanner.Line, _ bytes: UnsafeRawBufferPointer, unless screen: LineScreen? = nil
  ) throws(LineFault) -> ParsedLine {
    if line.isTooLong { throw .tooLong }
    if !line.isTerminated { throw .unfinished }
    return if let screen { try parse(bytes, unless: screen) } else { try parse(bytes) }
  }

  /// Parses a single line.
  ///
  /// - Parameter line: The line without its line feed.
  package static func parse(_ line: ArraySlice<UInt8>) throws(LineFault) -> ParsedLine {
    var parser = LineParser()
    return try line.withUnsafeBufferPointer { (bytes) throws(LineFault) in
      try parser.parse(UnsafeRawBufferPointer(bytes))
    }
  }

  /// The length of the commit mark without its line feed.
  static let markSizeBytes = LogFormat.markSizeBytes - 1

  /// Returns the offset of the commit mark in a line without its line feed.
  static func markOffset(ofLine size: Int) -> Int { size - markSizeBytes }

  /// Returns the checksum in the commit mark if it matches the bytes before the mark.
  @inline(__always)
  private func checkedChecksum(_ line: UnsafeRawBufferPointer) throws(LineFault) -> (digits: UInt64, value: UInt32) {
    let offset = line.count &- LineParser.markSizeBytes
    guard offset > 0, let base = line.baseAddress else { throw .noCommitMark }
    let name = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    let digits = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self))
    let end = UInt16(littleEndian: base.loadUnaligned(fromByteOffset: offset &+ 16, as: UInt16.self))
    guard name == LogFormat.markOpeningWord, end == LogFormat.markEndingWord else { throw .noCommitMark }
    let found = CRC32C.checksum(of: UnsafeRawBufferPointer(start: base, count: offset))
    guard ChecksumDigits.word(found) == digits else {
      if ChecksumDigits.parse(line[offset + 8..<offset + 16]) == nil { throw .noCommitMark }
      throw .checksumMismatch
    }
    return (digits, found)
  }

  /// The members to parse. Other members are checked and skipped.
  private static let names: [StaticString] = [
    "seq", "time", "type", "synced", "prev", "salt", "commitment", "data", "meta",
  ]

  private static func parseAny(_ line: UnsafeRawBufferPointer, crc: UInt32) throws(LineFault) -> ParsedLine {
    let root: JSONTape.Node
    do throws(JSONError) {
      root = try JSONTape(parsing: Array(line)[...], keeping: names, maximumDepth: LogFormat.depthLimit).root
    } catch {
      throw .invalidJSON(error)
    }
    guard root.kind == .object else { throw .invalidJSON(nil) }
    var redaction: LineRedaction?
    if root["salt"] != nil || root["commitment"] != nil { redaction = try SaltedLine.check(line) }
    // If the commit mark ended a member in the middle of the line, the JSON would be invalid.
    do throws(RecordMemberError) {
      let type = try member("type", of: root)
      let data = try member("data", of: root)
      guard let text = type.stringBytes(), (1...LogFormat.typeLimitBytes).contains(text.count) else {
        throw RecordMemberError("type")
      }
      guard data.kind == .object else { throw RecordMemberError("data") }
      let meta = root["meta"]
      if let meta, meta.kind != .object { throw RecordMemberError("meta") }
      return ParsedLine(
        revision: try root.number("seq", from: 0),
        time: try root.time("time"),
        synced: try root.number("synced", from: 0),
        prev: try root.checksum("prev"),
        crc: crc,
        isControl: text[0] == ControlType.prefix,
        type: type.byteRange,
        data: data.byteRange,
        meta: meta?.byteRange,
        // An escape is longer than its character.
        isTypeEscaped: type.byteRange.count - 2 != text.count,
        isSalted: root["salt"] != nil,
        isRedacted: redaction != nil,
        isSkipped: redaction?.skips ?? false
      )
    } catch {
      throw .invalidMember(error.name)
    }
  }

  private static func member(
    _ name: String, of node: JSONTape.Node
  ) throws(RecordMemberError) -> JSONTape.Node {
    guard let member = node[name] else { throw RecordMemberError(name) }
    return member
  }
}

/// The members of a valid line: numbers, and the ranges of the other values.
///
/// It allocates no memory, so that complete segments can be checked at the speed of reading.
package struct ParsedLine {
  package var revision: Int
  package var time: LogTime
  package var synced: Int
  package var prev: UInt32
  package var crc: UInt32
  package var isControl: Bool
  /// The type with its quotes. All ranges are relative to the first byte of the line.
  var type: Range<Int>
  package var data: Range<Int>
  package var meta: Range<Int>?
  var isTypeEscaped = false
  /// Whether the line has a salt, so that no white space is allowed in `data` and `meta`.
  var isSalted = false
  /// Whether values of the line were replaced.
  package var isRedacted = false
  /// Whether a redaction excludes the action from the fold.
  package var isSkipped = false
  /// Whether the line is in the tree as it is, without its commit mark.
  var isPlain: Bool { !isSalted && !isRedacted }
  /// Whether a sink has received the action.
  var isActionRead = false
  /// Whether a screen excluded the action, so that its values were not parsed.
  var isExcluded = false
}

extension ParsedLine {
  package func typeText(in line: ArraySlice<UInt8>) -> String {
    let quoted = line[line.startIndex + type.lowerBound..<line.startIndex + type.upperBound]
    let inner = quoted.dropFirst().dropLast()
    guard isTypeEscaped else { return String(decoding: inner, as: UTF8.self) }
    // The parser has checked the string, so this cannot fail.
    do { return try JSONTape(parsing: quoted).root.string() ?? "" } catch { return "" }
  }

  /// Returns the type of a control record; `nil` for actions and unknown control records.
  package func controlType(in line: ArraySlice<UInt8>) -> ControlType? {
    isControl ? ControlType(rawValue: typeText(in: line)) : nil
  }

  /// Parses `data` and keeps the members with the given names.
  func dataNode(in line: ArraySlice<UInt8>, keeping names: [StaticString]) throws(LineFault) -> JSONTape.Node {
    let bytes = line[line.startIndex + data.lowerBound..<line.startIndex + data.upperBound]
    do throws(JSONError) { return try JSONTape(parsing: bytes, keeping: names).root } catch {
      throw .invalidJSON(error)
    }
  }
}
