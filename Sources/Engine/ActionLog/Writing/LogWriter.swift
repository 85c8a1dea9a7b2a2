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

  let fileSystem: any LogFileSystem
  let environment: LogEnvironment
  let directoryLock: any DirectoryLock
  /// Writes and syncs on the threads that all writers share.
  let worker: SerialQueue

  // Locks are acquired in this order: ending, closing, writing, syncing, state. The state lock is held for moments;
  // the others are held during disk calls. Batches can be written while a sync is under way.

  /// Serializes closing; holds the error of a failed close for later calls.
  let ending = Locked<LogError?>(nil)
  /// Whether the files and the lock were released.
  let closing = Locked(false)
  /// Serializes writing; holds the memory of a written batch for reuse.
  let writing = Locked<[UInt8]>([])
  /// Serializes syncs; holds `HEAD` if it is kept open between two syncs.
  let syncing = Locked<(any LogFile)?>(nil)
  let state: Locked<WriterState>
  /// Called after each successful sync, without a lock.
  let onSync = Locked<(@Sendable () -> Void)?>(nil)

  init(
    path: String,
    opening: LogOpening,
    state: WriterState,
    directoryLock: any DirectoryLock,
    fileSystem: any LogFileSystem,
    configuration: LogConfiguration
  ) {
    self.path = path
    self.opening = opening
    self.state = Locked(state)
    self.directoryLock = directoryLock
    self.fileSystem = fileSystem
    durability = configuration.durability
    environment = configuration.environment
    worker = SerialQueue(on: environment.resources.threads)
  }

  /// Releases the lock and the files without writing anything, as if the process had ended.
  deinit { release() }

  /// The threads and descriptors that it shares with other writers.
  package var resources: LogResources { environment.resources }

  /// The current status.
  public var status: LogStatus {
    state.withLock { state in
      LogStatus(
        lastRevision: state.queue.encoded.revision,
        lastCRC: state.queue.encoded.crc,
        writtenRevision: state.written.revision,
        syncedRevision: state.synced.revision,
        pendingBytes: state.queue.pendingBytes,
        syncCount: state.syncCount,
        batchCount: state.batchCount,
        rejectionCount: state.generation,
        failure: state.failure,
        headFailure: state.headFailure,
        isClosed: state.phase == .closed,
        segmentPath: state.path
      )
    }
  }

  /// Closes the files and releases the lock, once.
  func release() {
    closing.withLock { isReleased in
      guard !isReleased else { return }
      isReleased = true
      writing.withLock { _ in
        syncing.withLock { head in
          let (file, cancelInterval) = state.withLock { state in
            state.phase = .closed
            return (state.file, state.interval.withdraw())
          }
          cancelInterval?()
          file.close()
          closeHead(&head)
        }
      }
      directoryLock.unlock()
    }
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
  /// - Throws: ``LogError`` with code `locked`, `damaged`, `tornTail` (with ``RecoveryPolicy/strict``), `wrongModel`,
  ///   `schemaTooNew`, `unsupportedFormat`, `notALog`, `noSpace`, `inputOutput`, `invalidArgument`. The log is
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
    let opener = LogOpener(
      path: LogFolder.trimmed(path), model: model, schema: schema, parent: parent, fileSystem: fileSystem,
      configuration: configuration)
    return try opener.open()
  }

  /// Makes a new log that begins with the base of a pruned one.
  ///
  /// - Parameters:
  ///   - path: An empty directory. It is not a log before the call returns, and a crash leaves an incomplete one.
  ///   - inherited: The base, which gets the identifier of the new log and its model; `nil` for a log that begins with its first action.
  /// - Throws: As ``open(at:model:schema:parent:fileSystem:configuration:)``.
  static func open(
    at path: String, model: String, schema: Int, parent: LogHeader.Parent?, inheriting inherited: InheritedBase?,
    fileSystem: any LogFileSystem, configuration: LogConfiguration
  ) throws(LogError) -> LogWriter {
    var opener = LogOpener(
      path: LogFolder.trimmed(path), model: model, schema: schema, parent: parent, fileSystem: fileSystem,
      configuration: configuration)
    opener.base = inherited?.base
    let writer = try opener.open()
    guard let inherited else { return writer }
    do throws(LogError) {
      try EvidenceStore(log: writer.path, fileSystem: fileSystem).inheritTiles(of: inherited)
    } catch {
      writer.abandon()
      throw error
    }
    return writer
  }

  /// Writes and syncs the `@open` record that the opener enqueued.
  func announce() throws(LogError) {
    writeBeforeSync()
    syncWritten()
    let (failure, ticket) = state.withLock { state in (state.failure, state.endTicket) }
    if let failure { throw failure }
    if let error = state.withLock({ state in state.rejections.error(for: state.queue.lastOrdinal) }) { throw error }
    _ = try settled(ticket, needsSync: true)
  }
}

/// The status of a writer at one moment.
public struct LogStatus: Sendable {
  /// The last accepted revision.
  public var lastRevision: Int
  /// The checksum of the last accepted line.
  package var lastCRC: UInt32
  /// The last revision that the operating system has.
  public var writtenRevision: Int
  /// The last revision that the device has.
  public var syncedRevision: Int
  /// The bytes that are accepted and not yet written.
  public var pendingBytes: Int
  /// The number of successful syncs, including those that seal segments.
  package var syncCount: Int
  /// The number of batches written.
  package var batchCount: Int
  /// The number of rejected batches.
  package var rejectionCount: Int
  /// The reason why the writer accepts nothing more, if it has failed.
  public var failure: LogError?
  /// The reason why `HEAD` could not be written the last time. The log is intact, but recovery has a weaker hint.
  public var headFailure: LogError?
  /// Whether the writer was closed.
  public var isClosed: Bool
  /// The path of the active segment.
  public var segmentPath: String
}

extension LogWriter {
  /// Writes and syncs all accepted drafts, appends `@close`, and releases the lock.
  ///
  /// - Throws: As ``closeNow()``.
  public func close() async throws(LogError) {
    let outcome = await withCheckedContinuation { continuation in
      worker.async {
        continuation.resume(returning: Result { () throws(LogError) in try self.closeNow() })
      }
    }
    try outcome.get()
  }

  /// Closes the log on the calling thread. Further calls wait for the first one and have the same outcome.
  ///
  /// - Throws: ``LogError`` with code `noSpace` or `rejected` if something could not be written; the writer then
  ///   remains open, and closing can be tried again. With code `failed` if the writer has failed: the lock is
  ///   released, and the outcome of pending drafts is unknown. With code `closed` if the writer was abandoned while
  ///   closing.
  public func closeNow() throws(LogError) {
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
    let (isFirst, cancelInterval) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard state.phase == .open else { return (false, nil) }
      state.phase = .closing
      return (true, state.interval.withdraw())
    }
    guard isFirst else { return }
    cancelInterval?()
    do throws(LogError) {
      try drain()
      try appendClose()
    } catch {
      guard error.code == .failed else {
        reopen()
        throw error
      }
      release()
      resumeRemainingWaiters()
      throw error
    }
    release()
    resumeRemainingWaiters()
  }

  /// Reopens the writer after a failed close, unless it was abandoned and its files are closed.
  private func reopen() {
    let isOpen = state.withLock { state in
      if state.phase == .closing { state.phase = .open }
      return state.phase == .open
    }
    if isOpen { scheduleInterval() }
  }

  /// Writes and syncs a record that only the engine writes.
  func appendNow(_ record: some ControlRecord, meta: [UInt8]?) throws(LogError) {
    let time = environment.now()
    let ticket = try state.withLock { (state) throws(LogError) -> LogTicket in
      try state.checkUsable()
      try state.queue.add(record, meta: meta, time: time)
      return state.endTicket
    }
    try finish(ticket)
  }

  private func drain() throws(LogError) {
    let ticket = state.withLock { state in state.endTicket }
    try finish(ticket)
  }

  /// Appends `@close` in its own batch after a sync, so that its `synced` covers every action.
  private func appendClose() throws(LogError) {
    let time = environment.now()
    let epoch = opening.epoch
    let ticket = try state.withLock { (state) throws(LogError) -> LogTicket in
      try state.queue.add(CloseRecord(epoch: epoch), time: time)
      return state.endTicket
    }
    try finish(ticket)
  }

  /// Appends a record of the log's care durably, before the first action of its segment, and closes the log when `body` returns.
  ///
  /// - Parameters:
  ///   - record: The record, whose successor is `@close`.
  ///   - actor: The actor in the metadata; `nil` if unknown.
  ///   - body: Makes the changes that the record announces.
  /// - Throws: ``LogError``; the log is released.
  func recordAndClose(
    _ record: some ControlRecord, actor: String?, _ body: () throws(LogError) -> Void
  ) throws(LogError) {
    do throws(LogError) {
      let time = environment.now()
      let ticket = try state.withLock { (state) throws(LogError) -> LogTicket in
        try state.queue.add(beginning: record, actor: actor, time: time)
        return state.endTicket
      }
      try finish(ticket)
      try body()
      try closeNow()
    } catch {
      abandon()
      throw error
    }
  }

  private func finish(_ ticket: LogTicket) throws(LogError) {
    writeBeforeSync()
    syncWritten()
    if let failure = state.withLock({ state in state.failure }) { throw failure }
    _ = try settled(ticket, needsSync: true)
  }

  /// Resumes the remaining waiters; no more outcomes will follow.
  func resumeRemainingWaiters() {
    let (settled, room) = state.withLock { [durability] state in
      (state.settledWaiters(durability: durability), state.takeRoomWaiters())
    }
    for waiter in settled { waiter.resume() }
    for waiter in room { waiter.resume() }
  }
}
