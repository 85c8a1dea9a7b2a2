internal import JSONCoding

// The literals between the values of an envelope, as words of eight characters (the first one lowest) and what is left.
private enum Literal {
  /// `{"seq":`, seven characters
  static let seq: UInt64 = 0x003A_2271_6573_227B
  /// `,"time":` before a quote
  static let time: UInt64 = 0x3A22_656D_6974_222C
  /// `","type"` before `:"`
  static let type: UInt64 = 0x2265_7079_7422_2C22
  /// `","synce`, of which the first character ends the type, and `ed":`
  static let synced: UInt64 = 0x6563_6E79_7322_2C22
  static let syncedEnd: UInt32 = 0x3A22_6465
  /// `,"prev":` before a quote
  static let prev: UInt64 = 0x3A22_7665_7270_222C
  /// `","data"` before a colon
  static let data: UInt64 = 0x2261_7461_6422_2C22
  /// `,"meta":`
  static let meta: UInt64 = 0x3A22_6174_656D_222C
}

extension LineParser {
  /// Reads a line whose members stand as the writer puts them.
  ///
  /// - Returns: `nil` when the line is any different, good or bad.
  @inline(__always)
  mutating func parseFast(_ line: UnsafeRawBufferPointer, crc: UInt32) -> ParsedLine? {
    guard var parsed = parseEnvelope(line, crc: crc) else { return nil }
    return LineParser.finish(&parsed, line) ? parsed : nil
  }

  /// Reads a line whose members stand as the writer puts them, and its action if it is wanted and stands so, too.
  ///
  /// - Returns: `nil` when the line is any different, good or bad.
  @inline(__always)
  mutating func parseFast(
    _ line: UnsafeRawBufferPointer, crc: UInt32, schema: Int, into sink: ActionSink
  ) -> ParsedLine? {
    guard var parsed = parseEnvelope(line, crc: crc) else { return nil }
    guard sink.wants(parsed) else { return LineParser.finish(&parsed, line) ? parsed : nil }
    let start = parsed.data.lowerBound
    let size = sink.read(
      type: UnsafeRawBufferPointer(rebasing: line[parsed.type.lowerBound &+ 1..<parsed.type.upperBound &- 1]),
      data: UnsafeRawBufferPointer(rebasing: line[start..<line.count &- LineParser.markSizeBytes]), schema: schema)
    guard size > 0 else { return LineParser.finish(&parsed, line) ? parsed : nil }
    if LineParser.finish(&parsed, line, dataEnd: start &+ size) {
      parsed.isActionRead = true
      return parsed
    }
    sink.removeLast()
    return nil
  }

  /// Sees to the values, the remarks, and that nothing else stands in the line.
  @inline(__always)
  private static func finish(_ parsed: inout ParsedLine, _ line: UnsafeRawBufferPointer) -> Bool {
    guard
      let dataEnd = objectEnd(line, from: parsed.data.lowerBound, before: line.count &- LineParser.markSizeBytes)
    else { return false }
    return finish(&parsed, line, dataEnd: dataEnd)
  }

  /// Sees to the remarks, and that nothing else stands in the line.
  @inline(__always)
  private static func finish(_ parsed: inout ParsedLine, _ line: UnsafeRawBufferPointer, dataEnd: Int) -> Bool {
    let end = line.count &- LineParser.markSizeBytes
    parsed.data = parsed.data.lowerBound..<dataEnd
    if dataEnd == end { return true }
    // Before the end there is room for the mark, which is longer than the name.
    guard let base = line.baseAddress,
      UInt64(littleEndian: base.loadUnaligned(fromByteOffset: dataEnd, as: UInt64.self)) == Literal.meta,
      let metaEnd = objectEnd(line, from: dataEnd &+ 8, before: end)
    else { return false }
    parsed.meta = dataEnd &+ 8..<metaEnd
    return metaEnd == end
  }

  /// Where the strict JSON object ends that begins at an index; `nil` when there is none before `end`.
  @inline(__always)
  private static func objectEnd(
    _ line: UnsafeRawBufferPointer, from start: Int, before end: Int
  ) -> Int? {
    // Within the record, itself at depth 1.
    let depth = LogFormat.depthLimit - 1
    guard start < end else { return nil }
    if let found = CompactObject.end(of: line, from: start, maximumDepth: depth) { return found <= end ? found : nil }
    return uncommonObjectEnd(line, from: start, before: end, depth: depth)
  }

  /// As ``objectEnd(_:from:before:)``, by the grammar.
  private static func uncommonObjectEnd(
    _ line: UnsafeRawBufferPointer, from start: Int, before end: Int, depth: Int
  ) -> Int? {
    // White space may stand before a value, but not where the writer puts one.
    guard line[start] == UInt8(ascii: "{") else { return nil }
    let bytes = UnsafeRawBufferPointer(rebasing: line[start..<end]).assumingMemoryBound(to: UInt8.self)
    do throws(JSONError) { return start + (try JSONTape.checkValue(bytes, maximumDepth: depth)).end } catch {
      return nil
    }
  }

  /// Reads everything before the value of `data`; the range of `data` is then empty, at its first byte.
  @inline(__always)
  private mutating func parseEnvelope(_ bytes: UnsafeRawBufferPointer, crc: UInt32) -> ParsedLine? {
    guard var cursor = EnvelopeCursor(bytes), cursor.has(8),
      cursor.word(at: 0) & 0x00FF_FFFF_FFFF_FFFF == Literal.seq
    else { return nil }
    cursor.position = 7
    guard let seq = cursor.integer(), cursor.skip(Literal.time, UInt8(ascii: "\"")), let time = time(&cursor),
      cursor.has(10), cursor.word(at: cursor.position) == Literal.type,
      cursor.byte(at: cursor.position &+ 8) == UInt8(ascii: ":"),
      cursor.byte(at: cursor.position &+ 9) == UInt8(ascii: "\"")
    else { return nil }
    cursor.position &+= 10
    guard let type = cursor.plainString(), type.count >= 3, type.count <= LogFormat.typeLimitBytes + 2,
      // From the closing quote on: 11 characters.
      cursor.has(10), cursor.word(at: cursor.position &- 1) == Literal.synced,
      UInt32(truncatingIfNeeded: cursor.word(at: cursor.position &+ 2) >> 32) == Literal.syncedEnd
    else { return nil }
    cursor.position &+= 10
    guard let synced = cursor.integer(), cursor.skip(Literal.prev, UInt8(ascii: "\"")),
      let prev = checksum(&cursor), cursor.skip(Literal.data, UInt8(ascii: ":"))
    else { return nil }
    return ParsedLine(
      seq: seq,
      time: time,
      synced: synced,
      prev: prev,
      crc: crc,
      isControl: cursor.byte(at: type.lowerBound &+ 1) == UInt8(ascii: "@"),
      type: type,
      data: cursor.position..<cursor.position,
      meta: nil
    )
  }

  /// Goes past 8 hexadecimal digits: mostly those of the line before.
  @inline(__always)
  private func checksum(_ cursor: inout EnvelopeCursor) -> UInt32? {
    guard cursor.has(8) else { return nil }
    defer { cursor.position &+= 8 }
    if cursor.word(at: cursor.position) == lastChecksum.digits { return lastChecksum.value }
    return ChecksumDigits.parse(UnsafeRawBufferPointer(start: cursor.base + cursor.position, count: 8))
  }

  /// Goes past 27 bytes of time: mostly a second that was read before, and its fraction.
  @inline(__always)
  private mutating func time(_ cursor: inout EnvelopeCursor) -> LogTime? {
    guard cursor.has(LogTime.textSizeBytes) else { return nil }
    let start = cursor.position
    cursor.position &+= LogTime.textSizeBytes
    // The point, six digits, and the letter Z.
    let end = cursor.word(at: start &+ 19)
    guard end & 0xFF00_0000_0000_00FF == 0x5A00_0000_0000_002E else { return nil }
    // The two lowest of eight digits are then zeros before the fraction.
    let digits = (end ^ DecimalDigits.zeros) << 8 & 0xFFFF_FFFF_FFFF_0000
    let words = (cursor.word(at: start), cursor.word(at: start &+ 8), cursor.word(at: start &+ 11))
    if words == lastSecond.words, DecimalDigits.nonDigits(digits) == 0 {
      // A fraction of a second of the calendar.
      return LogTime(inRange: lastSecond.microseconds &+ Int64(DecimalDigits.value(digits)))
    }
    let text = UnsafeRawBufferPointer(start: cursor.base + start, count: LogTime.textSizeBytes)
    guard let time = LogTime.parse(text) else { return nil }
    lastSecond = (words, time.microseconds &- Int64(DecimalDigits.value(digits)))
    return time
  }
}
