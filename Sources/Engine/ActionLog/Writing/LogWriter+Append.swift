internal import Platform

extension LogWriter {
  /// Appends drafts as one unit and waits until they have reached the writer's level.
  ///
  /// A unit that is rejected leaves nothing in the log. When the process or the machine ends before a unit was acknowledged, its
  /// first actions can be there without the rest. Units of several callers are written and synced together. When the queue
  /// is full, the call waits for room. Cancelling the task does not take the drafts back.
  ///
  /// - Parameter drafts: Actions, or the control records `@base`, `@digest` and `@rejected`.
  /// - Returns: The revision of the last action and the level reached.
  /// - Throws: ``LogError`` with code `invalidRecord` or `beyondLimit` when a draft breaks a rule, `noSpace` or `rejected`
  ///   when nothing of the unit is in the log, `failed` when it is not known, `closed`.
  /// - Complexity: O(bytes of the drafts), and at `commit` and `full` at most two syncs of waiting.
  @discardableResult
  public func append(_ drafts: [LogDraft]) async throws(LogError) -> LogReceipt {
    try DraftCheck.check(drafts)
    while true {
      if let ticket = try takeUnlessFull(drafts, trigger: .soon) { return try await durable(through: ticket) }
      await room()
    }
  }

  /// Puts drafts into the queue as one unit, without waiting for anything.
  ///
  /// - Returns: A ticket for ``durable(through:)``.
  /// - Throws: ``LogError`` with code `beyondLimit` when a draft breaks a limit or ``LogConfiguration/bufferLimitBytes``
  ///   wait already, `invalidRecord`, `failed`, `closed`; nothing is then in the queue.
  /// - Complexity: O(bytes of the drafts).
  public func enqueue(_ drafts: [LogDraft]) throws(LogError) -> LogTicket {
    try DraftCheck.check(drafts)
    guard let ticket = try takeUnlessFull(drafts, trigger: .soon) else {
      throw LogError(
        .beyondLimit, "the writer's queue is full", path: path,
        advice: "Wait for flush() and try again.")
    }
    return ticket
  }

  /// Writes drafts as one unit on the calling thread: when it returns, the system has them (level `flush`).
  ///
  /// Everything that waits in the queue is written with them. A sync follows in the background if the level
  /// has one. It blocks for a write, not for a sync that is under way, except when a segment is rolled.
  ///
  /// - Returns: A ticket for ``durable(through:)``.
  /// - Throws: As ``append(_:)``.
  /// - Complexity: O(bytes that wait).
  public func write(_ drafts: [LogDraft]) throws(LogError) -> LogTicket {
    try DraftCheck.check(drafts)
    while true {
      let ticket = try takeUnlessFull(drafts, trigger: .byCaller)
      writePending()
      guard let ticket else { continue }
      if durability.waitsForSync { scheduleWorker() }
      _ = try settled(ticket, needsSync: false)
      return ticket
    }
  }

  /// Writes and syncs drafts as one unit on the calling thread: when it returns, the device has them.
  ///
  /// It makes one write and one sync for everything that waits in the queue, and wakes no other thread: the
  /// shortest way to a durable action for a program that appends one at a time (the benchmark `append, sync each, ours`).
  ///
  /// - Returns: The revision of the last action, and the level `commit`, or `full` where the writer has that level.
  /// - Throws: As ``append(_:)``.
  /// - Complexity: O(bytes that wait), and a sync, or two when one is under way.
  @discardableResult
  public func commit(_ drafts: [LogDraft]) throws(LogError) -> LogReceipt {
    try DraftCheck.check(drafts)
    while true {
      if let ticket = try takeUnlessFull(drafts, trigger: .byCaller) { return try commit(ticket) }
      writePending()
    }
  }

  /// Writes and syncs what was taken.
  func commit(_ ticket: LogTicket) throws(LogError) -> LogReceipt {
    writeBeforeSync()
    syncWritten(through: ticket.ordinal)
    // What others had queued behind the ticket was written, too, and may not be synced.
    scheduleInterval()
    var receipt = try settled(ticket, needsSync: true)
    receipt.durability = durability == .full ? .full : .commit
    return receipt
  }

  /// Waits until a unit has reached the writer's level.
  ///
  /// - Throws: ``LogError`` when the unit was rejected or its outcome is unknown.
  @discardableResult
  public func durable(through ticket: LogTicket) async throws(LogError) -> LogReceipt {
    if durability == .memory {
      if let error = state.withLock({ state in state.rejections.error(for: ticket.ordinal) }) { throw error }
      return LogReceipt(seq: ticket.seq, durability: .memory)
    }
    return try await wait(for: ticket, needsSync: durability.waitsForSync)
  }

  /// Waits until everything that was taken so far has reached the writer's level, at least `flush`.
  ///
  /// - Returns: The revision of the last action and the level reached.
  /// - Throws: ``LogError`` when something that was waiting was rejected, or its outcome is unknown.
  @discardableResult
  public func flush() async throws(LogError) -> LogReceipt {
    let ticket = try state.withLock { (state) throws(LogError) -> LogTicket in
      if let failure = state.failure { throw failure }
      return state.endTicket
    }
    var receipt = try await wait(for: ticket, needsSync: durability.waitsForSync)
    if durability == .memory { receipt.durability = .flush }
    return receipt
  }
}

/// Who writes what was taken, and when.
enum WriteTrigger {
  /// The worker, as soon as it can.
  case soon
  /// The worker, when enough waits to be worth a write, or somebody waits for it.
  case whenLarge
  /// Whoever put it into the queue.
  case byCaller
}

// MARK: - Waiting

extension LogWriter {
  /// Takes checked drafts.
  ///
  /// - Parameter previous: A unit that these must stand behind; when it was rejected, so are they.
  /// - Returns: `nil` when there is no room.
  func takeUnlessFull(
    _ drafts: [LogDraft], following previous: LogTicket? = nil, trigger: WriteTrigger
  ) throws(LogError) -> LogTicket? {
    let now = environment.now
    return try takeUnlessFull(following: previous, trigger: trigger) { (queue) throws(LogError) in
      if drafts.isEmpty { return true }
      if queue.isFull(for: drafts) { return false }
      try queue.add(drafts, now: now)
      return true
    }
  }

  /// Takes what a closure adds to the queue.
  ///
  /// - Parameters:
  ///   - previous: A unit that this one must stand behind; when it was rejected, so is this one.
  ///   - trigger: Who sees to it, and when.
  ///   - add: Adds one unit; says `false` when there is no room.
  /// - Returns: `nil` when there is no room.
  @inline(__always)
  func takeUnlessFull(
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

  /// The outcome of a unit that cannot still be on its way.
  func settled(_ ticket: LogTicket, needsSync: Bool) throws(LogError) -> LogReceipt {
    let outcome = state.withLock { [durability] state in
      state.outcome(of: ticket, needsSync: needsSync, durability: needsSync ? durability : .flush)
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

  /// Waits until something was written, or cannot be.
  private func room() async {
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

// What a recorder needs beyond the public interface: to know before it appends what can never be appended, and to put
// many units in line of which none may overtake one that was rejected.
extension LogWriter {
  /// Checks that drafts obey the rules of the format, their length included, without taking them.
  ///
  /// - Throws: ``LogError/Code/invalidRecord``, ``LogError/Code/beyondLimit``.
  package static func check(_ drafts: [LogDraft]) throws(LogError) {
    try checkForm(of: drafts)
    for draft in drafts {
      guard WriterQueue.room(for: draft) <= LogFormat.lineLimitBytes else { throw DraftCheck.tooLong(draft) }
    }
  }

  /// Checks that drafts obey the rules of the format, but for their length, which only their place in a log shows to the byte.
  ///
  /// - Throws: ``LogError/Code/invalidRecord``, ``LogError/Code/beyondLimit``.
  package static func checkForm(of drafts: [LogDraft]) throws(LogError) { try DraftCheck.check(drafts) }

  /// Checks that remarks on a record obey the rules of the format.
  ///
  /// - Throws: ``LogError/Code/invalidRecord``, ``LogError/Code/beyondLimit``.
  package static func check(meta: [UInt8]) throws(LogError) { try DraftCheck.checkMeta(meta) }

  /// Takes a unit unless the queue is full.
  ///
  /// - Parameter previous: A unit that this one must stand behind. When it was rejected, so is this one: nothing is taken.
  /// - Returns: `nil` when the queue is full.
  package func offer(
    _ drafts: [LogDraft], following previous: LogTicket?
  ) throws(LogError) -> LogTicket? {
    try DraftCheck.check(drafts)
    return try takeUnlessFull(drafts, following: previous, trigger: .soon)
  }

  /// Waits until a unit has reached the writer's level, and at every level at least until it is written.
  ///
  /// At the level `memory` ``durable(through:)`` knows nothing yet: what it acknowledged can still be rejected.
  ///
  /// - Throws: As ``durable(through:)``.
  package func written(through ticket: LogTicket) async throws(LogError) {
    _ = try await wait(for: ticket, needsSync: durability.waitsForSync)
  }

  /// Gives the lock and the files back without writing anything, as the death of the process would.
  package func abandon() {
    release()
    resumeRemainingWaiters()
  }
}

/// What an append returns: how far the log goes, and how safe that is.
public struct LogReceipt: Sendable, Hashable {
  /// The revision of the last action that the receipt covers.
  public var seq: Int
  /// The level that was reached.
  public var durability: Durability

  /// Makes a receipt from its parts.
  public init(seq: Int, durability: Durability) {
    self.seq = seq
    self.durability = durability
  }
}

/// A place in a writer's queue.
///
/// It is worth something only to the writer that gave it out.
public struct LogTicket: Sendable, Hashable {
  /// The revision that the last of the drafts has if they are not rejected.
  public let seq: Int
  /// How often the writer had rejected something before: after a rejection the same `seq` is given out again.
  public let generation: Int
  /// How many units the writer had taken, this one included. Never given out again.
  package let ordinal: Int

  package init(seq: Int, generation: Int, ordinal: Int) {
    self.seq = seq
    self.generation = generation
    self.ordinal = ordinal
  }
}
