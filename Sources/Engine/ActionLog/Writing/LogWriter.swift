internal import Platform

/// The one writer of a log: appends records, and says how safe they are.
///
/// Drafts become lines at once, in the order in which they are taken, and wait in a buffer. A thread of the writer's own
/// (or, in ``write(_:)``, ``sync()`` and ``closeNow()``, the caller's) writes the whole buffer with one append
/// while the next one fills, and makes one sync for everything that was written since the last one. So the
/// cost of a sync is shared by all that arrived during the one before.
///
/// A batch has one of three outcomes. *Reached*: it is as safe as the level says. *Rejected*
/// (``LogError/Code/noSpace``, ``LogError/Code/rejected``): nothing of it is in the log, and the writer works on.
/// *Unknown* (``LogError/Code/failed``): a sync failed, nobody can say what the device holds, and the writer
/// takes nothing more; opening the log anew reads what is there.
///
/// A writer that is not closed leaves a log that opens just as well; only the `@close` record is missing.
public final class LogWriter: Sendable {
  /// What was found when the log was opened.
  public let opening: LogOpening
  /// The directory of the log.
  public let path: String
  /// When appends are acknowledged.
  public let durability: Durability

  let fileSystem: any LogFileSystem
  let environment: LogEnvironment
  let directoryLock: any DirectoryLock
  let worker = SerialThread()

  // Locks are taken in this order and never in another: ending, closing, writing, syncing, state. Only the last one is held for
  // moments; the others are held during calls to the disk. A sync does not keep others from writing.

  /// The right to close, and why the log was not closed cleanly, for whoever closes it once more.
  let ending = Locked<LogError?>(nil)
  /// Whether the writer gave back what it held.
  let closing = Locked(false)
  /// The right to write, and the memory of a batch that was written, for the next one but one.
  let writing = Locked<[UInt8]>([])
  /// The right to sync, and `HEAD` if it could be opened.
  let syncing: Locked<(any LogFile)?>
  let state: Locked<WriterState>

  init(
    path: String,
    opening: LogOpening,
    state: WriterState,
    head: (any LogFile)?,
    directoryLock: any DirectoryLock,
    fileSystem: any LogFileSystem,
    configuration: LogConfiguration
  ) {
    self.path = path
    self.opening = opening
    self.state = Locked(state)
    self.directoryLock = directoryLock
    self.fileSystem = fileSystem
    syncing = Locked(head)
    durability = configuration.durability
    environment = configuration.environment
  }

  /// Gives the lock and the files back without writing anything, as the death of the process would.
  deinit { release() }

  /// How the writer stands.
  ///
  /// - Complexity: O(1).
  public var status: LogStatus {
    state.withLock { state in
      LogStatus(
        lastSeq: state.queue.encoded.seq,
        lastCRC: state.queue.encoded.crc,
        writtenSeq: state.written.seq,
        syncedSeq: state.synced.seq,
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

  /// Closes the files and gives the lock back, once.
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
          head?.close()
          head = nil
        }
      }
      directoryLock.unlock()
    }
  }
}

// MARK: - Opening

extension LogWriter {
  /// Opens a log for writing, making it when nothing or an empty directory lies at the path.
  ///
  /// It takes the lock, recovers what a crash has left (``LogOpening/recovered``), and appends `@open`. A log of an older schema
  /// keeps it until the first record is appended, so that an older program can go back to it. The call blocks for the disk: callers
  /// on the cooperative thread pool hop off themselves.
  ///
  /// - Parameters:
  ///   - path: The log's directory. The directory above must exist.
  ///   - model: The name of the model, which must be that of the log.
  ///   - schema: The version of the shape of the actions that will be appended, from 1.
  ///   - parent: What a new log was made from; not used when the log exists.
  ///   - fileSystem: The door to the disk.
  ///   - configuration: Durability, limits, clock.
  /// - Throws: ``LogError`` with code `locked`, `damaged`, `tornTail` (with ``RecoveryPolicy/strict``), `wrongModel`,
  ///   `schemaTooNew`, `unsupportedFormat`, `notALog`, `noSpace`, `inputOutput`, `invalidArgument`. Nothing is changed
  ///   then, except that a torn tail may be in the quarantine already.
  /// - Complexity: O(length of the last segment + number of segments).
  public static func open(
    _ path: String,
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

  /// Writes and syncs what the opener put into the queue.
  func announce() throws(LogError) {
    writeBeforeSync()
    syncWritten()
    let (failure, ticket) = state.withLock { state in (state.failure, state.endTicket) }
    if let failure { throw failure }
    if let error = state.withLock({ state in state.rejections.error(for: state.queue.lastOrdinal) }) { throw error }
    _ = try settled(ticket, needsSync: true)
  }
}

/// How a writer stands at one moment.
public struct LogStatus: Sendable {
  /// The last revision that was taken.
  public var lastSeq: Int
  /// The checksum of the last line that was taken.
  public var lastCRC: UInt32
  /// The last revision that the system has.
  public var writtenSeq: Int
  /// The last revision that the device has.
  public var syncedSeq: Int
  /// The bytes that are taken and not yet written.
  public var pendingBytes: Int
  /// How many syncs succeeded, those of rolling included.
  public var syncCount: Int
  /// How many batches were written.
  public var batchCount: Int
  /// How often batches were rejected.
  public var rejectionCount: Int
  /// Why the writer takes nothing more, if it does not.
  public var failure: LogError?
  /// Why `HEAD` could not be written the last time. The log is none the worse, but weaker evidence is left for a recovery.
  public var headFailure: LogError?
  /// Whether the writer was closed.
  public var isClosed: Bool
  /// The segment that is written to.
  public var segmentPath: String
}

extension LogWriter {
  /// Writes and syncs everything that was taken, ends the log with `@close`, and gives the lock back.
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

  /// As ``close()``, on the calling thread. Closing twice does nothing more, and has the outcome of the first closing, for which it
  /// waits.
  ///
  /// - Throws: ``LogError`` with code `noSpace` or `rejected` when something could not be written: the writer then stays
  ///   open, so that closing can be tried again. With code `failed` when it had failed or fails now: the lock is given
  ///   back, and whatever waited is unknown. With code `closed` when the writer was abandoned meanwhile.
  public func closeNow() throws(LogError) {
    try ending.withLock { (outcome) throws(LogError) in
      if let outcome { throw outcome }
      do throws(LogError) { try closeOnce() } catch {
        // Every other one leaves the writer open.
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

  /// Goes on as before, unless the writer was abandoned while it closed: its files are then gone.
  private func reopen() {
    let isOpen = state.withLock { state in
      if state.phase == .closing { state.phase = .open }
      return state.phase == .open
    }
    if isOpen { scheduleInterval() }
  }

  private func drain() throws(LogError) {
    let ticket = state.withLock { state in state.endTicket }
    try finish(ticket)
  }

  /// `@close` is a batch of its own after a sync, so that its `synced` covers every action.
  private func appendClose() throws(LogError) {
    let time = environment.now()
    let epoch = opening.epoch
    let ticket = try state.withLock { (state) throws(LogError) -> LogTicket in
      try state.queue.add(CloseRecord(epoch: epoch), time: time)
      return state.endTicket
    }
    try finish(ticket)
  }

  private func finish(_ ticket: LogTicket) throws(LogError) {
    writeBeforeSync()
    syncWritten()
    if let failure = state.withLock({ state in state.failure }) { throw failure }
    _ = try settled(ticket, needsSync: true)
  }

  /// Tells whoever still waits that there is nothing more to come.
  func resumeRemainingWaiters() {
    let (settled, room) = state.withLock { [durability] state in
      (state.settledWaiters(durability: durability), state.takeRoomWaiters())
    }
    for waiter in settled { waiter.resume() }
    for waiter in room { waiter.resume() }
  }
}
