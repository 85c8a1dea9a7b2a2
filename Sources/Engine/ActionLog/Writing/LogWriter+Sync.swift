internal import Platform

extension LogWriter {
  /// Writes and syncs all accepted drafts on the calling thread.
  ///
  /// Callers that arrive during a sync share the next one.
  ///
  /// - Returns: The revision of the last action, and the level `synced`, or `full` if the writer has that level.
  /// - Throws: ``LogError`` if a waiting unit was rejected or its outcome is unknown.
  @discardableResult
  public func syncNow() throws(LogError) -> LogReceipt {
    let ticket = try state.withLock { (state) throws(LogError) -> LogTicket in
      try state.checkUsable()
      return state.endTicket
    }
    writeBeforeSync()
    syncWritten(through: ticket.ordinal)
    // Units that other callers enqueued after the ticket were written, too, and may not be synced.
    scheduleInterval()
    var receipt = try settled(ticket, needsSync: true)
    receipt.durability = durability == .full ? .full : .synced
    return receipt
  }

  /// Syncs the written lines unless they are already synced.
  ///
  /// - Parameter ordinal: The unit that must be durable afterward; `nil` for everything that is written.
  func syncWritten(through ordinal: Int? = nil) {
    syncing.withLock { head in
      let target = state.withLock { state -> (any LogFile, WriterPosition, String)? in
        guard state.failure == nil, state.phase != .closed, !state.isSynced else { return nil }
        if let ordinal, state.synced.ordinal >= ordinal { return nil }
        return (state.file, state.written, state.path)
      }
      guard let (file, position, path) = target else { return }
      syncFile(file, reaching: position, path, &head)
    }
  }

  /// Syncs a segment and resumes the callers that wait for it.
  ///
  /// - Returns: Whether the sync succeeded.
  @discardableResult
  func syncFile(
    _ file: any LogFile, reaching position: WriterPosition, _ path: String, _ head: inout (any LogFile)?
  ) -> Bool {
    do throws(FileSystemError) { try file.sync(durability.strength) } catch {
      fail(LogError.syncFailed(error, path: path))
      return false
    }
    return acknowledgeSync(position, &head)
  }

  /// Writes `HEAD`, then acknowledges the synced units. Does neither if the log was replaced.
  ///
  /// - Returns: Whether the log is still the one that this writer opened.
  func acknowledgeSync(_ position: WriterPosition, _ head: inout (any LogFile)?) -> Bool {
    let headFailure: LogError?
    do throws(FileSystemError) {
      if let change = try findDisplacement() {
        fail(change)
        return false
      }
      headFailure = writeHead(position, &head)
    } catch {
      // The lines are durable. Only the check whether readers find them at the log's path has failed.
      headFailure = LogError(
        .inputOutput, "HEAD was not written: the check whether the log was replaced failed (\(error))",
        path: self.path + "/" + LogFormat.headName, underlying: error)
    }
    let settled = state.withLock { [durability] state in
      state.synced = position
      state.queue.syncedRevision = position.revision
      state.syncCount += 1
      state.headFailure = headFailure
      return state.settledWaiters(durability: durability)
    }
    for waiter in settled { waiter.resume() }
    onSync.withLock { onSync in onSync }?()
    return true
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
  func closeHead(_ head: inout (any LogFile)?) {
    guard let file = head else { return }
    head = nil
    file.close()
    environment.resources.heads.giveBack()
  }
}

extension LogError {
  /// The error for pending units when a sync fails.
  static func syncFailed(_ error: FileSystemError, path: String) -> LogError {
    LogError(
      .failed, "a sync failed (\(error)): it is unknown whether the batch is durable", path: path,
      advice: "This writer writes nothing more. Reopen the log to read what the device has.",
      underlying: error)
  }
}

extension LogWriter {
  /// Schedules a sync after the interval if the writer has the level `interval` and unsynced lines.
  func scheduleInterval() {
    guard case .interval(let duration) = durability else { return }
    let number = state.withLock { state -> Int? in
      guard state.phase == .open, state.failure == nil, !state.isSynced else { return nil }
      return state.interval.expect()
    }
    guard let number else { return }
    // A strong reference would keep an abandoned writer, and its lock, for the length of the interval.
    let cancel = environment.schedule(duration) { [weak self] in self?.endInterval(number) }
    let isPending = state.withLock { state in state.interval.keep(cancel, ofCall: number) }
    // The call has already run, or the writer is closing.
    if !isPending { cancel() }
  }

  /// Syncs at the end of an interval.
  private func endInterval(_ number: Int) {
    guard state.withLock({ state in state.interval.begin(call: number) }) else { return }
    repeat { syncWritten() } while state.withLock { state in state.interval.finishSync() }
  }
}

/// The pending timer call and the running sync of a writer at the level `interval`: at most one of each.
///
/// Lines written during a sync begin an interval of their own. If that ends before the sync does, the same thread
/// starts the next sync immediately.
struct IntervalState: Sendable {
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
  /// - Returns: The closure that cancels it, to be called without the state lock.
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
