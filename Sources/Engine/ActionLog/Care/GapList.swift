/// Notes what is missing, while the lines beyond the intact part of a log go by.
struct GapList {
  private var gaps: [SalvageReport.Gap] = []
  private var current: SalvageReport.Gap?
  private var lastSeq: Int
  /// The checksum of the last good line; `nil` before the first one of a log that begins with a gap.
  private var lastCRC: UInt32?

  /// Begins behind a line.
  init(lastSeq: Int, lastCRC: UInt32?) {
    self.lastSeq = lastSeq
    self.lastCRC = lastCRC
  }

  /// Notes bytes that are no record.
  mutating func noteBad(_ message: String, _ path: String, _ byteOffset: Int, _ sizeBytes: Int) {
    if current?.path == path {
      current?.sizeBytes += sizeBytes
      return
    }
    close(before: nil)
    current = SalvageReport.Gap(
      message: message, path: path, byteOffset: byteOffset, sizeBytes: sizeBytes, lastSeqBefore: lastSeq,
      firstSeqAfter: nil)
  }

  /// Notes a good line.
  mutating func noteGood(_ parsed: ParsedLine, _ path: String, _ byteOffset: Int) {
    let next = parsed.isControl ? parsed.seq + 1 : parsed.seq
    if current != nil {
      close(before: next)
    } else if lastCRC != parsed.prev {
      current = SalvageReport.Gap(
        message: "lines are missing", path: path, byteOffset: byteOffset, sizeBytes: 0, lastSeqBefore: lastSeq,
        firstSeqAfter: nil)
      close(before: next)
    }
    lastSeq = max(lastSeq, parsed.seq)
    lastCRC = parsed.crc
  }

  private mutating func close(before seq: Int?) {
    guard var gap = current else { return }
    gap.firstSeqAfter = seq
    gaps.append(gap)
    current = nil
  }

  /// The gaps.
  ///
  /// - Parameter end: What to note when nothing else is: a log that merely ends too early.
  mutating func finished(orElse end: SalvageReport.Gap?) -> [SalvageReport.Gap] {
    close(before: nil)
    return gaps.isEmpty ? [end].compactMap { gap in gap } : gaps
  }
}
