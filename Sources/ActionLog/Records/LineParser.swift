internal import JSONCoding

/// Reads one line strictly: commit mark, checksum, JSON, members.
///
/// Lines in the order of members that the writer uses take the path of `LineParser+Fast.swift`; every other order,
/// unknown members and escapes in the type take the general one here. Both accept the same lines.
enum LineParser {
  /// Reads a line.
  ///
  /// - Parameter line: The line without its line feed.
  /// - Complexity: O(length).
  static func parse(_ line: ArraySlice<UInt8>) throws(LineFault) -> ParsedLine {
    guard line.count < LogFormat.lineLimitBytes else { throw .tooLong }
    let crc = try checkedChecksum(line)
    if let parsed = parseFast(line, crc: crc) { return parsed }
    return try parseAny(line, crc: crc)
  }

  /// Where the commit mark begins, counted from the first byte of the line.
  static func markOffset(_ line: ArraySlice<UInt8>) -> Int {
    line.count - (LogFormat.suffixSizeBytes - 1)
  }

  /// The checksum in the commit mark, after it was compared with the bytes before the mark.
  private static func checkedChecksum(_ line: ArraySlice<UInt8>) throws(LineFault) -> UInt32 {
    let offset = markOffset(line)
    guard offset > 0, line.hasBytes(#","crc":""#, at: offset), line.hasBytes(#""}"#, at: line.count - 2),
      let crc = ChecksumDigits.parse(line.suffix(10).prefix(ChecksumDigits.count))
    else { throw .noCommitMark }
    let found = line.withUnsafeBytes { bytes in CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: bytes[..<offset]))
    }
    guard found == crc else { throw .checksumMismatch }
    return crc
  }

  private static func parseAny(_ line: ArraySlice<UInt8>, crc: UInt32) throws(LineFault) -> ParsedLine {
    let root: JSONTape.Node
    do throws(JSONError) {
      root = try JSONTape(parsing: line, maximumDepth: LogFormat.depthLimit).root
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
        meta: meta?.byteRange
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

extension ArraySlice<UInt8> {
  /// Whether a literal stands at an offset that is counted from the first byte of the slice.
  func hasBytes(_ literal: StaticString, at offset: Int) -> Bool {
    withUnsafeBytes { bytes in ByteSearch.has(literal, in: bytes, at: offset) }
  }
}
