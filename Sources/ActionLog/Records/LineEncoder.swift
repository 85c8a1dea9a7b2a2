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
    remember(time)
    ByteWriter.append(to: &output) { writer in
      writer.write(#"{"seq":"#)
      writer.write(seq)
      writer.write(#","time":""#)
      writer.write(secondText)
      writer.write(".")
      writer.write(CivilSecond.microsecond(of: time), digits: 6)
      writer.write(#"Z","type":"#)
    }
    JSONText.appendString(type, to: &output)
    ByteWriter.append(to: &output) { writer in
      writer.write(#","synced":"#)
      writer.write(synced)
      writer.write(#","prev":""#)
      writer.write(checksum: prev)
      writer.write(#"","data":"#)
    }
    output.append(contentsOf: data)
    if let meta {
      output.append(contentsOf: #","meta":"#.utf8)
      output.append(contentsOf: meta)
    }
    let crc = output.withUnsafeBytes { bytes in CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: bytes[start...])) }
    ByteWriter.append(to: &output) { writer in
      writer.write(#","crc":""#)
      writer.write(checksum: crc)
      writer.write("\"}\n")
    }
    return crc
  }

  /// Writes the text of a time's second, unless it is that of the line before.
  private mutating func remember(_ time: LogTime) {
    let whole = CivilSecond.whole(of: time)
    guard whole != second else { return }
    secondText.removeAll(keepingCapacity: true)
    CivilSecond(of: time).append(to: &secondText)
    second = whole
  }
}
