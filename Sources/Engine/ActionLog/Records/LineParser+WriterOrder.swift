internal import JSONCoding

// The fast path of `LineParser`, for lines with the members in the order of the writer. It compares the text between the values word
// by word, and parses the values in place.

// The text between the values of an envelope, as little-endian words.
private enum Literal {
  /// `{"seq":`, seven characters
  static let seq: UInt64 = 0x003A_2271_6573_227B
  /// `,"time":`, followed by a quote
  static let time: UInt64 = 0x3A22_656D_6974_222C
  /// `","type"`, followed by `:"`
  static let type: UInt64 = 0x2265_7079_7422_2C22
  /// `","synce`, whose first quote ends the type, followed by `ed":`
  static let synced: UInt64 = 0x6563_6E79_7322_2C22
  static let syncedEnd: UInt32 = 0x3A22_6465
  /// `,"prev":`, followed by a quote
  static let prev: UInt64 = 0x3A22_7665_7270_222C
  /// `","data"`, followed by a colon
  static let data: UInt64 = 0x2261_7461_6422_2C22
  /// `","salt"`, followed by `:"`
  static let salt: UInt64 = 0x2274_6C61_7322_2C22
  /// `,"meta":`
  static let meta: UInt64 = 0x3A22_6174_656D_222C
}

extension LineParser {
  /// Parses a line with its members in the order of the writer.
  ///
  /// - Returns: `nil` for every other line, valid or not.
  @inline(__always)
  mutating func parseFast(_ line: UnsafeRawBufferPointer, crc: UInt32) -> ParsedLine? {
    guard var parsed = parseEnvelope(line, crc: crc) else { return nil }
    return LineParser.finish(&parsed, line) ? parsed : nil
  }

  /// Parses a line with its members in the order of the writer, and its action if the sink accepts it.
  ///
  /// - Returns: `nil` for every other line, valid or not.
  @inline(__always)
  mutating func parseFast(
    _ line: UnsafeRawBufferPointer, crc: UInt32, schema: Int, into sink: ActionSink
  ) -> ParsedLine? {
    guard var parsed = parseEnvelope(line, crc: crc) else { return nil }
    guard sink.accepts(parsed) else { return LineParser.finish(&parsed, line) ? parsed : nil }
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

  /// Parses a line with its members in the order of the writer, without the values of an action that the screen excludes.
  ///
  /// - Returns: `nil` for every other line, valid or not.
  @inline(__always)
  mutating func parseFast(_ line: UnsafeRawBufferPointer, crc: UInt32, unless screen: LineScreen) -> ParsedLine? {
    guard var parsed = parseEnvelope(line, crc: crc) else { return nil }
    if screen.excludes(line, parsed) {
      parsed.isExcluded = true
      return parsed
    }
    return LineParser.finish(&parsed, line) ? parsed : nil
  }

  /// Checks `data`, `meta`, and that nothing else follows.
  @inline(__always)
  private static func finish(_ parsed: inout ParsedLine, _ line: UnsafeRawBufferPointer) -> Bool {
    guard
      let dataEnd = objectEnd(
        line, from: parsed.data.lowerBound, before: line.count &- LineParser.markSizeBytes, isSalted: parsed.isSalted)
    else { return false }
    return finish(&parsed, line, dataEnd: dataEnd)
  }

  /// Checks `meta`, and that nothing else follows.
  @inline(__always)
  private static func finish(_ parsed: inout ParsedLine, _ line: UnsafeRawBufferPointer, dataEnd: Int) -> Bool {
    let end = line.count &- LineParser.markSizeBytes
    parsed.data = parsed.data.lowerBound..<dataEnd
    if dataEnd == end { return true }
    // The commit mark follows and is longer than a word.
    guard let base = line.baseAddress,
      UInt64(littleEndian: base.loadUnaligned(fromByteOffset: dataEnd, as: UInt64.self)) == Literal.meta,
      let metaEnd = objectEnd(line, from: dataEnd &+ 8, before: end, isSalted: parsed.isSalted)
    else { return false }
    parsed.meta = dataEnd &+ 8..<metaEnd
    return metaEnd == end
  }

  /// Returns the end of the strict JSON object at an index; `nil` if there is none before `end`.
  @inline(__always)
  private static func objectEnd(
    _ line: UnsafeRawBufferPointer, from start: Int, before end: Int, isSalted: Bool
  ) -> Int? {
    // The record itself is level 1.
    let depth = LogFormat.depthLimit - 1
    guard start < end else { return nil }
    if let found = CompactObject.end(of: line, from: start, maximumDepth: depth) { return found <= end ? found : nil }
    guard let found = objectEndByGrammar(line, from: start, before: end, depth: depth) else { return nil }
    return isSalted && SaltedLine.hasWhiteSpace(Array(line[start..<found])[...]) ? nil : found
  }

  private static func objectEndByGrammar(
    _ line: UnsafeRawBufferPointer, from start: Int, before end: Int, depth: Int
  ) -> Int? {
    // JSON allows white space before a value, the writer does not.
    guard line[start] == UInt8(ascii: "{") else { return nil }
    let bytes = UnsafeRawBufferPointer(rebasing: line[start..<end]).assumingMemoryBound(to: UInt8.self)
    do throws(JSONError) { return start + (try JSONTape.checkValue(bytes, maximumDepth: depth)).end } catch {
      return nil
    }
  }

  /// Parses everything before the value of `data`. The range of `data` is empty and at its first byte.
  @inline(__always)
  private mutating func parseEnvelope(_ bytes: UnsafeRawBufferPointer, crc: UInt32) -> ParsedLine? {
    guard var cursor = EnvelopeCursor(bytes), cursor.has(8),
      cursor.word(at: 0) & 0x00FF_FFFF_FFFF_FFFF == Literal.seq
    else { return nil }
    cursor.position = 7
    guard let revision = cursor.integer(), cursor.skip(Literal.time, UInt8(ascii: "\"")), let time = time(&cursor),
      cursor.has(10), cursor.word(at: cursor.position) == Literal.type,
      cursor.byte(at: cursor.position &+ 8) == UInt8(ascii: ":"),
      cursor.byte(at: cursor.position &+ 9) == UInt8(ascii: "\"")
    else { return nil }
    cursor.position &+= 10
    guard let type = cursor.plainString(), type.count >= 3, type.count <= LogFormat.typeLimitBytes + 2,
      // Eleven characters, starting with the closing quote.
      cursor.has(10), cursor.word(at: cursor.position &- 1) == Literal.synced,
      UInt32(truncatingIfNeeded: cursor.word(at: cursor.position &+ 2) >> 32) == Literal.syncedEnd
    else { return nil }
    cursor.position &+= 10
    guard let synced = cursor.integer(), cursor.skip(Literal.prev, UInt8(ascii: "\"")),
      let prev = checksum(&cursor)
    else { return nil }
    let isSalted = !cursor.skip(Literal.data, UInt8(ascii: ":"))
    if isSalted, !cursor.skipSalt() { return nil }
    return ParsedLine(
      revision: revision,
      time: time,
      synced: synced,
      prev: prev,
      crc: crc,
      isControl: cursor.byte(at: type.lowerBound &+ 1) == ControlType.prefix,
      type: type,
      data: cursor.position..<cursor.position,
      meta: nil,
      isSalted: isSalted
    )
  }

  /// Parses 8 hexadecimal digits, usually those of the previous line.
  @inline(__always)
  private func checksum(_ cursor: inout EnvelopeCursor) -> UInt32? {
    guard cursor.has(8) else { return nil }
    defer { cursor.position &+= 8 }
    if cursor.word(at: cursor.position) == lastChecksum.digits { return lastChecksum.value }
    return ChecksumDigits.parse(UnsafeRawBufferPointer(start: cursor.base + cursor.position, count: 8))
  }

  /// Parses the 27 bytes of a time, usually in the same second as before.
  @inline(__always)
  private mutating func time(_ cursor: inout EnvelopeCursor) -> LogTime? {
    guard cursor.has(LogTime.textSizeBytes) else { return nil }
    let start = cursor.position
    cursor.position &+= LogTime.textSizeBytes
    // The decimal point, six digits, and the letter Z.
    let end = cursor.word(at: start &+ 19)
    guard end & 0xFF00_0000_0000_00FF == 0x5A00_0000_0000_002E else { return nil }
    // Two zero digits, then the six digits of the fraction.
    let digits = (end ^ DecimalDigits.zeros) << 8 & 0xFFFF_FFFF_FFFF_0000
    let words = (cursor.word(at: start), cursor.word(at: start &+ 8), cursor.word(at: start &+ 11))
    if words == lastSecond.words, DecimalDigits.nonDigits(digits) == 0 {
      // The second was valid, so the sum is in range.
      return LogTime(inRange: lastSecond.microseconds &+ Int64(DecimalDigits.value(digits)))
    }
    let text = UnsafeRawBufferPointer(start: cursor.base + start, count: LogTime.textSizeBytes)
    guard let time = LogTime.parse(text) else { return nil }
    lastSecond = (words, time.microseconds &- Int64(DecimalDigits.value(digits)))
    return time
  }
}

/// A position in the members at the beginning of a record, in the order of the writer.
///
/// Every load is within the checked length.
struct EnvelopeCursor {
  let base: UnsafeRawPointer
  let count: Int
  var position = 0

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return nil }
    self.base = base
    count = bytes.count
  }

  @inline(__always)
  func byte(at index: Int) -> UInt8 { base.load(fromByteOffset: index, as: UInt8.self) }

  /// Returns eight bytes as a little-endian word. The caller has checked the length.
  @inline(__always)
  func word(at index: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  @inline(__always)
  func has(_ size: Int) -> Bool { size <= count &- position }

  /// Skips a literal of nine bytes if it is next.
  @inline(__always)
  mutating func skip(_ first: UInt64, _ last: UInt8) -> Bool {
    guard has(9), word(at: position) == first, byte(at: position &+ 8) == last else { return false }
    position &+= 9
    return true
  }

  /// Skips the salt between the checksum of the previous line and `data`, with the text up to the value of `data`.
  @inline(never)
  mutating func skipSalt() -> Bool {
    guard skip(Literal.salt, UInt8(ascii: ":")), has(SaltText.textSizeBytes + 1),
      byte(at: position) == UInt8(ascii: "\""), SaltText.isText(at: base + (position &+ 1))
    else { return false }
    position &+= SaltText.textSizeBytes + 1
    return skip(Literal.data, UInt8(ascii: ":"))
  }

  /// Parses an integer up to the limit of `seq`, without sign, leading zero, fraction or exponent.
  @inline(__always)
  mutating func integer() -> Int? {
    // One word holds up to seven digits and the byte that ends them. Longer numbers take the loop.
    guard has(8) else { return nil }
    let digits = word(at: position) ^ DecimalDigits.zeros
    let ends = DecimalDigits.nonDigits(digits)
    guard ends != 0 else { return longInteger() }
    let bits = ends.trailingZeroBitCount & ~7
    // There must be a digit, and a leading zero must be the only digit.
    guard bits > 0, bits == 8 || digits & 0xFF != 0 else { return nil }
    position &+= bits >> 3
    return DecimalDigits.value(digits << UInt64(truncatingIfNeeded: 64 &- bits))
  }

  private mutating func longInteger() -> Int? {
    let start = position
    var value = 0
    // 16 digits are enough for the limit and cannot overflow.
    while position < count, position - start < 17 {
      let digit = byte(at: position) &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      value = value * 10 + Int(digit)
      position += 1
    }
    guard value <= LogFormat.revisionLimit, byte(at: start) != UInt8(ascii: "0") else { return nil }
    return value
  }

  /// Skips a string of printable ASCII without escapes, and its closing quote.
  ///
  /// It is not inlined: in the large function, the compiler would emit a call for each load of a word.
  ///
  /// - Returns: The range of the string with its quotes. The opening quote is just before the position.
  @inline(never)
  mutating func plainString() -> Range<Int>? {
    let start = position &- 1
    // Every line has at least this many bytes after a type.
    while has(16) {
      let first = EnvelopeCursor.unusual(word(at: position))
      let second = EnvelopeCursor.unusual(word(at: position &+ 8))
      if (first | second) & EnvelopeCursor.highs == 0 {
        position &+= 16
        continue
      }
      var marks = first & EnvelopeCursor.highs
      if marks == 0 {
        marks = second & EnvelopeCursor.highs
        position &+= 8
      }
      position &+= marks.trailingZeroBitCount >> 3
      guard byte(at: position) == UInt8(ascii: "\"") else { return nil }
      position &+= 1
      return start..<position
    }
    return nil
  }

  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highs: UInt64 { 0x8080_8080_8080_8080 }

  /// Returns a word whose high bits mark quotes, backslashes, and bytes that are not printable ASCII.
  ///
  /// A borrow can mark too many bytes, but only above a byte that is marked correctly. The other bits have no meaning.
  @inline(__always)
  private static func unusual(_ word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    return (word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones) | word
  }
}
