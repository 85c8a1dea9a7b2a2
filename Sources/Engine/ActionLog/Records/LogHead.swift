internal import JSONCoding

/// The contents of `HEAD`: what was known durable when it was written.
///
/// It is evidence for recovery and never an authority: it is not synchronised itself, so it may be older than the log,
/// and it can only make the engine refuse, never cut.
package struct LogHead: Equatable, Sendable {
  /// The highest revision that was durable.
  package var seq: Int
  /// The first revision of the segment that was active, which is its name.
  package var segment: Int
  /// How many bytes of that segment were durable.
  package var bytes: Int
  /// The checksum of the last durable line.
  package var crc: UInt32

  /// Exactly 128 bytes: the object, spaces, a line feed.
  package func encoded() -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(LogFormat.headSizeBytes)
    output.append(contentsOf: #"{"seq":"#.utf8)
    JSONText.appendInt(seq, to: &output)
    output.append(contentsOf: #","segment":"#.utf8)
    JSONText.appendInt(segment, to: &output)
    output.append(contentsOf: #","bytes":"#.utf8)
    JSONText.appendInt(bytes, to: &output)
    output.append(contentsOf: #","crc":""#.utf8)
    ChecksumDigits.append(crc, to: &output)
    output.append(contentsOf: #""}"#.utf8)
    // Never negative: names and the longest numbers take 98 bytes.
    let padding = LogFormat.headSizeBytes - 1 - output.count
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: padding))
    output.append(UInt8(ascii: "\n"))
    return output
  }

  package init(seq: Int, segment: Int, bytes: Int, crc: UInt32) {
    self.seq = seq
    self.segment = segment
    self.bytes = bytes
    self.crc = crc
  }

  /// Reads what ``encoded()`` writes; `nil` for everything else, a write that was cut short included.
  package init?(parsing bytes: [UInt8]) {
    guard bytes.count == LogFormat.headSizeBytes, bytes.last == UInt8(ascii: "\n") else { return nil }
    do {
      let root = try JSONTape(parsing: bytes).root
      self.init(
        seq: try root.number("seq", from: 0),
        segment: try root.number("segment", from: 1),
        bytes: try root.number("bytes", from: 1),
        crc: try root.checksum("crc")
      )
    } catch {
      return nil
    }
  }
}
