import ActionLog

/// A log that another process writes, or another part of this one: its actions from a revision on, with those that are durable.
struct FollowedLog: Sendable {
  private var follower: LogFollower
  /// The actions that were read and not taken, in order: a slice, so that taking a few does not move the others.
  private var pending: ArraySlice<LogRecord> = []
  /// The last revision that was durable in the beginning.
  private let firstDurable: Int
  private(set) var lastRevision: Int
  /// Whether the last call of ``poll(maximumCount:)`` may have left records unread.
  private(set) var mayHaveMore = false

  /// The most records of one poll, and the most that wait to be durable. If there are more, they are read from the log again.
  static let limit = 10_000
  /// The memory for records that wait to be durable.
  private static let limitBytes = 32 << 20

  init(_ reader: LogReader, after revision: Int, durable: Int) throws(LogError) {
    follower = try reader.follower(from: revision + 1)
    lastRevision = revision
    firstDurable = durable
  }

  var durableRevision: Int { min(max(firstDurable, follower.durableRevision), lastRevision) }

  var firstPending: Int? { pending.first?.revision }

  /// Reads what was added.
  mutating func poll(maximumCount: Int = limit) throws(LogError) -> Int? {
    mayHaveMore = false
    do throws(LogError) {
      let records = try follower.poll(maximumCount: maximumCount)
      mayHaveMore = !records.isEmpty
      for record in records where !record.isControl && record.revision > lastRevision {
        lastRevision = record.revision
        if pending.count == Self.limit { pending.removeAll(keepingCapacity: true) }
        pending.append(record)
      }
      // Memory must not grow while a writer does not sync.
      if let firstPending, firstPending > durableRevision,
        pending.reduce(0, { sum, record in sum + record.rawLine.count }) > Self.limitBytes
      {
        pending = []
      }
      return nil
    } catch {
      guard error.code == .rejected, let revision = error.revision else { throw error }
      pending.removeAll { record in record.revision >= revision }
      lastRevision = min(lastRevision, revision - 1)
      mayHaveMore = true
      return revision
    }
  }

  mutating func take(through revision: Int) -> [LogRecord] {
    let count = pending.prefix { record in record.revision <= revision }.count
    defer { pending.removeFirst(count) }
    return Array(pending.prefix(count))
  }
}

/// The durable actions of a log after a revision, as they come, each once and in order.
struct DurableFeed: Sendable {
  /// A durable action.
  struct Item: Sendable {
    var revision: Int
    var crc: UInt32
    /// The record; `nil` if its type is not requested.
    var record: LogRecord?
  }

  /// Whether the last ``take(limit:)`` found the end of the log.
  private(set) var isAtEnd = false

  private let reader: LogReader
  private let types: [ActionTypePattern]
  private var followed: FollowedLog
  private var next: Int

  /// The number of records of a poll. More would not be faster.
  private static let chunkCount = 1_000

  init(_ reader: LogReader, after revision: Int, types: [ActionTypePattern]) throws(LogError) {
    self.reader = reader
    self.types = types
    next = revision + 1
    followed = try FollowedLog(reader, after: revision, durable: 0)
  }

  mutating func take(limit: Int) throws(LogError) -> [Item] {
    isAtEnd = false
    while true {
      let durable = followed.durableRevision
      if durable >= next {
        let records = followed.firstPending == next ? followed.take(through: min(durable, next + limit - 1)) : []
        if let last = records.last {
          next = last.revision + 1
          return records.map { record in
            let isWanted = types.isEmpty || types.contains { pattern in pattern.matches(record.type) }
            return Item(revision: record.revision, crc: record.crc, record: isWanted ? record : nil)
          }
        }
        // They were too many to hold while they were not durable.
        followed = try FollowedLog(reader, after: next - 1, durable: durable)
      }
      // The writer may have discarded actions that were not durable. None of them was returned.
      _ = try followed.poll(maximumCount: Self.chunkCount)
      // The poll may also have shown that actions read before are durable now.
      guard followed.mayHaveMore || followed.durableRevision >= next else {
        isAtEnd = true
        return []
      }
    }
  }
}
