/// The state that a writer's threads share.
struct WriterState: Sendable {
  /// The phase of a writer's life.
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
  /// The active segment and its path.
  var file: any LogFile
  var path: String
  /// The identity of the active segment; `nil` if the file system has no identities.
  var identity: FileIdentity?
  /// The ends of the written and of the synced lines.
  var written: WriterPosition
  var synced: WriterPosition
  /// Whether a batch was written since the directory was last checked for later segments.
  var needsDirectoryCheck = false
  var phase = Phase.open { didSet { isUsable = failure == nil && phase == .open } }
  var failure: LogError? { didSet { isUsable = failure == nil && phase == .open } }
  /// Whether the writer accepts units. An append reads this byte: reading an optional error takes longer than the checksum of its line
  /// (benchmark A2).
  private(set) var isUsable = true
  var headFailure: LogError?
  var rejections = RejectionHistory()
  /// The number of rejections.
  var generation = 0
  var waiters: [Waiter] = []
  /// Tasks that wait for room in the queue.
  var roomWaiters: [CheckedContinuation<Void, Never>] = []
  var isWorkerScheduled = false
  /// Whether the queue must be written soon, even if the batch is small.
  var isUrgent = false
  var interval = IntervalState()
  var syncCount = 0
  var batchCount = 0
  /// Whether the writer is in the list of ``IdleSweep``.
  var awaitsSweep = false
  /// ``batchCount`` at the last sweep.
  var sweptBatchCount = 0

  init(queue: WriterQueue, file: any LogFile, path: String, identity: FileIdentity?) {
    self.queue = queue
    self.file = file
    self.path = path
    self.identity = identity
    written = queue.encoded
    synced = queue.encoded
  }

  /// A ticket for all accepted units.
  var endTicket: LogTicket {
    LogTicket(revision: queue.encoded.revision, generation: generation, ordinal: queue.encoded.ordinal)
  }

  /// 256 KiB: the batch size at which the cost of a write is dominated by its bytes.
  static let worthwhileBytes = 1 << 18

  /// Whether a batch is due.
  var hasBatch: Bool {
    queue.pendingBytes > 0 && (isUrgent || queue.pendingBytes >= WriterState.worthwhileBytes)
  }

  var activeSegment: ActiveSegment { ActiveSegment(file: file, path: path, written: written) }

  /// Whether all written lines are synced.
  var isSynced: Bool { synced == written }

  /// Throws the reason why the writer accepts nothing, if there is one.
  @inline(__always)
  func checkUsable() throws(LogError) {
    if !isUsable { throw WriterState.reasonForRefusal(failure, path) }
  }

  /// Takes only what it reads: for a call with the whole state, the compiler copies its kilobyte for each action, a
  /// sixth of the time of an append.
  @inline(never)
  private static func reasonForRefusal(_ failure: LogError?, _ path: String) -> LogError {
    failure ?? LogError(.closed, "the writer was closed", path: path)
  }

  /// Returns the outcome of a unit; `nil` while it is pending.
  func outcome(of ticket: LogTicket, needsSync: Bool, durability: Durability) -> Result<LogReceipt, LogError>? {
    if let error = rejections.error(for: ticket.ordinal) { return .failure(error) }
    let reached = needsSync ? synced.ordinal : written.ordinal
    if ticket.ordinal <= reached { return .success(LogReceipt(revision: ticket.revision, durability: durability)) }
    if let failure { return .failure(failure) }
    if phase == .closed { return .failure(LogError(.closed, "the writer was closed", path: path)) }
    return nil
  }

  /// Removes and returns the waiters whose outcome is known.
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

  /// Removes and returns the tasks that wait for room.
  mutating func takeRoomWaiters() -> [CheckedContinuation<Void, Never>] {
    guard !roomWaiters.isEmpty else { return [] }
    defer { roomWaiters = [] }
    return roomWaiters
  }
}

/// A task whose outcome is known. It must be resumed without the state lock.
struct SettledWaiter: Sendable {
  var continuation: CheckedContinuation<Result<LogReceipt, LogError>, Never>
  var outcome: Result<LogReceipt, LogError>

  func resume() { continuation.resume(returning: outcome) }
}

/// The rejected units and their errors, so that tickets can be resolved later.
struct RejectionHistory: Sendable {
  private struct Entry: Sendable {
    var ordinals: ClosedRange<Int>
    var error: LogError
  }

  /// The number of ranges to keep. A full disk produces one range, however long it lasts; each takes a few hundred
  /// bytes.
  private static let limit = 1_000

  private var entries: [Entry] = []
  /// The last unit whose outcome was forgotten.
  private var forgottenThrough = 0

  /// Adds a range of units, whose numbers are higher than all earlier ones.
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

  /// Returns the error of a rejected unit; `nil` if it was not rejected.
  ///
  /// - Complexity: O(log *n*) for *n* ranges.
  func error(for ordinal: Int) -> LogError? {
    if ordinal <= forgottenThrough {
      return LogError(
        .invalidArgument, "the ticket is too old: the writer no longer knows whether its unit was rejected")
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
