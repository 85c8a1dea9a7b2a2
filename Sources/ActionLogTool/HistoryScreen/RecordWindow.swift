import ActionLog

/// The actions around a place in a log, read in blocks by a search when they are looked at, and kept for a while.
///
/// What it costs to show a page of a log does not depend on how long the log is: a block is found by halving.
struct RecordWindow {
  /// Several screens: a page up or down is mostly in the block that is there.
  private static let blockLength = 128
  /// What turning back and forth touches.
  private static let blockLimit = 16

  private let reader: LogReader
  private var blocks: [Int: [LogRecord]] = [:]
  /// The numbers of the blocks, the one that was used last at the end.
  private var order: [Int] = []
  /// Blocks that were read, and the records in them: what a test counts.
  private(set) var blocksRead = 0
  private(set) var recordsRead = 0

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
    let place = revision - first
    if order.last != number {
      order.removeAll { other in other == number }
      // The last block may have been short when it was read.
      if blocks[number].map({ block in block.count <= place }) ?? true {
        blocks[number] = try read(first...min(first + Self.blockLength - 1, max(first, last)))
      }
      order.append(number)
      if order.count > Self.blockLimit { blocks[order.removeFirst()] = nil }
    }
    guard let block = blocks[number], place < block.count else { return nil }
    return block[place]
  }

  private mutating func read(_ range: ClosedRange<Int>) throws(LogError) -> [LogRecord] {
    var block: [LogRecord] = []
    var records = try reader.records(from: range.lowerBound, chunkBytes: Self.chunkBytes)
    blocksRead += 1
    while block.count < range.count, let record = try records.next() {
      recordsRead += 1
      if !record.isControl { block.append(record) }
    }
    return block
  }

  /// A block of lines of the usual length.
  private static let chunkBytes = 1 << 15
}
