/// What a writer's threads share.
struct WriterState: Sendable {
  /// Where a writer stands in its life.
  enum Phase: Sendable {
    case open, closing, closed
  }

  /// A task that waits for a unit.
  struct Waiter: Sendable {
    var ticket: LogTicket
    var needsSync: Bool
    var continuation: CheckedContinuation<Result<LogReceipt, LogError>, Never>
  }

  var queue: WriterQueue
  /// The active segment, and its path.
  var file: any LogFile
  var path: String
  /// Which file the active segment is; `nil` where the file system cannot tell.
  var identity: FileIdentity?
  /// The end of what the system has, and of what the device has.
  var written: WriterPosition
  var synced: WriterPosition
  /// Whether something was written without a look for a later segment, since the directory was looked at.
  var needsDirectoryCheck = false
  var phase = Phase.open
  var failure: LogError?
  var headFailure: LogError?
  var rejections = RejectionHistory()
  /// How often something was rejected.
  var generation = 0
  var waiters: [Waiter] = []
  /// Tasks that wait for room in the queue.
  var roomWaiters: [CheckedContinuation<Void, Never>] = []
  var isWorkerScheduled = false
  /// Whether what is in the queue is to be written soon, and not only when it has become much.
  var isUrgent = false
  var interval = IntervalState()
  var syncCount = 0
  var batchCount = 0

  init(queue: WriterQueue, file: any LogFile, path: String, identity: FileIdentity?) {
    self.queue = queue
    self.file = file
    self.path = path
    self.identity = identity
    written = queue.encoded
    synced = queue.encoded
  }

  /// A ticket for everything that was taken so far.
  var endTicket: LogTicket {
    LogTicket(seq: queue.encoded.seq, generation: generation, ordinal: queue.encoded.ordinal)
  }

  /// 256 KiB: from so much on a write costs little more for its being made than for its bytes.
  static let worthwhileBytes = 1 << 18

  /// Whether there is something to write, and reason to do it now.
  var hasBatch: Bool {
    queue.pendingBytes > 0 && (isUrgent || queue.pendingBytes >= WriterState.worthwhileBytes)
  }

  /// Where a batch goes.
  var activeSegment: ActiveSegment { ActiveSegment(file: file, path: path, written: written) }

  /// Whether everything that was written is synced.
  var isSynced: Bool { synced == written }

  /// Throws what keeps the writer from taking anything.
  func checkUsable() throws(LogError) {
    if let failure { throw failure }
    guard phase == .open else { throw LogError(.closed, "the writer was closed", path: path) }
  }

  /// What became of a unit; `nil` while it is on its way.
  func outcome(of ticket: LogTicket, needsSync: Bool, durability: Durability) -> Result<LogReceipt, LogError>? {
    if let error = rejections.error(for: ticket.ordinal) { return .failure(error) }
    let reached = needsSync ? synced.ordinal : written.ordinal
    if ticket.ordinal <= reached { return .success(LogReceipt(seq: ticket.seq, durability: durability)) }
    if let failure { return .failure(failure) }
    if phase == .closed { return .failure(LogError(.closed, "the writer was closed", path: path)) }
    return nil
  }

  /// Takes out the waiters whose outcome is known.
  mutating func settledWaiters(durability: Durability) -> [SettledWaiter] {
    guard !waiters.isEmpty else { return [] }
    var settled: [SettledWaiter] = []
    var waiting: [Waiter] = []
    for waiter in waiters {
      if let outcome = outcome(of: waiter.ticket, needsSync: waiter.needsSync, durability: durability) {
        settled.append(SettledWaiter(continuation: waiter.continuation, outcome: outcome))
      } else {
        waiting.append(waiter)
      }
    }
    waiters = waiting
    return settled
  }

  /// Takes out the tasks that wait for room.
  mutating func takeRoomWaiters() -> [CheckedContinuation<Void, Never>] {
    guard !roomWaiters.isEmpty else { return [] }
    defer { roomWaiters = [] }
    return roomWaiters
  }
}

/// A task that can go on. It is resumed outside the lock.
struct SettledWaiter: Sendable {
  var continuation: CheckedContinuation<Result<LogReceipt, LogError>, Never>
  var outcome: Result<LogReceipt, LogError>

  func resume() { continuation.resume(returning: outcome) }
}

/// Which units were rejected, and why: tickets are asked about after the fact.
struct RejectionHistory: Sendable {
  private struct Entry: Sendable {
    var ordinals: ClosedRange<Int>
    var error: LogError
  }

  /// How many stretches of rejected units are remembered. A full disk makes one stretch, however long it lasts; each
  /// entry takes a few hundred bytes.
  private static let limit = 1_000

  private var entries: [Entry] = []
  /// Units up to this one may have been rejected without our knowing any more.
  private var forgottenThrough = 0

  /// Remembers that units were rejected, whose numbers are higher than those before.
  mutating func add(_ ordinals: ClosedRange<Int>, _ error: LogError) {
    if let last = entries.last, last.ordinals.upperBound + 1 == ordinals.lowerBound {
      entries[entries.count - 1] = Entry(
        ordinals: last.ordinals.lowerBound...ordinals.upperBound, error: error)
      return
    }
    entries.append(Entry(ordinals: ordinals, error: error))
    if entries.count > RejectionHistory.limit {
      forgottenThrough = entries.removeFirst().ordinals.upperBound
    }
  }

  /// Why a unit was rejected; `nil` when it was not.
  ///
  /// - Complexity: O(log *n*) for *n* stretches.
  func error(for ordinal: Int) -> LogError? {
    if ordinal <= forgottenThrough {
      return LogError(.invalidArgument, "the ticket is older than what the writer remembers of its rejections")
    }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].ordinals.upperBound < ordinal { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count, entries[low].ordinals.contains(ordinal) else { return nil }
    return entries[low].error
  }
}
