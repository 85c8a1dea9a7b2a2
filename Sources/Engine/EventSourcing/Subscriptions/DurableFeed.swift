import ActionLog

/// The durable actions of a log after a revision, as they come, each once and in order.
///
/// Actions that are not known to be durable are kept until they are, up to a limit; beyond it they are discarded and read again, so that
/// memory does not grow while a writer does not sync.
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
  private var follower: LogFollower
  /// The first action that was not returned.
  private var next: Int
  private var durableRevision = 0
  /// The actions from ``next`` on that were read, after `taken` returned ones.
  private var pending: [Item] = []
  private var taken = 0
  private var pendingBytes = 0
  private var isDiscarding = false

  /// The number of records of a call of the follower. More would not be faster.
  private static let chunkCount = 1_000
  /// The memory for records that are not durable.
  private static let pendingLimitBytes = 32 << 20
  /// The memory of an item without its record.
  private static let itemBytes = 64

  /// Opens the feed.
  ///
  /// - Throws: `LogError` as `LogReader.follower(from:)`.
  init(_ reader: LogReader, after revision: Int, types: [ActionTypePattern]) throws(LogError) {
    self.reader = reader
    self.types = types
    next = revision + 1
    follower = try reader.follower(from: next)
  }

  /// Returns the next durable actions.
  ///
  /// - Returns: At most `limit` actions; none if there are no more now.
  /// - Throws: `LogError` with code `damaged`, or as reading the log.
  mutating func take(limit: Int) throws(LogError) -> [Item] {
    isAtEnd = false
    while true {
      let items = ready(limit)
      if !items.isEmpty { return items }
      if isDiscarding, durableRevision >= next {
        follower = try reader.follower(from: next)
        isDiscarding = false
      }
      let isEmpty = try poll()
      guard isEmpty else { continue }
      // The check may have shown that actions read before are durable now.
      let last = ready(limit)
      isAtEnd = last.isEmpty
      return last
    }
  }

  /// Reads more records.
  ///
  /// - Returns: Whether there were none.
  private mutating func poll() throws(LogError) -> Bool {
    let records: [LogRecord]
    do throws(LogError) { records = try follower.poll(maximumCount: Self.chunkCount) } catch {
      guard error.code == .rejected else { throw error }
      // The writer discarded what it had not synced. None of it was returned.
      let first = error.revision ?? next
      pending.removeAll { item in item.revision >= first }
      return false
    }
    durableRevision = max(durableRevision, follower.durableRevision)
    for record in records where !record.isControl && record.revision >= next + (pending.count - taken) {
      guard !isDiscarding else { break }
      let isWanted = types.isEmpty || types.contains { pattern in pattern.matches(record.type) }
      let item = Item(revision: record.revision, crc: record.crc, record: isWanted ? record : nil)
      pending.append(item)
      pendingBytes += Self.bytes(of: item)
    }
    if pendingBytes > Self.pendingLimitBytes, taken < pending.count, pending[taken].revision > durableRevision {
      pending = []
      (taken, pendingBytes) = (0, 0)
      isDiscarding = true
    }
    return records.isEmpty
  }

  private static func bytes(of item: Item) -> Int { itemBytes + (item.record?.rawLine.count ?? 0) }

  /// Removes and returns pending actions that are durable.
  private mutating func ready(_ limit: Int) -> [Item] {
    var items: [Item] = []
    while items.count < limit, taken < pending.count, pending[taken].revision <= durableRevision {
      items.append(pending[taken])
      taken += 1
    }
    guard let last = items.last else { return [] }
    next = last.revision + 1
    for item in items { pendingBytes -= Self.bytes(of: item) }
    if taken == pending.count || taken >= Self.chunkCount {
      pending.removeFirst(taken)
      taken = 0
    }
    return items
  }
}
