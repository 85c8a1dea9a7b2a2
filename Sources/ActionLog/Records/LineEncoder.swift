internal import JSONCoding

/// Writes lines in the one order of members that the format has.
///
/// It remembers the text of the last second, because consecutive records mostly share it.
package struct LineEncoder: Sendable {
  private var second: Int64?
  private var secondText: [UInt8] = []

  package init() {}

  /// Appends one line with its line feed.
  ///
  /// - Returns: The checksum of the line.
  /// - Complexity: O(length).
  package mutating func append(
    seq: Int,
    time: LogTime,
    type: String,
    synced: Int,
    prev: UInt32,
    data: [UInt8],
    meta: [UInt8]? = nil,
    to output: inout [UInt8]
  ) -> UInt32 {
    let start = output.count
    output.append(contentsOf: #"{"seq":"#.utf8)
    JSONText.appendInt(seq, to: &output)
    output.append(contentsOf: #","time":""#.utf8)
    append(time, to: &output)
    output.append(contentsOf: #"","type":"#.utf8)
    JSONText.appendString(type, to: &output)
    output.append(contentsOf: #","synced":"#.utf8)
    JSONText.appendInt(synced, to: &output)
    output.append(contentsOf: #","prev":""#.utf8)
    ChecksumDigits.append(prev, to: &output)
    output.append(contentsOf: #"","data":"#.utf8)
    output.append(contentsOf: data)
    if let meta {
      output.append(contentsOf: #","meta":"#.utf8)
      output.append(contentsOf: meta)
    }
    let crc = output.withUnsafeBytes { bytes in CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: bytes[start...])) }
    output.append(contentsOf: #","crc":""#.utf8)
    ChecksumDigits.append(crc, to: &output)
    output.append(contentsOf: "\"}\n".utf8)
    return crc
  }

  private mutating func append(_ time: LogTime, to output: inout [UInt8]) {
    let whole = CivilSecond.whole(of: time)
    if whole != second {
      secondText.removeAll(keepingCapacity: true)
      CivilSecond(of: time).append(to: &secondText)
      second = whole
    }
    output.append(contentsOf: secondText)
    time.appendFraction(to: &output)
  }
}
