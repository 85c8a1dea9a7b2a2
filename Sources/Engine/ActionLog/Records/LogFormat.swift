/// The names and limits of the format `actionlog/1`.
public enum LogFormat {
  /// The name of the format, stored in the first line of every segment.
  public static let name = "actionlog/1"

  /// The longest line, including its line feed: 16 MiB. The limit bounds the memory of every reader.
  public static let lineLimitBytes = 16_777_216

  /// The longest torn tail, and the longest distance to search for the end of a line that is too long: 256 MiB.
  ///
  /// A crash tears only bytes that were not synced: at most a segment and a unit, by default 32 MiB and 8 MiB. A longer tail, such as that of
  /// a file that was extended by zeros or a hole, is damage, and is not read to its end.
  package static let tornLimitBytes = 16 * lineLimitBytes

  /// The deepest nesting of a line. The record itself is level 1. Deeper texts overflow the stacks of other readers.
  public static let depthLimit = 128

  /// The largest `seq`: 2⁵³ − 1, the largest integer that every JSON reader keeps exactly.
  package static let revisionLimit = 9_007_199_254_740_991

  /// The longest `type`, in bytes.
  public static let typeLimitBytes = 1_024

  /// The largest number of parts that the writer joins to a `type` from nested enum cases.
  package static let typePartLimit = 64

  /// The longest name of a model, in bytes.
  public static let modelLimitBytes = 255

  /// The longest key of a log in a set of logs, in bytes.
  public static let keyLimitBytes = 1_024

  /// Whether a text can be the key of a log.
  static func isKey(_ text: String) -> Bool { (1...keyLimitBytes).contains(text.utf8.count) }

  // MARK: Lines

  /// The longest envelope: the members of a line other than the type, `data` and `meta`, with all names and punctuation.
  ///
  /// Names and punctuation take 74 bytes, the time 27, two numbers of 16 digits 32, and two checksums 16.
  static let envelopeLimitBytes = 160

  /// The memory that the encoder needs for an envelope: it writes words of eight bytes, and numbers may have 19 digits.
  static let envelopeRoomBytes = 224

  /// The length of the member `salt`, with its comma: `,"salt":"…"` with 22 characters.
  static let saltMemberBytes = 32

  /// The text before the checksum in the commit mark. The complete mark is `,"crc":"xxxxxxxx"}` and a line feed.
  @inline(__always) static var markOpening: StaticString { #","crc":""# }

  /// The text after the checksum in the commit mark.
  @inline(__always) static var markEnding: StaticString { "\"}\n" }

  /// ``markOpening`` as a little-endian word.
  static let markOpeningWord: UInt64 = 0x223A_2263_7263_222C

  /// ``markEnding`` without its line feed, as a little-endian word.
  static let markEndingWord: UInt16 = 0x7D22

  /// The length of the commit mark, including its line feed.
  static let markSizeBytes = 19

  // MARK: Files

  /// The longest snapshot, and the longest base of a pruned log, that is read: a bound on the memory of every reader.
  package static let snapshotLimitBytes = 1 << 30

  /// The longest file of marks: enough for thousands of marks with the longest remarks.
  package static let marksLimitBytes = 64 << 20

  /// The longest file of a subscription: enough for tens of thousands of parked actions. If a handler fails more often, it must be
  /// corrected.
  package static let subscriptionLimitBytes = 128 << 20

  /// The name of the file that records how far the log is durable.
  package static let headName = "HEAD"

  /// The name of the file with the state that a pruned log begins with.
  package static let baseName = "base.json"

  /// The length of `HEAD`. It is constant, so that one write replaces the complete file.
  package static let headSizeBytes = 128

  package static let segmentSuffix = ".jsonl"

  /// The suffix of a file in a log that is not complete yet.
  package static let newSuffix = ".new"

  /// The suffix of a file or directory that has not received its final name.
  package static let unfinishedSuffix = ".unfinished"

  /// The folder of snapshots.
  package static let snapshotsName = "snapshots"

  /// The folder of the snapshots of projections, with a folder for each projection.
  package static let projectionsName = "projections"

  /// The folder of bytes that recovery removed from the log.
  package static let quarantineName = "quarantine"

  /// The file of named revisions.
  package static let marksName = "marks.jsonl"

  /// The folder of the positions of subscriptions.
  package static let subscriptionsName = "subscriptions"

  /// The file of records that `salvage` found after a gap.
  package static let afterGapName = "after-gap.jsonl"

  /// The file that lists shipped segments.
  package static let manifestName = "manifest.jsonl"

  /// The shipped beginning of the active segment.
  package static let tailName = "tail.jsonl"
}

/// The commit mark at the end of a line: `,"crc":"xxxxxxxx"}` and a line feed, in records, snapshots and marks.
///
/// The checksum covers all bytes of the line before the mark, so a line can be checked without its neighbors.
package enum CommitMark {
  /// The bytes before the checksum, which are also those of the last member of `HEAD` and of a header's parent.
  static let opening = LogFormat.markOpening.withUTF8Buffer { bytes in Array(bytes) }
  private static let ending = LogFormat.markEnding.withUTF8Buffer { bytes in Array(bytes) }

  /// The length of the mark, including its line feed.
  package static var sizeBytes: Int { LogFormat.markSizeBytes }

  /// Ends a line. Its last member is complete and its object is still open.
  package static func append(to line: inout [UInt8]) {
    line += bytes(of: CRC32C.checksum(of: line))
  }

  /// Returns the mark for a checksum.
  static func bytes(of checksum: UInt32) -> [UInt8] {
    var mark = opening
    ChecksumDigits.append(checksum, to: &mark)
    return mark + ending
  }

  /// Returns the start of the last line that follows a commit mark whose line feed was overwritten with another byte.
  static func lineStart(afterLastMarkIn bytes: ArraySlice<UInt8>) -> Int? {
    var mark = bytes.endIndex - sizeBytes - 1
    while mark >= bytes.startIndex {
      if bytes[mark] == opening[0], bytes[mark...].starts(with: opening) { return mark + sizeBytes }
      mark -= 1
    }
    return nil
  }

  /// Whether a line, with its line feed, ends with a mark that matches its bytes.
  package static func isIntact(_ line: [UInt8]) -> Bool {
    let end = line.count - sizeBytes
    guard end > 0, line[end...].starts(with: opening), line.suffix(ending.count).elementsEqual(ending) else {
      return false
    }
    let digits = line[(end + opening.count)...].prefix(ChecksumDigits.count)
    return ChecksumDigits.parse(digits) == CRC32C.checksum(of: line[..<end])
  }
}
