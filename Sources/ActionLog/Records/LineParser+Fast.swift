internal import JSONCoding

extension LineParser {
  /// Reads a line whose members stand as the writer puts them, with only `data` and `meta` going through the tokenizer.
  ///
  /// - Returns: `nil` when the line is any different, good or bad.
  static func parseFast(_ line: ArraySlice<UInt8>, crc: UInt32) -> ParsedLine? {
    guard var parsed = line.withUnsafeBytes({ bytes in parseEnvelope(bytes, crc: crc) }) else { return nil }
    let first = line.startIndex
    let end = markOffset(line)
    let start = parsed.data.lowerBound
    guard start < end else { return nil }
    if end - start == 2, line.hasBytes("{}", at: start) {
      parsed.data = start..<end
      return parsed
    }
    // Within the record, itself at depth 1.
    let depth = LogFormat.depthLimit - 1
    do throws(JSONError) {
      let data = try JSONTape(parsing: line[first + start..<first + end], maximumDepth: depth).root
      guard data.kind == .object, data.byteRange.count == end - start else { return nil }
      parsed.data = start..<end
      return parsed
    } catch {
      guard error.code == .trailingBytes, let length = error.byteOffset else { return nil }
      return addMeta(to: parsed, line, dataEnd: start + length, depth: depth)
    }
  }

  /// Reads `,"meta":{…}` between the end of `data` and the commit mark.
  private static func addMeta(
    to parsed: ParsedLine, _ line: ArraySlice<UInt8>, dataEnd: Int, depth: Int
  ) -> ParsedLine? {
    let name: StaticString = #","meta":"#
    let start = dataEnd + name.utf8CodeUnitCount
    let end = markOffset(line)
    guard line.hasBytes(name, at: dataEnd), start < end else { return nil }
    var parsed = parsed
    // The tokenizer has accepted what lies before, so that `data` ends with the bracket that it began with.
    guard line[line.startIndex + parsed.data.lowerBound] == UInt8(ascii: "{"),
      line[line.startIndex + dataEnd - 1] == UInt8(ascii: "}")
    else { return nil }
    do throws(JSONError) {
      let range = line.startIndex + start..<line.startIndex + end
      let meta = try JSONTape(parsing: line[range], maximumDepth: depth).root
      guard meta.kind == .object, meta.byteRange.count == end - start else { return nil }
    } catch {
      return nil
    }
    parsed.data = parsed.data.lowerBound..<dataEnd
    parsed.meta = start..<end
    return parsed
  }

  /// Reads everything before the value of `data`; the range of `data` is then empty, at its first byte.
  private static func parseEnvelope(_ bytes: UnsafeRawBufferPointer, crc: UInt32) -> ParsedLine? {
    var cursor = EnvelopeCursor(bytes: bytes)
    guard cursor.skip(#"{"seq":"#), let seq = cursor.integer(),
      cursor.skip(#","time":""#), let time = cursor.time(),
      cursor.skip(#"","type":"#), let type = cursor.plainString(),
      cursor.skip(#","synced":"#), let synced = cursor.integer(),
      cursor.skip(#","prev":""#), let prev = cursor.checksum(),
      cursor.skip(#"","data":"#)
    else { return nil }
    guard (3...LogFormat.typeLimitBytes + 2).contains(type.count) else { return nil }
    return ParsedLine(
      seq: seq,
      time: time,
      synced: synced,
      prev: prev,
      crc: crc,
      isControl: bytes[type.lowerBound + 1] == UInt8(ascii: "@"),
      type: type,
      data: cursor.position..<cursor.position,
      meta: nil
    )
  }
}
