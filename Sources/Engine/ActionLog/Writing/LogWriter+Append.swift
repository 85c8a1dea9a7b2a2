internal import Platform

extension LogWriter {
  /// Appends drafts as one unit and waits until they reach the writer's durability level.
  ///
  /// A rejected unit leaves nothing in the log. If the process or the machine stops before the unit is acknowledged,
  /// the log may have its first actions without the rest. Units of several callers are written and synced together.
  /// If the queue is full, the call waits for room. Canceling the task does not withdraw the drafts.
  ///
  /// - Parameter drafts: Actions, or the control records `@base`, `@digest`, `@rejected` and `@report`.
  /// - Returns: The revision of the last action and the level reached.
  /// - Throws: ``LogError`` with code `invalidRecord` or `beyondLimit` if a draft breaks a rule, `noSpace` or
  ///   `rejected` if none of the unit is in the log, `failed` if that is unknown, or `closed`.
  /// - Complexity: O(bytes of the drafts); at `synced` and `full` it waits for at most two syncs.
  @discardableResult
  public func append(_ drafts: [LogDraft]) async throws(LogError) -> LogReceipt {
    try DraftCheck.check(drafts)
    while true {
      if let ticket = try enqueueUnlessFull(drafts, trigger: .soon) { return try await receipt(for: ticket) }
      await waitForRoom()
    }
  }

  /// Enqueues drafts as one unit without waiting.
  ///
  /// - Returns: A ticket for ``receipt(for:)``.
  /// - Throws: ``LogError`` with code `beyondLimit` if a draft exceeds a limit or
  ///   ``LogConfiguration/bufferLimitBytes`` are already waiting, `invalidRecord`, `failed`, `closed`. The queue is
  ///   unchanged then.
  /// - Complexity: O(bytes of the drafts).
  public func enqueue(_ drafts: [LogDraft]) throws(LogError) -> LogTicket {
    try DraftCheck.check(drafts)
    guard let ticket = try enqueueUnlessFull(drafts, trigger: .soon) else {
      throw LogError(
        .beyondLimit, "the writer's queue is full", path: path,
        intact: "The drafts were not accepted.", advice: "Wait for sync() and try again.")
    }
    return ticket
  }

  /// Enqueues a record about the state at a revision, unless an action was enqueued after it or the queue is full.
  ///
  /// - Returns: Whether the record was enqueued.
  /// - Throws: Like ``enqueue(_:)``.
  package func enqueue(_ draft: LogDraft, ifLastRevisionIs revision: Int) throws(LogError) -> Bool {
    try DraftCheck.check([draft])
    let now = environment.now
    let ticket = try enqueueUnlessFull(trigger: .soon) { (queue) throws(LogError) in
      guard queue.encoded.revision == revision, !queue.isFull(for: [draft]) else { return false }
      try queue.add([draft], now: now)
      return true
    }
    return ticket != nil
  }

  /// Writes drafts as one unit on the calling thread. The operating system has them when it returns (level `written`).
  ///
  /// All queued drafts are written with them. If the writer's level includes a sync, it follows in the background.
  /// The call blocks for a write but not for a sync under way, except when it begins a new segment.
  ///
  /// - Returns: A ticket for ``receipt(for:)``.
  /// - Throws: Like ``append(_:)``.
  /// - Complexity: O(unwritten bytes).
  public func writeNow(_ drafts: [LogDraft]) throws(LogError) -> LogTicket {
    try DraftCheck.check(drafts)
    while true {
      let ticket = try enqueueUnlessFull(drafts, trigger: .byCaller)
      writePending()
      guard let ticket else { continue }
      if durability.waitsForSync { scheduleWorker() }
      _ = try settled(ticket, needsSync: false)
      return ticket
    }
  }

  /// Writes and syncs drafts as one unit on the calling thread. The device has them when it returns.
  ///
  /// Makes one write and one sync for all queued drafts and wakes no other thread: the shortest way to a durable
  /// action for a program that appends one at a time (benchmark `append, sync each, ours`).
  ///
  /// - Returns: The revision of the last action, and the level `synced`, or `full` if the writer has that level.
  /// - Throws: Like ``append(_:)``.
  /// - Complexity: O(unwritten bytes), and one sync, or two if one is under way.
  @discardableResult
  public func appendNow(_ drafts: [LogDraft]) throws(LogError) -> LogReceipt {
    try DraftCheck.check(drafts)
    while true {
      if let ticket = try enqueueUnlessFull(drafts, trigger: .byCaller) { return try syncNow(ticket) }
      writePending()
    }
  }

  /// Writes and syncs an enqueued unit.
  func syncNow(_ ticket: LogTicket) throws(LogError) -> LogReceipt {
    writeBeforeSync()
    syncWritten(through: ticket.ordinal)
    // Units that other callers enqueued after the ticket were written, too, and may not be synced.
    scheduleInterval()
    var receipt = try settled(ticket, needsSync: true)
    receipt.durability = durability == .full ? .full : .synced
    return receipt
  }

  /// Waits until a unit has reached the writer's durability level.
  ///
  /// - Throws: ``LogError`` if the unit was rejected or its outcome is unknown.
  @discardableResult
  public func receipt(for ticket: LogTicket) async throws(LogError) -> LogReceipt {
    if durability == .queued {
      if let error = state.withLock({ state in state.rejections.error(for: ticket.ordinal) }) { throw error }
      return LogReceipt(revision: ticket.revision, durability: .queued)
    }
    return try await wait(for: ticket, needsSync: durability.waitsForSync)
  }

  /// Waits until all accepted drafts have reached the writer's durability level, at least `written`.
  ///
  /// - Returns: The revision of the last action and the level reached.
  /// - Throws: ``LogError`` if a waiting unit was rejected or its outcome is unknown.
  package func receipt() async throws(LogError) -> LogReceipt {
    let ticket = try state.withLock { (state) throws(LogError) -> LogTicket in
      if let failure = state.failure { throw failure }
      return state.endTicket
    }
    var receipt = try await wait(for: ticket, needsSync: durability.waitsForSync)
    if durability == .queued { receipt.durability = .written }
    return receipt
  }

  /// Waits until the device has everything that was accepted before the call, at any durability level.
  ///
  /// - Returns: The revision of the last action, and the level `synced`, or `full` if the writer has that level.
  /// - Throws: ``LogError`` if a waiting unit was rejected or its outcome is unknown.
  /// - Complexity: At most two syncs, which all callers share.
  @discardableResult
  public func sync() async throws(LogError) -> LogReceipt {
    let ticket = try state.withLock { (state) throws(LogError) -> LogTicket in
      if let failure = state.failure { throw failure }
      return state.endTicket
    }
    return try await synced(through: ticket)
  }

  /// Waits until the device has a unit, at any durability level.
  package func synced(through ticket: LogTicket) async throws(LogError) -> LogReceipt {
    if durability.waitsForSync { return try await wait(for: ticket, needsSync: true) }
    let outcome = await withCheckedContinuation { continuation in
      worker.async {
        continuation.resume(returning: Result { () throws(LogError) in try self.syncNow(ticket) })
      }
    }
    return try outcome.get()
  }
}

/// The thread that writes a unit, and when.
enum WriteTrigger {
  /// The writer's thread, as soon as possible.
  case soon
  /// The writer's thread, once the batch is large or a caller waits for it.
  case whenLarge
  /// The calling thread.
  case byCaller
}

// MARK: - Waiting

extension LogWriter {
  /// Enqueues checked drafts.
  ///
  /// - Parameter previous: A unit that these must follow; if it was rejected, they are rejected, too.
  /// - Returns: `nil` if the queue is full.
  func enqueueUnlessFull(
    _ drafts: [LogDraft], following previous: LogTicket? = nil, trigger: WriteTrigger
  ) throws(LogError) -> LogTicket? {
    let now = environment.now
    return try enqueueUnlessFull(following: previous, trigger: trigger) { (queue) throws(LogError) in
      if drafts.isEmpty { return true }
      if queue.isFull(for: drafts) { return false }
      try queue.add(drafts, now: now)
      return true
    }
  }

  /// Enqueues what a closure adds.
  ///
  /// - Parameters:
  ///   - previous: A unit that this one must follow; if it was rejected, this one is rejected, too.
  ///   - trigger: The thread that writes the unit, and when.
  ///   - add: Adds one unit; returns `false` if the queue is full.
  /// - Returns: `nil` if the queue is full.
  @inline(__always)
  func enqueueUnlessFull(
    following previous: LogTicket? = nil, trigger: WriteTrigger,
    _ add: (inout WriterQueue) throws(LogError) -> Bool
  ) throws(LogError) -> LogTicket? {
    let (ticket, mustWake) = try state.withLock { (state) throws(LogError) -> (LogTicket?, Bool) in
      try state.checkUsable()
      if let previous, let error = state.rejections.error(for: previous.ordinal) { throw error }
      guard try add(&state.queue) else { return (nil, false) }
      if trigger == .soon { state.isUrgent = true }
      let mustWake = trigger != .byCaller && state.hasBatch && !state.isWorkerScheduled
      if mustWake { state.isWorkerScheduled = true }
      return (state.endTicket, mustWake)
    }
    if mustWake { startWorker() }
    return ticket
  }

  /// Returns the outcome of a unit that is no longer pending.
  func settled(_ ticket: LogTicket, needsSync: Bool) throws(LogError) -> LogReceipt {
    let outcome = state.withLock { [durability] state in
      state.outcome(of: ticket, needsSync: needsSync, durability: needsSync ? durability : .written)
    }
    guard let outcome else {
      preconditionFailure("a unit was neither written nor rejected")
    }
    return try outcome.get()
  }

  func wait(for ticket: LogTicket, needsSync: Bool) async throws(LogError) -> LogReceipt {
    let outcome = await withCheckedContinuation { continuation in
      let known = state.withLock { [durability] state -> Result<LogReceipt, LogError>? in
        if let outcome = state.outcome(of: ticket, needsSync: needsSync, durability: durability) { return outcome }
        state.waiters.append(
          WriterState.Waiter(ticket: ticket, needsSync: needsSync, continuation: continuation))
        return nil
      }
      if let known { continuation.resume(returning: known) } else { scheduleWorker() }
    }
    return try outcome.get()
  }

  /// Waits until a batch was written, or cannot be.
  private func waitForRoom() async {
    await withCheckedContinuation { continuation in
      let isWaiting = state.withLock { state in
        guard state.failure == nil, state.phase == .open, state.queue.pendingBytes > 0 else { return false }
        state.roomWaiters.append(continuation)
        return true
      }
      if isWaiting { scheduleWorker() } else { continuation.resume() }
    }
  }
}

extension DraftCheck {
  /// Checks every draft of a unit.
  static func check(_ drafts: [LogDraft]) throws(LogError) {
    for draft in drafts { try check(draft) }
  }
}

// A recorder checks drafts before it appends them, and orders units so that none follows a rejected one.
extension LogWriter {
  /// Checks drafts against the rules of the format, including their length, without enqueuing them.
  ///
  /// - Parameter isRedactable: Whether the lines may have salts, as in ``LogOpening/isRedactable``.
  package static func check(_ drafts: [LogDraft], isRedactable: Bool = false) throws(LogError) {
    try checkForm(of: drafts)
    for draft in drafts {
      guard WriterQueue.room(for: draft, isSalted: isRedactable) <= LogFormat.lineLimitBytes else {
        throw DraftCheck.tooLong(draft)
      }
    }
  }

  /// Checks drafts against the rules of the format except their length, whose exact limit depends on their position
  /// in a log.
  package static func checkForm(of drafts: [LogDraft]) throws(LogError) { try DraftCheck.check(drafts) }

  /// Checks the metadata of a record against the rules of the format.
  package static func check(meta: [UInt8]) throws(LogError) { try DraftCheck.checkMeta(meta) }

  /// Enqueues a unit unless the queue is full.
  ///
  /// - Parameter previous: A unit that this one must follow. If it was rejected, this one is rejected, too, and
  ///   nothing is enqueued.
  /// - Returns: `nil` if the queue is full.
  package func offer(
    _ drafts: [LogDraft], following previous: LogTicket?
  ) throws(LogError) -> LogTicket? {
    try DraftCheck.check(drafts)
    return try enqueueUnlessFull(drafts, following: previous, trigger: .soon)
  }

  /// Waits until a unit has reached the writer's durability level and is at least written.
  ///
  /// At the level `queued`, ``receipt(for:)`` returns before the outcome is known: an acknowledged unit can still
  /// be rejected.
  ///
  /// - Throws: Like ``receipt(for:)``.
  package func written(through ticket: LogTicket) async throws(LogError) {
    _ = try await wait(for: ticket, needsSync: durability.waitsForSync)
  }

  /// Releases the lock and the files without writing anything, as if the process had ended.
  package func abandon() {
    release()
    resumeRemainingWaiters()
  }
}

/// The result of an append: the last revision and its durability.
public struct LogReceipt: Sendable, Hashable {
  /// The revision of the last action that the receipt covers.
  public var revision: Int
  /// The level that was reached.
  public var durability: Durability

  /// Creates a receipt.
  package init(revision: Int, durability: Durability) {
    self.revision = revision
    self.durability = durability
  }
}

/// The position of a unit in a writer's queue. Valid only for the writer that returned it.
public struct LogTicket: Sendable, Hashable {
  /// The revision of the last draft, unless the unit is rejected.
  public let revision: Int
  /// The number of rejections before this ticket. After a rejection the same revision is assigned again.
  package let generation: Int
  /// The number of accepted units including this one. Never assigned again.
  package let ordinal: Int

  package init(revision: Int, generation: Int, ordinal: Int) {
    self.revision = revision
    self.generation = generation
    self.ordinal = ordinal
  }
}
