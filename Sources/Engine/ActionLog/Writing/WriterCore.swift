import Platform

/// The state of a writer as a value: the units that it has accepted, written, and synced, and the callers that wait for them.
///
/// Each mutating method is an event. None makes a system call or resumes a caller: it returns ``Effects`` or a target,
/// which ``LogWriter`` carries out without the lock. `WriterCoreTests` tries every order of events of five units against
/// these rules:
///
/// 1. *Synced ≤ written ≤ accepted.* A batch is written while the previous one is synced. So a sync ends at the position
///    that was written when it began, not at the end of what is written when it returns.
/// 2. *An acknowledged unit is kept.* Once an outcome says that a unit is written (or synced), no event moves the written
///    (or the synced) end before it. A rejection discards all units after the written end, not only those of its batch:
///    each line has the checksum of its predecessor, so none of them could follow.
/// 3. *A failure is final.* Unit 2 is being written when the sync of unit 1 fails. The failure discards the queue, the write
///    returns, and the written end moves past unit 2. Nothing is taken or synced after that, and the outcome of both units
///    is unknown. A second sync might succeed, because the system counts pages that it could not write as written.
/// 4. *Each caller gets one outcome.* A caller waits only while its unit is pending. Every event that moves an end, rejects,
///    fails or closes returns the callers whose outcome it decides.
/// 5. *A number of a unit is never assigned again.* A ticket of a rejected unit stays rejected, although its revision is
///    assigned to a later unit.
/// 6. *The worker is scheduled at most once.* Whoever makes a batch due while it is not scheduled must schedule it.
package struct WriterCore: Sendable {
  /// The phase of a writer's life.
  enum Phase: Sendable {
    case open, closing, closed
  }

  package struct Segment: Sendable {
    var file: any LogFile
    var path: String
    /// `nil` if the file system has no identities.
    var identity: FileIdentity?

    package init(file: any LogFile, path: String, identity: FileIdentity?) {
      self.file = file
      self.path = path
      self.identity = identity
    }
  }

  /// Resumes a caller with the outcome of its unit.
  package typealias Resume = @Sendable (Result<LogReceipt, LogError>) -> Void

  private struct Waiter: Sendable {
    var ticket: LogTicket
    var needsSync: Bool
    var resume: Resume
  }

  /// What follows an event, without the lock.
  package struct Effects: Sendable {
    /// The callers whose outcome is known.
    package fileprivate(set) var outcomes: [Outcome] = []
    /// The callers that wait for room in the queue.
    fileprivate var room: [@Sendable () -> Void] = []
    fileprivate var cancelInterval: (@Sendable () -> Void)?

    /// The outcome of a caller's unit.
    package struct Outcome: Sendable {
      package var ticket: LogTicket
      package var result: Result<LogReceipt, LogError>
      var resume: Resume
    }

    func perform() {
      cancelInterval?()
      for outcome in outcomes { outcome.resume(outcome.result) }
      for resume in room { resume() }
    }
  }

  /// Lines to write, and the segment that they begin in.
  package struct Portion: Sendable {
    package var batch: WriterQueue.Batch
    package var segment: Segment
    /// The end of the segment.
    var start: WriterPosition
    /// Whether the writer must be added to ``IdleSweep``.
    var mustSweep: Bool
    /// Whether salts should be generated for later lines.
    var needsSalts: Bool
  }

  package let durability: Durability
  private(set) var queue: WriterQueue
  private(set) var segment: Segment
  /// The ends of the written and of the synced lines.
  package private(set) var written: WriterPosition
  private(set) var synced: WriterPosition
  /// Whether a batch was written since the directory was last checked for later segments.
  private var needsDirectoryCheck = false
  private(set) var phase = Phase.open { didSet { isUsable = failure == nil && phase == .open } }
  private(set) var failure: LogError? { didSet { isUsable = failure == nil && phase == .open } }
  /// Whether the writer accepts units. An append reads this byte: reading an optional error takes longer than the checksum of its line
  /// (benchmark A2).
  private var isUsable = true
  private var headFailure: LogError?
  private var rejections = RejectionHistory()
  private var generation = 0
  private var waiters: [Waiter] = []
  private var roomWaiters: [@Sendable () -> Void] = []
  private var isWorkerScheduled = false
  /// Whether the queue must be written soon, even if the batch is small.
  package private(set) var isUrgent = false
  private var interval = IntervalState()
  private var syncCount = 0
  private var batchCount = 0
  /// Whether the writer is in the list of ``IdleSweep``.
  private var awaitsSweep = false
  /// ``batchCount`` at the last sweep.
  private var sweptBatchCount = 0

  package init(queue: WriterQueue, segment: Segment, written: WriterPosition, durability: Durability) {
    self.queue = queue
    self.segment = segment
    self.written = written
    self.durability = durability
    synced = written
  }

  package var status: LogStatus {
    LogStatus(
      lastRevision: queue.encoded.revision, lastCRC: queue.encoded.crc, writtenRevision: written.revision,
      syncedRevision: synced.revision, pendingBytes: queue.pendingBytes, syncCount: syncCount, batchCount: batchCount,
      rejectionCount: generation, failure: failure, headFailure: headFailure, isClosed: phase == .closed,
      segmentPath: segment.path)
  }

  /// A ticket for all accepted units.
  package var endTicket: LogTicket {
    LogTicket(revision: queue.encoded.revision, generation: generation, ordinal: queue.encoded.ordinal)
  }

  /// Whether files may still be changed.
  private var isActive: Bool { failure == nil && phase != .closed }

  private var isSynced: Bool { synced == written }
}

// MARK: - Accepting

extension WriterCore {
  /// Accepts the unit that a closure adds.
  ///
  /// - Parameters:
  ///   - previous: A unit that this one must follow; if it was rejected, this one is rejected, too.
  ///   - add: Adds the unit; returns `false` if the queue is full.
  /// - Returns: The ticket, `nil` if the queue is full; and whether the caller must start the worker.
  @inline(__always)
  package mutating func accept(
    following previous: LogTicket? = nil, trigger: WriteTrigger, _ add: (inout WriterQueue) throws(LogError) -> Bool
  ) throws(LogError) -> (LogTicket?, mustStart: Bool) {
    if !isUsable { throw WriterCore.reasonForRefusal(failure, segment.path) }
    if let previous, let error = rejections.error(for: previous.ordinal) { throw error }
    guard try add(&queue) else { return (nil, false) }
    if trigger == .soon { isUrgent = true }
    let mustStart = trigger != .byCaller && hasBatch && !isWorkerScheduled
    if mustStart { isWorkerScheduled = true }
    return (endTicket, mustStart)
  }

  /// Returns a ticket for all accepted units of a writer that accepts more.
  package mutating func usableTicket() throws(LogError) -> LogTicket {
    if !isUsable { throw WriterCore.reasonForRefusal(failure, segment.path) }
    return endTicket
  }

  /// Takes only what it reads: for a call with the whole state, the compiler copies its kilobyte for each action, a
  /// sixth of the time of an append.
  @inline(never)
  private static func reasonForRefusal(_ failure: LogError?, _ path: String) -> LogError {
    failure ?? LogError(.closed, "the writer was closed", path: path)
  }

  /// Accepts the next `@close`, `@prune` or other record of the engine itself.
  mutating func accept(_ add: (inout WriterQueue) throws(LogError) -> Void) throws(LogError) -> LogTicket {
    try add(&queue)
    return endTicket
  }

  mutating func add(salts: [UInt8]) { queue.salts.add(salts) }
}

// MARK: - Waiting

extension WriterCore {
  /// Returns the error of a rejected unit; `nil` if it was not rejected.
  func rejection(of ticket: LogTicket) -> LogError? { rejections.error(for: ticket.ordinal) }

  /// Returns the outcome of a unit; `nil` while it is pending.
  ///
  /// - Parameter level: The level of the receipt; `nil` for that of the writer.
  package func outcome(
    of ticket: LogTicket, needsSync: Bool, level: Durability? = nil
  ) -> Result<LogReceipt, LogError>? {
    if let error = rejections.error(for: ticket.ordinal) { return .failure(error) }
    let reached = needsSync ? synced.ordinal : written.ordinal
    if ticket.ordinal <= reached {
      return .success(LogReceipt(revision: ticket.revision, durability: level ?? durability))
    }
    if let failure { return .failure(failure) }
    if phase == .closed { return .failure(LogError(.closed, "the writer was closed", path: segment.path)) }
    return nil
  }

  /// Returns the outcome of a unit, or registers a caller that waits for it and returns `nil`.
  package mutating func wait(
    for ticket: LogTicket, needsSync: Bool, _ resume: @escaping Resume
  ) -> Result<LogReceipt, LogError>? {
    if let outcome = outcome(of: ticket, needsSync: needsSync) { return outcome }
    waiters.append(Waiter(ticket: ticket, needsSync: needsSync, resume: resume))
    return nil
  }

  /// Registers a caller that waits until a batch was written, or cannot be.
  ///
  /// - Returns: Whether there is something to wait for.
  mutating func waitForRoom(_ resume: @escaping @Sendable () -> Void) -> Bool {
    guard isUsable, queue.pendingBytes > 0 else { return false }
    roomWaiters.append(resume)
    return true
  }

  /// The callers whose outcome the event has decided, and those that wait for room if it has made any.
  private mutating func effects(hasRoom: Bool = true) -> Effects {
    var effects = Effects()
    if !waiters.isEmpty {
      var pending: [Waiter] = []
      for waiter in waiters {
        if let outcome = outcome(of: waiter.ticket, needsSync: waiter.needsSync) {
          effects.outcomes.append(Effects.Outcome(ticket: waiter.ticket, result: outcome, resume: waiter.resume))
        } else {
          pending.append(waiter)
        }
      }
      waiters = pending
    }
    if hasRoom { swap(&effects.room, &roomWaiters) }
    return effects
  }
}

// MARK: - Writing

extension WriterCore {
  /// 256 KiB: the batch size at which the cost of a write is dominated by its bytes.
  private static let worthwhileBytes = 1 << 18

  /// Whether a batch is due.
  private var hasBatch: Bool {
    queue.pendingBytes > 0 && (isUrgent || queue.pendingBytes >= WriterCore.worthwhileBytes)
  }

  /// Takes all accepted lines that are not taken yet.
  ///
  /// - Returns: `nil` if nothing may be written.
  package mutating func take(spare: inout [UInt8]) -> Portion? {
    guard isActive, let batch = queue.take(spare: &spare) else { return nil }
    isUrgent = false
    defer { awaitsSweep = true }
    return Portion(
      batch: batch, segment: segment, start: written, mustSweep: !awaitsSweep, needsSalts: queue.salts.needsRefill)
  }

  /// Records that lines were written.
  ///
  /// - Parameters:
  ///   - isLast: Whether they end the batch.
  ///   - checksDirectory: Whether the directory was checked for segments of another writer.
  package mutating func wrote(to end: WriterPosition, isLast: Bool, checksDirectory: Bool) -> Effects {
    written = end
    if isLast { batchCount += 1 }
    if !checksDirectory { needsDirectoryCheck = true }
    // A sync that failed on another thread has rolled the queue back to the previous line.
    if failure != nil { queue.rewind(to: end) }
    return effects()
  }

  /// Records that the file ends with the first line of a new, durable segment.
  package mutating func began(_ segment: Segment, at end: WriterPosition) {
    self.segment = segment
    written = end
    if failure != nil { queue.rewind(to: end) }
  }

  /// Discards all accepted drafts that are not written, and rolls the queue back to the last written line.
  package mutating func reject(_ error: LogError) -> Effects {
    let first = written.ordinal + 1
    if queue.encoded.ordinal >= first { rejections.add(first...queue.encoded.ordinal, error) }
    generation += 1
    queue.rewind(to: written)
    return effects()
  }

  package mutating func fail(_ error: LogError) -> Effects {
    if failure == nil { failure = error }
    queue.rewind(to: written)
    var effects = effects()
    effects.cancelInterval = interval.withdraw()
    return effects
  }
}

// MARK: - Syncing

extension WriterCore {
  /// Returns the segment and the position that the next sync reaches.
  ///
  /// - Parameter ordinal: The unit that must be durable; `nil` for everything that is written.
  /// - Returns: `nil` if that is durable or nothing may be synced.
  package func syncTarget(through ordinal: Int? = nil) -> (segment: Segment, end: WriterPosition)? {
    guard isActive, !isSynced else { return nil }
    if let ordinal, synced.ordinal >= ordinal { return nil }
    return (segment, written)
  }

  /// Records that lines are durable.
  package mutating func synced(to end: WriterPosition, headFailure: LogError?) -> Effects {
    synced = end
    queue.syncedRevision = end.revision
    syncCount += 1
    self.headFailure = headFailure
    return effects(hasRoom: false)
  }

  /// Returns whether the whole directory must be checked for segments of another writer. The check does not cover batches
  /// that are written during it.
  mutating func beginDirectoryCheck() -> Bool {
    defer { needsDirectoryCheck = false }
    return needsDirectoryCheck
  }

  /// Records that the check of the directory failed.
  mutating func repeatDirectoryCheck() { needsDirectoryCheck = true }

  /// Registers a sync at the end of an interval.
  ///
  /// - Returns: The length of the interval and the number of the timer's call; `nil` if none is needed.
  mutating func expectInterval() -> (Duration, call: Int)? {
    guard case .interval(let duration) = durability, isUsable, !isSynced else { return nil }
    return interval.expect().map { number in (duration, number) }
  }

  /// As ``IntervalState/keep(_:ofCall:)``.
  mutating func keep(_ cancel: @escaping @Sendable () -> Void, ofCall number: Int) -> Bool {
    interval.keep(cancel, ofCall: number)
  }

  /// As ``IntervalState/begin(call:)``.
  mutating func beginInterval(call number: Int) -> Bool { interval.begin(call: number) }

  /// As ``IntervalState/finishSync()``.
  mutating func finishInterval() -> Bool { interval.finishSync() }
}

// MARK: - Worker

extension WriterCore {
  /// Makes all accepted units due.
  ///
  /// - Returns: Whether the caller must start the worker.
  package mutating func wake() -> Bool {
    isUrgent = true
    guard !isWorkerScheduled, isActive else { return false }
    isWorkerScheduled = true
    return true
  }

  /// Returns whether the worker has more to do. If not, it is no longer scheduled.
  package mutating func continuesWork() -> Bool {
    if isActive, hasBatch || durability.waitsForSync && !isSynced { return true }
    isWorkerScheduled = false
    return false
  }

  /// Returns whether a batch was written since the last call.
  mutating func isActiveSinceLastSweep() -> Bool {
    awaitsSweep = batchCount != sweptBatchCount && phase == .open
    sweptBatchCount = batchCount
    return awaitsSweep
  }

  mutating func releaseMemory() { queue.releaseMemory() }
}

// MARK: - Closing

extension WriterCore {
  /// Begins to close an open writer, which accepts nothing more.
  ///
  /// - Returns: `nil` if the writer was not open.
  package mutating func beginClosing() -> Effects? {
    guard phase == .open else { return nil }
    phase = .closing
    return Effects(cancelInterval: interval.withdraw())
  }

  /// Reopens the writer after a failed close, unless it was abandoned and its files are closed.
  package mutating func reopen() { if phase == .closing { phase = .open } }

  package mutating func close() -> Effects {
    phase = .closed
    return Effects(cancelInterval: interval.withdraw())
  }

  /// Decides the outcome of all callers that still wait. No more outcomes follow.
  package mutating func finish() -> Effects { effects() }
}

/// The pending timer call and the running sync of a writer at the level `interval`: at most one of each.
///
/// Lines written during a sync begin an interval of their own. If that ends before the sync does, the same thread
/// starts the next sync immediately.
private struct IntervalState: Sendable {
  /// The number of the last scheduled call, and whether it is still pending.
  private var number = 0
  private var isPending = false
  /// Cancels the pending call; set once the timer has returned it.
  private var cancel: (@Sendable () -> Void)?
  private var isSyncing = false
  private var isOverdue = false

  /// Registers a call.
  ///
  /// - Returns: The number of the call; `nil` if one is already pending.
  mutating func expect() -> Int? {
    guard !isPending else { return nil }
    isPending = true
    number += 1
    return number
  }

  /// Stores the closure that cancels a call.
  ///
  /// - Returns: Whether the call is still pending.
  mutating func keep(_ cancel: @escaping @Sendable () -> Void, ofCall number: Int) -> Bool {
    guard isPending, number == self.number else { return false }
    self.cancel = cancel
    return true
  }

  /// Withdraws the pending call.
  ///
  /// - Returns: The closure that cancels it, to be called without the lock.
  mutating func withdraw() -> (@Sendable () -> Void)? {
    isPending = false
    defer { cancel = nil }
    return cancel
  }

  /// Records that a call has run.
  ///
  /// - Returns: Whether the caller must sync.
  mutating func begin(call number: Int) -> Bool {
    guard isPending, number == self.number else { return false }
    isPending = false
    cancel = nil
    guard !isSyncing else {
      isOverdue = true
      return false
    }
    isSyncing = true
    return true
  }

  /// Records the end of a sync.
  ///
  /// - Returns: Whether another sync is due.
  mutating func finishSync() -> Bool {
    defer { isOverdue = false }
    isSyncing = isOverdue
    return isOverdue
  }
}

/// The rejected units and their errors, so that tickets can be resolved later.
private struct RejectionHistory: Sendable {
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
  func error(for ordinal: Int) -> LogError? {
    if ordinal <= forgottenThrough {
      return LogError(
        .invalidArgument, "the ticket is too old: the writer no longer knows whether its unit was rejected")
    }
    let place = entries.partitioningIndex { entry in entry.ordinals.upperBound >= ordinal }
    guard place < entries.count, entries[place].ordinals.contains(ordinal) else { return nil }
    return entries[place].error
  }
}
