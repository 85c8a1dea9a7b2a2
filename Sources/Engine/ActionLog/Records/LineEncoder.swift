internal import JSONCoding

/// Writes lines in the one order of members that the format has.
///
/// It remembers the text of the last second, because consecutive records mostly share it.
package struct LineEncoder: Sendable {
  private var second: Int64?
  /// The 19 characters of the second and the point after them, the first one lowest.
  private var secondText: (UInt64, UInt64, UInt32) = (0, 0, 0)

  package init() {}

  /// The most that the members of an envelope and their names take, and eight bytes of room to write words in: names and
  /// signs are 85 bytes, the time 27, two numbers of 19 digits, two checksums of 8.
  private static let envelopeLimitBytes = 192

  /// How much room a line needs.
  package static func sizeLimit(type: Int, data: Int, meta: Int) -> Int {
    envelopeLimitBytes + type + data + meta
  }

  /// Writes one line with its line feed.
  ///
  /// - Parameters:
  ///   - type: The type as it stands in the line, with its quotes.
  ///   - start: Room for ``sizeLimit(type:data:meta:)`` bytes.
  /// - Returns: The length of the line, and its checksum.
  /// - Complexity: O(length).
  @inline(__always)
  package mutating func write(
    seq: Int,
    time: LogTime,
    type: UnsafeRawBufferPointer,
    synced: Int,
    prev: UInt32,
    data: UnsafeRawBufferPointer,
    meta: UnsafeRawBufferPointer?,
    to start: UnsafeMutableRawPointer
  ) -> (size: Int, crc: UInt32) {
    let whole = CivilSecond.whole(of: time)
    if whole != second { remember(whole, time) }
    var writer = ByteWriter(at: start)
    writer.write(#"{"seq":"#)
    writer.write(seq)
    writer.write(#","time":""#)
    writer.write(word: secondText.0)
    writer.write(word: secondText.1)
    writer.write(word: UInt64(secondText.2), count: 4)
    writer.write(microsecond: Int(truncatingIfNeeded: time.microseconds &- whole &* 1_000_000))
    writer.write(#"Z","type":"#)
    writer.write(type)
    writer.write(#","synced":"#)
    writer.write(synced)
    writer.write(#","prev":""#)
    writer.write(word: ChecksumDigits.word(prev))
    writer.write(#"","data":"#)
    writer.write(data)
    if let meta {
      writer.write(#","meta":"#)
      writer.write(meta)
    }
    let crc = CRC32C.checksum(of: UnsafeRawBufferPointer(start: start, count: writer.next - start))
    writer.write(#","crc":""#)
    writer.write(word: ChecksumDigits.word(crc))
    writer.write("\"}\n")
    return (writer.next - start, crc)
  }

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
    var text: [UInt8] = []
    JSONText.appendString(type, to: &text)
    let limit = LineEncoder.sizeLimit(type: text.count, data: data.count, meta: meta?.count ?? 0)
    var crc: UInt32 = 0
    output += [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      // A capacity of more than no bytes has an address.
      let start = UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped)
      text.withUnsafeBytes { type in
        data.withUnsafeBytes { data in
          (meta ?? []).withUnsafeBytes { bytes in
            (count, crc) = write(
              seq: seq, time: time, type: type, synced: synced, prev: prev, data: data,
              meta: meta == nil ? nil : bytes, to: start)
          }
        }
      }
    }
    return crc
  }

  private mutating func remember(_ whole: Int64, _ time: LogTime) {
    var text: [UInt8] = []
    CivilSecond(of: time).append(to: &text)
    text.append(UInt8(ascii: "."))
    secondText = text.withUnsafeBytes { bytes in
      (
        UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
      )
    }
    second = whole
  }
}
