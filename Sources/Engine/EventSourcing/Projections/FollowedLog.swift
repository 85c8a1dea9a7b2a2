import ActionLog

/// A log that another process writes.
struct FollowedLog: Sendable {
  private var follower: LogFollower
  /// The actions that were read and not taken, in order.
  private var pending: [LogRecord] = []
  /// The last revision that was durable in the beginning.
  private let firstDurable: Int
  /// The last revision that was read.
  private(set) var lastRevision: Int
  /// Whether the last call of ``poll()`` may have left records unread.
  private(set) var mayHaveMore = false

  /// The most records of one poll, and the most that wait to be durable. If there are more, they are read from the log again.
  static let limit = 10_000

  /// - Parameters:
  ///   - revision: The last revision that is not needed.
  ///   - durable: The last revision that is known to be durable.
  init(_ reader: LogReader, after revision: Int, durable: Int) throws(LogError) {
    follower = try reader.follower(from: revision + 1)
    lastRevision = revision
    firstDurable = durable
  }

  /// The last revision that was read and is known to be durable.
  var durableRevision: Int { min(max(firstDurable, follower.durableRevision), lastRevision) }

  /// The first revision of the actions that wait.
  var firstPending: Int? { pending.first?.revision }

  /// Reads what was added.
  ///
  /// - Returns: The first revision that the writer has discarded; `nil` if it has discarded none.
  mutating func poll() throws(LogError) -> Int? {
    mayHaveMore = false
    do throws(LogError) {
      let records = try follower.poll(maximumCount: Self.limit)
      mayHaveMore = !records.isEmpty
      for record in records where !record.isControl && record.revision > lastRevision {
        lastRevision = record.revision
        if pending.count == Self.limit { pending.removeAll(keepingCapacity: true) }
        pending.append(record)
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

  /// Takes the actions up to a revision.
  mutating func take(through revision: Int) -> [LogRecord] {
    let count = pending.prefix { record in record.revision <= revision }.count
    defer { pending.removeFirst(count) }
    return Array(pending.prefix(count))
  }
}
