package import ActionLog

/// The records of the actions around a position: read in blocks, cached, and converted on demand.
///
/// A block is found by binary search, so reading one costs the same in a short and in a long log.
package struct RecordWindow<Value: Sendable>: Sendable {
  /// Reading a block costs one search in the log and the parsing of each of its lines: a third of the 0.1 ms that a step may
  /// cost. The rest is for the actions that the step may have to fold.
  private static var blockLength: Int { 32 }

  /// Enough for a move of 1 000 actions and some more in the other direction.
  private static var blockLimit: Int { 40 }

  /// The cached blocks by number. Block *b* begins with action *b* · length + 1; the last block of a history can be shorter.
  private var blocks: [Int: Block] = [:]
  /// The most recently used last.
  private var order: [Int] = []
  /// The number of bytes read from the log's segments.
  package private(set) var bytesRead = 0

  package init() {}

  /// Returns the value of a revision; `nil` if there is no action up to the last one to read.
  ///
  /// - Parameter convert: Returns the value of a record. It is called once as long as the value is cached.
  package mutating func value(
    at revision: Int, in reader: LogReader, last: Int, _ convert: (_ batch: RecordBatch, _ index: Int) -> Value
  ) throws(LogError) -> Value? {
    let number = (revision - 1) / Self.blockLength
    // A pruned log may begin in the middle of a block.
    let first = max(number * Self.blockLength, reader.currentBase?.revision ?? 0) + 1
    guard revision >= first else { return nil }
    // An incomplete block is read again when the log has grown.
    if let known = blocks[number], !known.holds(revision), known.last < last { blocks[number] = nil }
    if blocks[number] == nil {
      let end = min((number + 1) * Self.blockLength, last)
      guard first <= end else { return nil }
      blocks[number] = try Block(first...end, in: reader, last: last, &bytesRead)
    }
    if order.last != number { touch(number) }
    return blocks[number]?.value(at: revision, convert)
  }

  private mutating func touch(_ number: Int) {
    order.removeAll { other in other == number }
    order.append(number)
    if order.count > Self.blockLimit { blocks[order.removeFirst()] = nil }
  }
}

extension RecordWindow {
  /// Consecutive actions.
  private struct Block: Sendable {
    private var batches: [RecordBatch] = []
    private var places: [(batch: Int, record: Int)] = []
    private var values: [Value?]
    private var first: Int
    /// The end of the log when the block was read.
    private(set) var last: Int

    /// The size of a read: two reads hold a block of lines of the usual length and the lines before it.
    private static var chunkBytes: Int { 1 << 13 }

    /// Reads the actions where they are known to be, or else searches for them.
    init(_ range: ClosedRange<Int>, in reader: LogReader, last: Int, _ bytesRead: inout Int) throws(LogError) {
      do throws(LogError) {
        self = try Self(range, last, &bytesRead) { () throws(LogError) in
          try reader.records(from: range.lowerBound, chunkBytes: Self.chunkBytes, reader.knownListing)
        }
        if places.count == range.count { return }
      } catch {
        // The log has changed or is damaged: a complete read finds out which.
      }
      self = try Self(range, last, &bytesRead) { () throws(LogError) in
        try reader.batches(from: range.lowerBound, chunkBytes: Self.chunkBytes)
      }
    }

    private init(
      _ range: ClosedRange<Int>, _ last: Int, _ bytesRead: inout Int, _ open: () throws(LogError) -> RecordCursor
    ) throws(LogError) {
      values = Array(repeating: nil, count: range.count)
      first = range.lowerBound
      self.last = last
      var iterator = try open()
      defer { bytesRead += iterator.bytesRead }
      while places.count < range.count, let batch = try iterator.nextBatch() {
        for (index, entry) in batch.entries.enumerated() where !entry.isControl && range.contains(entry.revision) {
          places.append((batch: batches.count, record: index))
        }
        batches.append(batch)
      }
    }

    func holds(_ revision: Int) -> Bool { places.indices.contains(revision - first) }

    mutating func value(at revision: Int, _ convert: (RecordBatch, Int) -> Value) -> Value? {
      guard holds(revision) else { return nil }
      let index = revision - first
      if let value = values[index] { return value }
      let value = convert(batches[places[index].batch], places[index].record)
      values[index] = value
      return value
    }
  }
}
