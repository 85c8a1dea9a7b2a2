/// The names and limits of the format `actionlog/1`, each in one place.
public enum LogFormat {
  /// The name that the first line of every segment carries.
  public static let name = "actionlog/1"

  /// The longest line, its line feed included: 16 MiB. It bounds the memory of every reader.
  public static let lineLimitBytes = 16_777_216

  /// The deepest nesting of a line, the record itself being 1: deeper texts overflow the stacks of other readers.
  public static let depthLimit = 128

  /// The largest `seq`, 2⁵³ − 1: the largest integer that every JSON reader keeps exactly.
  public static let seqLimit = 9_007_199_254_740_991

  /// The longest `type`, in bytes.
  public static let typeLimitBytes = 1_024

  /// The most parts of a `type` that the writer makes out of nested enum cases.
  public static let typePartLimit = 64

  /// The longest name of a model, in bytes.
  public static let modelLimitBytes = 255

  /// `HEAD` is always exactly this long, so that one write replaces it whole.
  static let headSizeBytes = 128

  /// The commit mark `,"crc":"xxxxxxxx"}` and its line feed.
  static let suffixSizeBytes = 19

  /// The name of the file that says what is known durable.
  public static let headName = "HEAD"

  /// The folder of snapshots.
  public static let snapshotsName = "snapshots"

  /// The folder that keeps what recovery cut off.
  public static let quarantineName = "quarantine"

  /// The file of named points.
  public static let marksName = "marks.jsonl"
}

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
