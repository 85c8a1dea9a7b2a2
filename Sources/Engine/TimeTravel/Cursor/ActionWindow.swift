import ActionLog
import EventSourcing

/// The actions around a cursor: read in blocks, cached, and decoded on demand.
struct ActionWindow<M: Model>: Sendable {
  /// Reading a block costs one search in the log and the parsing of each of its lines: a third of the 0.1 ms that a step may
  /// cost. The rest is for the actions that the step may have to fold.
  private static var blockLength: Int { 32 }

  /// Enough for a move of 1 000 actions and some more in the other direction.
  private static var blockLimit: Int { 40 }

  /// The cached blocks by number. Block *b* begins with action *b* · length + 1; the last block of a history can be shorter.
  private var blocks: [Int: Block] = [:]
  private var order: [Int] = []

  mutating func action(
    at revision: Int, in history: History<M>, lastRevision: Int, work: inout CursorWork
  ) throws -> RecordedAction<M.Action> {
    let number = (revision - 1) / Self.blockLength
    if order.last != number {
      if blocks[number] == nil {
        // A pruned log may begin in the middle of a block.
        let first = max(number * Self.blockLength, history.firstRevision) + 1
        let last = min((number + 1) * Self.blockLength, lastRevision)
        guard first <= last, revision >= first else { return try history.action(at: revision) }
        blocks[number] = try Block(first...last, in: history, bytesRead: &work.bytesRead)
      }
      touch(number)
    }
    guard let action = try blocks[number]?.action(at: revision, in: history, actionsRead: &work.actionsRead) else {
      return try history.action(at: revision)
    }
    return action
  }

  private mutating func touch(_ number: Int) {
    order.removeAll { other in other == number }
    order.append(number)
    if order.count > Self.blockLimit { blocks[order.removeFirst()] = nil }
  }
}

extension ActionWindow {
  /// Consecutive actions.
  private struct Block: Sendable {
    private var batches: [RecordBatch] = []
    private var places: [(batch: Int, record: Int)] = []
    private var decoded: [RecordedAction<M.Action>?]
    private var first: Int

    /// The size of a read: two reads hold a block of lines of the usual length and the lines before it.
    private static var chunkBytes: Int { 1 << 13 }

    /// Reads the actions where they are known to be, or else searches for them.
    init(_ range: ClosedRange<Int>, in history: History<M>, bytesRead: inout Int) throws {
      let reader = history.reader
      do {
        self = try Self(range, &bytesRead) {
          try reader.records(from: range.lowerBound, chunkBytes: Self.chunkBytes, reader.knownListing)
        }
        if places.count == range.count { return }
      } catch {
        // The log has changed or is damaged: a complete read finds out which.
      }
      self = try Self(range, &bytesRead) { try reader.batches(from: range.lowerBound, chunkBytes: Self.chunkBytes) }
    }

    private init(
      _ range: ClosedRange<Int>, _ bytesRead: inout Int, _ open: () throws -> RecordCursor
    ) throws {
      decoded = Array(repeating: nil, count: range.count)
      first = range.lowerBound
      var iterator = try open()
      defer { bytesRead += iterator.bytesRead }
      while places.count < range.count, let batch = try iterator.nextBatch() {
        for (index, entry) in batch.entries.enumerated() where !entry.isControl && range.contains(entry.revision) {
          places.append((batch: batches.count, record: index))
        }
        batches.append(batch)
      }
    }

    /// Returns the action at a revision; `nil` if the block does not have it.
    mutating func action(
      at revision: Int, in history: History<M>, actionsRead: inout Int
    ) throws -> RecordedAction<M.Action>? {
      let index = revision - first
      guard places.indices.contains(index) else { return nil }
      if let action = decoded[index] { return action }
      let place = places[index]
      let action = try history.recordedAction(in: batches[place.batch], at: place.record)
      decoded[index] = action
      actionsRead += 1
      return action
    }
  }
}
