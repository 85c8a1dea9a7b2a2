internal import Platform

/// The only writer of a log: appends records and reports how durable they are.
///
/// Drafts are encoded as lines in the order in which they are accepted, and wait in a buffer. A thread of
/// ``LogResources`` appends the entire buffer with one call while the next buffer fills, and then syncs everything
/// written since the last sync, so that all waiting callers share its cost. ``writeNow(_:)``, ``appendNow(_:)``,
/// ``syncNow()`` and ``closeNow()`` do this on the calling thread.
///
/// A batch has one of three outcomes:
///
/// - *Acknowledged*: it has reached the writer's durability level.
/// - *Rejected* (``LogError/Code/noSpace``, ``LogError/Code/rejected``): none of it is in the log, and the writer
///   remains usable.
/// - *Unknown* (``LogError/Code/failed``): a sync failed, and the device may or may not have the batch. The writer
///   accepts nothing more; reopening the log reads what the device has.
///
/// A log whose writer was not closed opens just as well; only its `@close` record is missing.
public final class LogWriter: Sendable {
  /// The state of the log when it was opened.
  public let opening: LogOpening
  /// The directory of the log.
  public let path: String
  /// The durability level of appends.
  public let durability: Durability

  private let fileSystem: any LogFileSystem
  let environment: LogEnvironment
  /// `nil` without an observer. Events are added before their effects, so that they are in order, and delivered without a lock.
  package let events: LogEvents?
  private let directoryLock: any DirectoryLock
  /// Writes and syncs on the threads that all writers share.
  private let worker: SerialQueue

  // Locks are acquired in this order: ending, closing, writing, syncing, core. The core's lock is held for moments; the
  // others are held during disk calls. Batches can be written while a sync is under way.

  /// Serializes closing; holds the error of a failed close for later calls.
  private let ending = Locked<LogError?>(nil)
  /// Whether the files and the lock were released.
  private let closing = Locked(false)
  /// Serializes writing; holds the memory of a written batch for reuse.
  private let writing = Locked<[UInt8]>([])
  /// Serializes syncs; holds `HEAD` if it is kept open between two syncs.
  private let syncing = Locked<(any LogFile)?>(nil)
  private let core: Locked<WriterCore>
  /// Called after each successful sync, without a lock.
  private let onSync = Locked<(@Sendable () -> Void)?>(nil)

  init(
    path: String, opening: LogOpening, core: WriterCore, directoryLock: any DirectoryLock,
    fileSystem: any LogFileSystem, environment: LogEnvironment, events: LogEvents?
  ) {
    self.path = path
    self.opening = opening
    self.core = Locked(core)
    self.directoryLock = directoryLock
    self.fileSystem = fileSystem
    self.environment = environment
    self.events = events
    durability = core.durability
    worker = SerialQueue(on: environment.resources.threads)
  }

  /// Releases the lock and the files without writing anything, as if the process had ended.
  deinit { release() }

  /// The threads and descriptors that it shares with other writers.
  package var resources: LogResources { environment.resources }

  /// The current status.
  public var status: LogStatus { core.withLock { core in core.status } }

  /// Records an event and does what follows from it.
  private func apply(_ event: (inout WriterCore) -> WriterCore.Effects) {
    core.withLock(event).perform()
  }

  /// Runs blocking work on the writer's thread.
  private func onWorker<Success: Sendable>(
    _ body: @escaping @Sendable () throws(LogError) -> Success
  ) async throws(LogError) -> Success {
    let outcome = await withCheckedContinuation { continuation in
      worker.async { continuation.resume(returning: Result { () throws(LogError) in try body() }) }
    }
    return try outcome.get()
  }
}

// MARK: - Opening

extension LogWriter {
  /// Opens a log for writing, or creates it if the path does not exist or is an empty directory.
  ///
  /// Acquires the lock, recovers what a crash left (``LogOpening/recovered``), and appends `@open`. A log of an older
  /// schema keeps it until the first record is appended, so that an older program can still open it. The call blocks
  /// for the disk; call it from a thread that may block.
  ///
  /// - Parameters:
  ///   - path: The log's directory. Its parent directory must exist.
  ///   - model: The name of the model, which must match the log's.
  ///   - schema: The version of the actions that will be appended, from 1.
  ///   - parent: The log that a new log is derived from; ignored if the log exists.
  ///   - fileSystem: The file system.
  ///   - configuration: Durability level, limits, clock.
  /// - Throws: ``LogError`` with code `locked`, `damaged`, `wrongModel`, `schemaTooNew`,
  ///   `unsupportedFormat`, `notALog`, `noSpace`, `inputOutput`, `invalidArgument`. The log is
  ///   unchanged then, except that a torn tail may already be in the quarantine.
  /// - Complexity: O(length of the last segment + number of segments).
  public static func open(
    at path: String,
    model: String,
    schema: Int,
    parent: LogHeader.Parent? = nil,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    configuration: LogConfiguration = LogConfiguration()
  ) throws(LogError) -> LogWriter {
    try open(
      at: path, model: model, schema: schema, parent: parent, beginningWith: nil, fileSystem: fileSystem,
      configuration: configuration)
  }

  /// Opens a log. A new one begins with a base, which gets the log's identifier and model.
  package static func open(
    at path: String, model: String, schema: Int, parent: LogHeader.Parent?, beginningWith base: LogBase?,
    fileSystem: any LogFileSystem, configuration: LogConfiguration
  ) throws(LogError) -> LogWriter {
    var opener = LogOpener(
      path: LogFolder.trimmed(path), model: model, schema: schema, parent: parent, fileSystem: fileSystem,
      configuration: configuration)
    opener.base = base
    return try opener.open()
  }
}

// MARK: - Appending

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
    let ticket = try enqueueMakingRoom(drafts)
    writePending()
    if durability.waitsForSync { scheduleWorker() }
    _ = try settled(ticket, needsSync: false)
    return ticket
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
    try syncNow(try enqueueMakingRoom(drafts))
  }

  /// Writes and syncs all accepted drafts on the calling thread.
  ///
  /// Callers that arrive during a sync share the next one.
  ///
  /// - Returns: The revision of the last action, and the level `synced`, or `full` if the writer has that level.
  /// - Throws: ``LogError`` if a waiting unit was rejected or its outcome is unknown.
  @discardableResult
  public func syncNow() throws(LogError) -> LogReceipt {
    try syncNow(try core.withLock { (core) throws(LogError) in try core.usableTicket() })
  }

  func syncNow(_ ticket: LogTicket) throws(LogError) -> LogReceipt {
    writePending(checksDirectory: true)
    syncWritten(through: ticket.ordinal)
    events?.deliver()
    // Units that other callers enqueued after the ticket were written, too, and may not be synced.
    scheduleInterval()
    return try settled(ticket, needsSync: true, level: durability == .full ? .full : .synced)
  }

  /// Waits until a unit has reached the writer's durability level.
  ///
  /// - Throws: ``LogError`` if the unit was rejected or its outcome is unknown.
  @discardableResult
  public func receipt(for ticket: LogTicket) async throws(LogError) -> LogReceipt {
    if durability == .queued {
      if let error = core.withLock({ core in core.rejection(of: ticket) }) { throw error }
      return LogReceipt(revision: ticket.revision, durability: .queued)
    }
    return try await wait(for: ticket, needsSync: durability.waitsForSync)
  }

  /// Waits until all accepted drafts have reached the writer's durability level, at least `written`.
  ///
  /// - Returns: The revision of the last action and the level reached.
  package func receipt() async throws(LogError) -> LogReceipt {
    var receipt = try await wait(for: try pendingTicket(), needsSync: durability.waitsForSync)
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
    try await synced(through: try pendingTicket())
  }

  /// Waits until the device has a unit, at any durability level.
  package func synced(through ticket: LogTicket) async throws(LogError) -> LogReceipt {
    if durability.waitsForSync { return try await wait(for: ticket, needsSync: true) }
    return try await onWorker { () throws(LogError) in try self.syncNow(ticket) }
  }

  private func pendingTicket() throws(LogError) -> LogTicket {
    try core.withLock { (core) throws(LogError) in
      if let failure = core.failure { throw failure }
      return core.endTicket
    }
  }
}

/// The thread that writes a unit, and when.
package enum WriteTrigger {
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

  /// Enqueues drafts that the caller writes, and writes what is queued if they do not fit.
  private func enqueueMakingRoom(_ drafts: [LogDraft]) throws(LogError) -> LogTicket {
    try DraftCheck.check(drafts)
    while true {
      if let ticket = try enqueueUnlessFull(drafts, trigger: .byCaller) { return ticket }
      writePending()
    }
  }

  /// Enqueues what a closure adds.
  ///
  /// - Parameters:
  ///   - previous: A unit that this one must follow; if it was rejected, this one is rejected, too.
  ///   - add: Adds one unit; returns `false` if the queue is full.
  /// - Returns: `nil` if the queue is full.
  @inline(__always)
  func enqueueUnlessFull(
    following previous: LogTicket? = nil, trigger: WriteTrigger,
    _ add: (inout WriterQueue) throws(LogError) -> Bool
  ) throws(LogError) -> LogTicket? {
    let (ticket, mustStart) = try core.withLock { (core) throws(LogError) in
      try core.accept(following: previous, trigger: trigger, add)
    }
    if mustStart { startWorker() }
    return ticket
  }

  /// Returns the outcome of a unit that is no longer pending.
  private func settled(
    _ ticket: LogTicket, needsSync: Bool, level: Durability? = nil
  ) throws(LogError) -> LogReceipt {
    let outcome = core.withLock { core in core.outcome(of: ticket, needsSync: needsSync, level: level) }
    guard let outcome else { preconditionFailure("a unit was neither written nor rejected") }
    return try outcome.get()
  }

  private func wait(for ticket: LogTicket, needsSync: Bool) async throws(LogError) -> LogReceipt {
    let outcome = await withCheckedContinuation { continuation in
      let known = core.withLock { core in
        core.wait(for: ticket, needsSync: needsSync) { outcome in continuation.resume(returning: outcome) }
      }
      if let known { continuation.resume(returning: known) } else { scheduleWorker() }
    }
    return try outcome.get()
  }

  /// Waits until a batch was written, or cannot be.
  private func waitForRoom() async {
    await withCheckedContinuation { continuation in
      let isWaiting = core.withLock { core in core.waitForRoom { continuation.resume() } }
      if isWaiting { scheduleWorker() } else { continuation.resume() }
    }
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
  package func written(through ticket: LogTicket) async throws(LogError) {
    _ = try await wait(for: ticket, needsSync: durability.waitsForSync)
  }
}

// MARK: - Closing

extension LogWriter {
  /// Writes and syncs all accepted drafts, appends `@close`, and releases the lock.
  ///
  /// - Throws: As ``closeNow()``.
  public func close() async throws(LogError) {
    try await onWorker { () throws(LogError) in try self.closeNow() }
  }

  /// Closes the log on the calling thread. Further calls wait for the first one and have the same outcome.
  ///
  /// - Throws: ``LogError`` with code `noSpace` or `rejected` if something could not be written; the writer then
  ///   remains open, and closing can be tried again. With code `failed` if the writer has failed: the lock is
  ///   released, and the outcome of pending drafts is unknown. With code `closed` if the writer was abandoned while
  ///   closing.
  public func closeNow() throws(LogError) {
    defer {
      events?.deliver()
      // A failed close can leave the writer open. A timer without a thread calls at once, so the lock is not held.
      scheduleInterval()
    }
    try ending.withLock { (outcome) throws(LogError) in
      if let outcome { throw outcome }
      do throws(LogError) { try closeOnce() } catch {
        // Every other error leaves the writer open.
        if error.code == .failed { outcome = error }
        throw error
      }
    }
  }

  private func closeOnce() throws(LogError) {
    guard let effects = core.withLock({ core in core.beginClosing() }) else { return }
    effects.perform()
    do throws(LogError) {
      try drain()
      // In its own batch after a sync, so that its `synced` covers every action.
      try append { [time = environment.now(), opening] (core) throws(LogError) in
        try core.accept { (queue) throws(LogError) in try queue.add(CloseRecord(epoch: opening.epoch), time: time) }
      }
    } catch {
      guard error.code == .failed else {
        core.withLock { core in core.reopen() }
        throw error
      }
      releaseAndFinish()
      throw error
    }
    releaseAndFinish()
  }

  /// Releases the lock and the files without writing anything, as if the process had ended.
  package func abandon() {
    releaseAndFinish()
    events?.deliver()
  }

  private func releaseAndFinish() {
    release()
    apply { core in core.finish() }
  }

  /// Closes the files and releases the lock, once.
  private func release() {
    closing.withLock { isReleased in
      guard !isReleased else { return }
      isReleased = true
      writing.withLock { _ in
        syncing.withLock { head in
          let (file, end, effects) = core.withLock { core in (core.segment.file, core.written, core.close()) }
          events?.add(.closed(revision: end.revision))
          effects.perform()
          file.close()
          closeHead(&head)
        }
      }
      directoryLock.unlock()
    }
  }
}

// MARK: - Records of the engine

extension LogWriter {
  /// Writes and syncs all accepted drafts, for example the `@open` record of a new writer.
  func drain() throws(LogError) { try append { core in core.endTicket } }

  /// Writes and syncs a record that only the engine writes.
  package func appendNow(_ record: some ControlRecord, meta: [UInt8]?) throws(LogError) {
    let time = environment.now()
    defer { events?.deliver() }
    try append { (core) throws(LogError) in
      _ = try core.usableTicket()
      return try core.accept { (queue) throws(LogError) in try queue.add(record, meta: meta, time: time) }
    }
  }

  /// Appends a record of the log's care durably, before the first action of its segment, and closes the log when `body` returns.
  ///
  /// - Parameter actor: The actor in the metadata; `nil` if unknown.
  /// - Throws: ``LogError``; the log is released.
  package func recordAndClose(
    _ record: some ControlRecord, actor: String?, _ body: () throws(LogError) -> Void
  ) throws(LogError) {
    do throws(LogError) {
      let time = environment.now()
      try append { (core) throws(LogError) in
        try core.accept { (queue) throws(LogError) in try queue.add(beginning: record, actor: actor, time: time) }
      }
      try body()
      try closeNow()
    } catch {
      abandon()
      throw error
    }
  }

  /// Writes and syncs a unit that the closure accepts.
  private func append(_ accept: (inout WriterCore) throws(LogError) -> LogTicket) throws(LogError) {
    let ticket = try core.withLock { (core) throws(LogError) in try accept(&core) }
    writePending(checksDirectory: true)
    syncWritten()
    if let failure = core.withLock({ core in core.failure }) { throw failure }
    _ = try settled(ticket, needsSync: true)
  }
}

// MARK: - Writing

extension LogWriter {
  /// Writes all queued drafts as one batch and records the outcome. At the level `interval` it schedules
  /// a sync.
  func writePending() {
    writePending(checksDirectory: durability.waitsForSync)
    events?.deliver()
    scheduleInterval()
  }

  /// - Parameter checksDirectory: Whether to check for a segment of another writer, for a caller that syncs next: the
  ///   check is cheap compared with the sync.
  private func writePending(checksDirectory: Bool) {
    let mustSweep = writing.withLock { spare -> Bool in
      guard let portion = core.withLock({ core in core.take(spare: &spare) }) else { return false }
      do throws(WriteFailure) { try write(portion, checksDirectory) } catch {
        switch error {
        case .rejected(let error):
          events?.add(.writeFailed(error))
          apply { core in core.reject(error) }
        case .failed(let error): fail(error)
        }
      }
      if portion.needsSalts {
        // Without the core's lock, so that appending continues.
        let salts = SaltSupply.portion(SaltSupply.refillBytes, environment.makeSalts)
        core.withLock { core in core.add(salts: salts) }
      }
      spare = portion.batch.bytes
      return portion.mustSweep
    }
    if mustSweep { environment.resources.sweep.add(self) }
  }

  /// Writes a batch.
  ///
  /// Reads the segment from the core only after a roll: no other thread changes it, and producers wait for each
  /// acquisition of that lock (benchmark `append, pipelined commit, +0 ms a sync`).
  private func write(_ portion: WriterCore.Portion, _ checksDirectory: Bool) throws(WriteFailure) {
    let batch = portion.batch
    var (segment, end) = (portion.segment, portion.start)
    // A program that ignored the lock, or that took the log from this stale writer, may have changed the segment's
    // length or begun a later segment.
    let foreign: LogError?
    do throws(FileSystemError) {
      foreign = try change(of: segment, at: end, sizeBytes: end.bytes, checksDirectory)
    } catch {
      throw .rejected(LogError.rejected(error, path: segment.path))
    }
    if let foreign { throw .failed(foreign) }
    var start = 0
    for roll in batch.rolls {
      try append(
        batch.bytes, start..<roll.line.lowerBound, to: segment, at: end, reaching: roll.before, checksDirectory)
      segment = try self.roll(roll, batch.bytes)
      (start, end) = (roll.line.upperBound, roll.after)
    }
    try append(
      batch.bytes, start..<batch.count, to: segment, at: end, reaching: batch.end, checksDirectory, isLast: true)
  }

  /// Returns the error for a segment that another writer changed; `nil` if it is unchanged.
  private func change(
    of segment: WriterCore.Segment, at end: WriterPosition, sizeBytes: Int, _ checksDirectory: Bool
  ) throws(FileSystemError) -> LogError? {
    let found = try segment.file.size()
    if checksDirectory, let later = try staleCheck.laterSegment(than: end) { return later }
    return found == sizeBytes ? nil : .foreignWrite(found, sizeBytes, segment.path)
  }

  /// Appends lines to a segment and records that they are written.
  private func append(
    _ bytes: [UInt8], _ range: Range<Int>, to segment: WriterCore.Segment, at start: WriterPosition,
    reaching end: WriterPosition, _ checksDirectory: Bool, isLast: Bool = false
  ) throws(WriteFailure) {
    // The range before a roll at the beginning of a batch is empty.
    guard !range.isEmpty else { return }
    let begin = events?.uptime()
    let outcome = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileSystemError) in try segment.file.append(UnsafeRawBufferPointer(rebasing: bytes[range])) }
    }
    let sizeBytes = start.bytes + range.count
    // Another writer may have begun between the check before this append and now. Nothing else would reveal it later,
    // because the name of its segment does not follow from the end of this batch.
    let change: LogError?
    do throws(FileSystemError) {
      try outcome.get()
      change = try self.change(of: segment, at: start, sizeBytes: sizeBytes, checksDirectory)
    } catch {
      try rollBack(segment, from: sizeBytes, to: start.bytes, after: error)
      throw .rejected(LogError.rejected(error, path: segment.path))
    }
    if let change { throw .failed(change) }
    events?.add(since: begin) { duration in
      .written(actions: end.revision - start.revision, bytes: range.count, duration: duration)
    }
    apply { core in core.wrote(to: end, isLast: isLast, checksDirectory: checksDirectory) }
  }

  /// Truncates what a failed append left and syncs the truncation. Without the sync, a power cut could restore
  /// complete lines of a batch that was reported as rejected.
  ///
  /// - Parameters:
  ///   - sizeBytes: The length that a successful append would have produced. A segment that is longer, or shorter than
  ///     before, was changed by another program and is left alone.
  ///   - bytes: The length before.
  private func rollBack(
    _ segment: WriterCore.Segment, from sizeBytes: Int, to bytes: Int, after cause: FileSystemError
  ) throws(WriteFailure) {
    let (file, path) = (segment.file, segment.path)
    let ownRange = bytes...sizeBytes
    let found: Int
    do throws(FileSystemError) {
      found = try file.size()
      guard found != bytes else { return }
      if ownRange.contains(found) { try file.truncate(toBytes: bytes) }
    } catch {
      throw .failed(
        LogError(
          .failed, "a batch could not be written (\(cause)), and the part that was written could not be truncated",
          path: path, byteOffset: bytes, advice: "Reopen the log: opening truncates the incomplete batch.",
          underlying: error))
    }
    guard ownRange.contains(found) else { throw .failed(.foreignWrite(found, bytes, path)) }
    try syncing.withLock { (_) throws(WriteFailure) in
      try checkNotFailed()
      do throws(FileSystemError) { try file.sync(durability.strength) } catch {
        throw .failed(LogError.syncFailed(error, path: path))
      }
    }
  }

  /// Syncs and seals the active segment, and begins a new one.
  private func roll(_ roll: WriterQueue.Roll, _ bytes: [UInt8]) throws(WriteFailure) -> WriterCore.Segment {
    try syncing.withLock { (head) throws(WriteFailure) in
      try checkNotFailed()
      if let (sealed, end) = core.withLock({ core in core.syncTarget() }) { syncFile(sealed, reaching: end, &head) }
      try checkNotFailed()
      let change: LogError?
      do throws(FileSystemError) { change = try findDisplacement() } catch {
        throw .rejected(LogError.rejected(error, path: path))
      }
      if let change { throw .failed(change) }
      let begin = events?.uptime()
      let begun = try makeSegment(roll, bytes)
      events?.add(.sealed(first: roll.before.segment, last: roll.before.revision, bytes: roll.before.bytes))
      events?.add(since: begin) { duration in .written(actions: 0, bytes: roll.line.count, duration: duration) }
      let sealed = core.withLock { core in
        defer { core.began(begun, at: roll.after) }
        return core.segment
      }
      sealed.file.close()
      acknowledgeSync(roll.after, &head)
      try checkNotFailed()
      return begun
    }
  }

  /// Throws the failure of a sync on another thread since the batch was taken. A second sync would succeed without proving
  /// anything, because the system counts pages that it could not write as written.
  private func checkNotFailed() throws(WriteFailure) {
    if let failure = core.withLock({ core in core.failure }) { throw .failed(failure) }
  }

  private func makeSegment(_ roll: WriterQueue.Roll, _ bytes: [UInt8]) throws(WriteFailure) -> WriterCore.Segment {
    let maker = SegmentMaker(fileSystem: fileSystem, directory: path, strength: durability.strength)
    let path = path + "/" + SegmentName.text(first: roll.after.segment)
    do throws(SegmentMaker.Failure) {
      let made = try maker.make(first: roll.after.segment, line: bytes[roll.line])
      return WriterCore.Segment(file: made.file, path: path, identity: made.identity)
    } catch {
      if let occupant = error.occupant {
        throw .failed(
          LogError.pathTaken(by: occupant, path: path, lastRevision: roll.before.revision, underlying: error.error))
      }
      if error.isUncertain { throw .failed(LogError.syncFailed(error.error, path: path)) }
      throw .rejected(LogError.rejected(error.error, path: path))
    }
  }

  /// Fails the writer permanently and resumes all callers.
  private func fail(_ error: LogError) {
    apply { core in
      if core.failure == nil { events?.add(.writeFailed(error)) }
      return core.fail(error)
    }
  }
}

// MARK: - Syncing

extension LogWriter {
  /// Syncs the written lines unless they are already synced.
  ///
  /// - Parameter ordinal: The unit that must be durable afterward; `nil` for everything that is written.
  private func syncWritten(through ordinal: Int? = nil) {
    syncing.withLock { head in
      guard let (segment, end) = core.withLock({ core in core.syncTarget(through: ordinal) }) else { return }
      syncFile(segment, reaching: end, &head)
    }
  }

  /// Syncs a segment and resumes the callers that wait for it. The writer fails if the sync does.
  private func syncFile(_ segment: WriterCore.Segment, reaching end: WriterPosition, _ head: inout (any LogFile)?) {
    let begin = events?.uptime()
    do throws(FileSystemError) { try segment.file.sync(durability.strength) } catch {
      return fail(LogError.syncFailed(error, path: segment.path))
    }
    events?.add(since: begin) { duration in .synced(revision: end.revision, duration: duration) }
    acknowledgeSync(end, &head)
  }

  /// Writes `HEAD`, then acknowledges the synced units. Does neither, and fails, if the log was replaced.
  private func acknowledgeSync(_ end: WriterPosition, _ head: inout (any LogFile)?) {
    let headFailure: LogError?
    do throws(FileSystemError) {
      if let change = try findDisplacement() { return fail(change) }
      headFailure = writeHead(end, &head)
    } catch {
      // The lines are durable. Only the check whether readers find them at the log's path has failed.
      headFailure = LogError(
        .inputOutput, "HEAD was not written: the check whether the log was replaced failed (\(error))",
        path: path + "/" + LogFormat.headName, underlying: error)
    }
    apply { core in core.synced(to: end, headFailure: headFailure) }
    onSync.withLock { onSync in onSync }?()
  }

  /// Sets a closure that is called after each successful sync. It must not block or call the writer, except for its status.
  package func notifySyncs(_ body: (@Sendable () -> Void)?) {
    onSync.withLock { onSync in onSync = body }
  }

  /// Writes `HEAD`. A failure does not affect the log: `HEAD` is only a hint for later recoveries.
  ///
  /// - Parameter head: The open file; `nil` opens it, and stays `nil` if other writers keep enough files open.
  private func writeHead(_ position: WriterPosition, _ head: inout (any LogFile)?) -> LogError? {
    let contents = LogHead(
      revision: position.revision, segment: position.segment, bytes: position.bytes, crc: position.crc)
    do throws(FileSystemError) {
      if let head {
        try head.write(contents.encoded(), at: 0)
        return nil
      }
      let file = try openHead()
      do throws(FileSystemError) { try file.write(contents.encoded(), at: 0) } catch {
        file.close()
        throw error
      }
      if environment.resources.heads.take() { head = file } else { file.close() }
      return nil
    } catch {
      return LogError(
        .inputOutput, "HEAD could not be written", path: path + "/" + LogFormat.headName, underlying: error)
    }
  }

  /// Opens `HEAD` and truncates it to its 128 bytes if another program made it longer.
  private func openHead() throws(FileSystemError) -> any LogFile {
    let head = try fileSystem.open(path + "/" + LogFormat.headName, for: .overwrite)
    do throws(FileSystemError) {
      if try head.size() > LogFormat.headSizeBytes { try head.truncate(toBytes: LogFormat.headSizeBytes) }
    } catch {
      head.close()
      throw error
    }
    return head
  }

  /// Closes `HEAD` if it is open; the next sync opens it again.
  private func closeHead(_ head: inout (any LogFile)?) {
    guard let file = head else { return }
    head = nil
    file.close()
    environment.resources.heads.giveBack()
  }
}

// MARK: - Intervals

extension LogWriter {
  /// Schedules a sync after the interval if the writer has the level `interval` and unsynced lines.
  private func scheduleInterval() {
    guard let (duration, call) = core.withLock({ core in core.expectInterval() }) else { return }
    // A strong reference would keep an abandoned writer, and its lock, for the length of the interval.
    let cancel = environment.schedule(duration) { [weak self] in self?.endInterval(call) }
    // The call has already run, or the writer is closing.
    if !core.withLock({ core in core.keep(cancel, ofCall: call) }) { cancel() }
  }

  /// Syncs at the end of an interval.
  private func endInterval(_ call: Int) {
    guard core.withLock({ core in core.beginInterval(call: call) }) else { return }
    repeat { syncWritten() } while core.withLock { core in core.finishInterval() }
    events?.deliver()
  }
}

// MARK: - Stale writers

extension LogWriter {
  private var staleCheck: StaleCheck { StaleCheck(fileSystem: fileSystem, path: path) }

  /// Checks whether the directory and the segment are still at their paths and no later segment exists.
  ///
  /// Runs only next to a sync, which takes a hundred times as long: before `HEAD` is written and units are
  /// acknowledged, and before a segment is begun. The caller holds `syncing`.
  ///
  /// - Returns: The error that describes the change; `nil` if there is none.
  /// - Throws: If a check fails, which proves nothing either way.
  private func findDisplacement() throws(FileSystemError) -> LogError? {
    let (segment, end) = core.withLock { core in (core.segment, core.written) }
    if let change = try staleCheck.replacement(ofDirectory: directoryLock.identity, segment) { return change }
    guard core.withLock({ core in core.beginDirectoryCheck() }) else { return try staleCheck.laterSegment(than: end) }
    do throws(FileSystemError) { return try staleCheck.laterSegment(thanAny: end) } catch {
      core.withLock { core in core.repeatDirectoryCheck() }
      throw error
    }
  }

  /// Verifies that readers of the log's path read what this writer wrote.
  package func confirmNotStale() throws(LogError) {
    // A roll holds this lock, too, so that a segment that was just begun is this writer's own.
    let change = try syncing.withLock { (_) throws(LogError) -> LogError? in
      do throws(FileSystemError) { return try findDisplacement() } catch {
        throw LogError.files(error, "the check whether the log is still at its path failed", path: path)
      }
    }
    guard let change else { return }
    fail(change)
    events?.deliver()
    throw change
  }
}

// MARK: - Worker

extension LogWriter {
  /// Wakes the worker unless it is already scheduled.
  private func scheduleWorker() {
    if core.withLock({ core in core.wake() }) { startWorker() }
  }

  /// Starts the worker, which the core has marked as scheduled.
  private func startWorker() {
    worker.async { self.work() }
  }

  /// Writes and syncs until nothing is pending, or until another log waits for the thread. A batch is everything that
  /// arrived during the previous one.
  ///
  /// If other logs are waiting, they write first. The syncs then follow one another and share work of the file system:
  /// the first one commits the lengths of all files (benchmark `append to many logs, in turn`).
  private func work() {
    repeat {
      writePending()
      if durability.waitsForSync {
        if worker.hasCompetition {
          core.withLock { core in core.segment.file }.startWriteback()
          return worker.async { self.syncAfterOthers() }
        }
        syncWritten()
        events?.deliver()
      }
      guard hasWork() else { return }
    } while !worker.hasCompetition
    startWorker()
  }

  /// Syncs, and lets other logs write before it continues.
  private func syncAfterOthers() {
    // This sync covers what has arrived since.
    writePending()
    syncWritten()
    events?.deliver()
    if hasWork() { startWorker() }
  }

  private func hasWork() -> Bool { core.withLock { core in core.continuesWork() } }
}

// MARK: - Idle writers

extension LogWriter {
  /// Returns whether the writer has written a batch since the last call. If not, releases its buffers and `HEAD`. Blocks
  /// while a caller writes or syncs.
  func isActiveSinceLastSweep() -> Bool {
    let isActive = core.withLock { core in core.isActiveSinceLastSweep() }
    if !isActive { releaseIdleResources() }
    return isActive
  }

  /// Releases what only the next batch needs.
  private func releaseIdleResources() {
    writing.withLock { spare in
      spare = []
      core.withLock { core in core.releaseMemory() }
    }
    syncing.withLock { head in closeHead(&head) }
  }
}
