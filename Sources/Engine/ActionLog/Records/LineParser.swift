internal import JSONCoding

/// Reads lines strictly, one after the other: commit mark, checksum, JSON, members.
///
/// Lines in the order of members that the writer uses take the path of `LineParser+Fast.swift`; every other order,
/// unknown members and escapes in the type take the general one here. Both accept the same lines. What is remembered of
/// the line before, its second and its checksum, saves reading the same digits again and changes no answer.
struct LineParser {
  /// The digits of the last line's checksum, and their value.
  var lastChecksum: (digits: UInt64, value: UInt32) = (ChecksumDigits.word(0), 0)
  /// The 19 characters of the last line's second, in three words that overlap, and the microseconds at its beginning.
  ///
  /// At first words that do not agree where they overlap, so that no text has them.
  var lastSecond: (words: (UInt64, UInt64, UInt64), microseconds: Int64) = ((0, 0, .max), 0)

  /// Reads a line.
  ///
  /// - Parameter line: The line without its line feed.
  /// - Complexity: O(length).
  mutating func parse(_ line: UnsafeRawBufferPointer) throws(LineFault) -> ParsedLine {
    guard line.count < LogFormat.lineLimitBytes else { throw .tooLong }
    let crc = try checkedChecksum(line)
    let parsed = parseFast(line, crc: crc.value)
    lastChecksum = crc
    if let parsed { return parsed }
    return try LineParser.parseAny(line, crc: crc.value)
  }

  /// Reads a line, and its action if it is wanted.
  ///
  /// - Parameters:
  ///   - line: The line without its line feed.
  ///   - schema: The schema in force.
  ///   - sink: Takes the action; it has it when the line says ``ParsedLine/isActionRead``.
  /// - Throws: As ``parse(_:)-(UnsafeRawBufferPointer)``; the sink is then as it was.
  /// - Complexity: O(length).
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

  /// Reads a line that a scanner found.
  @inline(__always)
  mutating func parse(_ line: LineScanner.Line, _ bytes: UnsafeRawBufferPointer) throws(LineFault) -> ParsedLine {
    if line.isTooLong { throw .tooLong }
    if !line.isTerminated { throw .unfinished }
    return try parse(bytes)
  }

  /// Reads a line by itself.
  ///
  /// - Parameter line: The line without its line feed.
  /// - Complexity: O(length).
  static func parse(_ line: ArraySlice<UInt8>) throws(LineFault) -> ParsedLine {
    var parser = LineParser()
    return try line.withUnsafeBufferPointer { (bytes) throws(LineFault) in
      try parser.parse(UnsafeRawBufferPointer(bytes))
    }
  }

  /// The length of the commit mark, which a line without its line feed ends in.
  static let markSizeBytes = LogFormat.suffixSizeBytes - 1

  /// Where the commit mark begins in a line of a length.
  static func markOffset(ofLine size: Int) -> Int { size - markSizeBytes }

  /// The checksum in the commit mark, after it was compared with the bytes before the mark.
  @inline(__always)
  private func checkedChecksum(_ line: UnsafeRawBufferPointer) throws(LineFault) -> (digits: UInt64, value: UInt32) {
    let offset = line.count &- LineParser.markSizeBytes
    guard offset > 0, let base = line.baseAddress else { throw .noCommitMark }
    let name = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    let digits = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self))
    let end = UInt16(littleEndian: base.loadUnaligned(fromByteOffset: offset &+ 16, as: UInt16.self))
    // ,"crc":" and "}
    guard name == 0x223A_2263_7263_222C, end == 0x7D22 else { throw .noCommitMark }
    let found = CRC32C.checksum(of: UnsafeRawBufferPointer(start: base, count: offset))
    guard ChecksumDigits.word(found) == digits else {
      if ChecksumDigits.parse(line[offset + 8..<offset + 16]) == nil { throw .noCommitMark }
      throw .checksumMismatch
    }
    return (digits, found)
  }

  /// The members that a reader looks at: of what else there may be, whatever it is, nothing is kept.
  private static let names: [StaticString] = ["seq", "time", "type", "synced", "prev", "data", "meta"]

  private static func parseAny(_ line: UnsafeRawBufferPointer, crc: UInt32) throws(LineFault) -> ParsedLine {
    let root: JSONTape.Node
    do throws(JSONError) {
      root = try JSONTape(parsing: Array(line)[...], keeping: names, maximumDepth: LogFormat.depthLimit).root
    } catch {
      throw .invalidJSON(error)
    }
    guard root.kind == .object else { throw .invalidJSON(nil) }
    // The mark may end a member in the middle of the line only if the JSON is broken, which it is not.
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
        seq: try root.number("seq", from: 0),
        time: try root.time("time"),
        synced: try root.number("synced", from: 0),
        prev: try root.checksum("prev"),
        crc: crc,
        isControl: text[0] == UInt8(ascii: "@"),
        type: type.byteRange,
        data: data.byteRange,
        meta: meta?.byteRange,
        // An escape is longer than what it stands for.
        isTypeEscaped: type.byteRange.count - 2 != text.count
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
