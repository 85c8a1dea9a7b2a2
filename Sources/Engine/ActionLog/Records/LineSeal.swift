/// The commit mark at the end of a line of JSON: `,"crc":"xxxxxxxx"}` and a line feed, in records and in snapshots.
///
/// The checksum is over all bytes before it, so every line checks by itself.
package enum LineSeal {
  private static let opening = Array(#","crc":""#.utf8)
  private static let ending = Array("\"}\n".utf8)
  /// The whole mark.
  package static var sizeBytes: Int { opening.count + ChecksumDigits.count + ending.count }

  /// Ends a line whose last member is complete and whose object is still open.
  ///
  /// - Complexity: O(length of the line).
  package static func append(to line: inout [UInt8]) {
    line += mark(CRC32C.checksum(of: line))
  }

  /// The mark that says a checksum.
  static func mark(_ checksum: UInt32) -> [UInt8] {
    var mark = opening
    ChecksumDigits.append(checksum, to: &mark)
    return mark + ending
  }

  /// Where the last line in some bytes begins whose predecessor has its mark but not its line feed: another byte stands there.
  ///
  /// - Complexity: O(count of the bytes).
  static func start(behindAMarkIn bytes: ArraySlice<UInt8>) -> Int? {
    var mark = bytes.endIndex - sizeBytes - 1
    while mark >= bytes.startIndex {
      if bytes[mark] == opening[0], bytes[mark...].starts(with: opening) { return mark + sizeBytes }
      mark -= 1
    }
    return nil
  }

  /// Whether a line, with its line feed, ends in a mark that agrees with its bytes.
  ///
  /// - Complexity: O(length of the line).
  package static func isIntact(_ line: [UInt8]) -> Bool {
    let end = line.count - sizeBytes
    guard end > 0, line[end...].starts(with: opening), line.suffix(ending.count).elementsEqual(ending) else {
      return false
    }
    let digits = line[(end + opening.count)...].prefix(ChecksumDigits.count)
    return ChecksumDigits.parse(digits) == CRC32C.checksum(of: line[..<end])
  }
}
