import ActionLog

/// The actions around a position in a log: read in blocks when they are shown, and cached.
///
/// A block is found by binary search, so showing a page costs the same in a short and in a long log.
struct RecordWindow {
  /// Several screens: a page up or down is mostly in the block that is there.
  private static let blockLength = 128
  /// What turning back and forth touches.
  private static let blockLimit = 16

  private struct Block {
    var records: [LogRecord]
    /// The end of the log when the block was read: a later action may be missing from it.
    var last: Int
  }

  private let reader: LogReader
  private var blocks: [Int: Block] = [:]
  /// The numbers of the blocks, the most recently used last.
  private var order: [Int] = []

  init(_ reader: LogReader) {
    self.reader = reader
  }

  /// The action that led to a revision.
  ///
  /// - Parameters:
  ///   - revision: The revision, from 1.
  ///   - last: The end of the log, beyond which nothing is read.
  /// - Returns: `nil` when there is none.
  mutating func record(at revision: Int, last: Int) throws(LogError) -> LogRecord? {
    let number = (revision - 1) / Self.blockLength
    let first = number * Self.blockLength + 1
    let offset = revision - first
    // A block at the end of a log that grows is read again, once for each end that the log had.
    if blocks[number].map({ block in block.records.count <= offset && block.last < last }) ?? true {
      blocks[number] = Block(
        records: try read(first...min(first + Self.blockLength - 1, max(first, last))), last: last)
    }
    if order.last != number {
      order.removeAll { other in other == number }
      order.append(number)
      if order.count > Self.blockLimit { blocks[order.removeFirst()] = nil }
    }
    guard let records = blocks[number]?.records, offset < records.count else { return nil }
    return records[offset]
  }

  private mutating func read(_ range: ClosedRange<Int>) throws(LogError) -> [LogRecord] {
    var block: [LogRecord] = []
    var records = try reader.records(from: range.lowerBound, chunkBytes: Self.chunkBytes)
    while block.count < range.count, let record = try records.next() {
      if !record.isControl { block.append(record) }
    }
    return block
  }

  /// A block of lines of the usual length.
  private static let chunkBytes = 1 << 15
}
