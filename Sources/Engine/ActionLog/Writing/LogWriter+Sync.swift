internal import Platform

extension LogWriter {
  /// Writes and syncs everything that was taken so far, on the calling thread.
  ///
  /// Callers that come while another one syncs share the next sync.
  ///
  /// - Returns: The revision of the last action, and the level `commit`, or `full` where the writer has that level.
  /// - Throws: ``LogError`` when something that was waiting was rejected, or its outcome is unknown.
  @discardableResult
  public func sync() throws(LogError) -> LogReceipt {
    let ticket = try state.withLock { (state) throws(LogError) -> LogTicket in
      try state.checkUsable()
      return state.endTicket
    }
    writeBeforeSync()
    syncWritten(through: ticket.ordinal)
    // What others had queued behind the ticket was written, too, and may not be synced.
    scheduleInterval()
    var receipt = try settled(ticket, needsSync: true)
    receipt.durability = durability == .full ? .full : .commit
    return receipt
  }

  /// Syncs what was written, unless that is done already.
  ///
  /// - Parameter ordinal: The unit that has to be durable afterwards; everything that is written when it is `nil`.
  func syncWritten(through ordinal: Int? = nil) {
    syncing.withLock { head in
      let target = state.withLock { state -> (any LogFile, WriterPosition, String)? in
        guard state.failure == nil, state.phase != .closed, !state.isSynced else { return nil }
        if let ordinal, state.synced.ordinal >= ordinal { return nil }
        return (state.file, state.written, state.path)
      }
      guard let (file, position, path) = target else { return }
      syncFile(file, reaching: position, path, head)
    }
  }

  /// Syncs a segment and tells those who wait.
  ///
  /// - Returns: Whether it succeeded.
  @discardableResult
  func syncFile(
    _ file: any LogFile, reaching position: WriterPosition, _ path: String, _ head: (any LogFile)?
  ) -> Bool {
    do throws(FileSystemError) { try file.sync(durability.strength) } catch {
      fail(LogError.syncFailed(error, path: path))
      return false
    }
    return noteSynced(position, head)
  }

  /// Leaves evidence in `HEAD`, then acknowledges; neither when the log is another one by now.
  ///
  /// - Returns: Whether it is the same.
  func noteSynced(_ position: WriterPosition, _ head: (any LogFile)?) -> Bool {
    let headFailure: LogError?
    do throws(FileSystemError) {
      if let change = try findDisplacement() {
        fail(change)
        return false
      }
      headFailure = writeHead(position, head)
    } catch {
      // The device has the lines; only whether others find them could not be seen this time.
      headFailure = LogError(
        .inputOutput, "HEAD was not written: whether it is still that of the log could not be seen (\(error))",
        path: self.path + "/" + LogFormat.headName, underlying: error)
    }
    let settled = state.withLock { [durability] state in
      state.synced = position
      state.queue.syncedSeq = position.seq
      state.syncCount += 1
      state.headFailure = headFailure
      return state.settledWaiters(durability: durability)
    }
    for waiter in settled { waiter.resume() }
    return true
  }

  /// Writes `HEAD`. That it fails takes nothing from the log: it is only what later recoveries can lean on.
  private func writeHead(_ position: WriterPosition, _ head: (any LogFile)?) -> LogError? {
    guard let head else { return state.withLock { state in state.headFailure } }
    let contents = LogHead(seq: position.seq, segment: position.segment, bytes: position.bytes, crc: position.crc)
    do throws(FileSystemError) {
      try head.write(contents.encoded(), at: 0)
      return nil
    } catch {
      return LogError(
        .inputOutput, "HEAD could not be written", path: path + "/" + LogFormat.headName, underlying: error)
    }
  }
}

extension LogError {
  /// The error for whatever waits when a sync fails.
  static func syncFailed(_ error: FileSystemError, path: String) -> LogError {
    LogError(
      .failed, "a sync failed (\(error)): it is unknown whether the batch is durable", path: path,
      advice: "Nothing more is written. Open the log anew to see what the device holds.",
      underlying: error)
  }
}

extension LogWriter {
  /// At the level `interval`, sees to it that what was written is synced in time.
  func scheduleInterval() {
    guard case .interval(let duration) = durability else { return }
    let number = state.withLock { state -> Int? in
      guard state.phase == .open, state.failure == nil, !state.isSynced else { return nil }
      return state.interval.expect()
    }
    guard let number else { return }
    // Not to keep an abandoned writer, and with it the lock, for the length of the interval.
    let cancel = environment.schedule(duration) { [weak self] in self?.endInterval(number) }
    let isToCome = state.withLock { state in state.interval.keep(cancel, ofCall: number) }
    // It has come already, or the writer began to close.
    if !isToCome { cancel() }
  }

  /// Syncs when an interval is over.
  private func endInterval(_ number: Int) {
    guard state.withLock({ state in state.interval.begin(call: number) }) else { return }
    repeat { syncWritten() } while state.withLock { state in state.interval.finishSync() }
  }
}

/// What the level `interval` has under way for a writer: at most one call that is to come, and at most one sync.
///
/// They are apart: what is written while a sync takes its time has its own interval, from then on. When that is over and
/// the sync is not, another one follows it at once, by the same thread.
struct IntervalState: Sendable {
  /// The last call that was asked for, and whether it is to come.
  private var number = 0
  private var isAwaited = false
  /// Takes it back, once the environment has told how.
  private var cancel: (@Sendable () -> Void)?
  private var isSyncing = false
  private var isOverdue = false

  /// Expects a call.
  ///
  /// - Returns: The number that it is to come with; `nil` if one is to come already.
  mutating func expect() -> Int? {
    guard !isAwaited else { return nil }
    isAwaited = true
    number += 1
    return number
  }

  /// Keeps what takes a call back.
  ///
  /// - Returns: Whether the call is still to come.
  mutating func keep(_ cancel: @escaping @Sendable () -> Void, ofCall number: Int) -> Bool {
    guard isAwaited, number == self.number else { return false }
    self.cancel = cancel
    return true
  }

  /// Expects the call no more.
  ///
  /// - Returns: What takes it back, for when the lock is free.
  mutating func withdraw() -> (@Sendable () -> Void)? {
    isAwaited = false
    defer { cancel = nil }
    return cancel
  }

  /// Notes that a call has come.
  ///
  /// - Returns: Whether whoever brings it is to sync.
  mutating func begin(call number: Int) -> Bool {
    guard isAwaited, number == self.number else { return false }
    isAwaited = false
    cancel = nil
    guard !isSyncing else {
      isOverdue = true
      return false
    }
    isSyncing = true
    return true
  }

  /// Notes the end of a sync.
  ///
  /// - Returns: Whether there has to be another one.
  mutating func finishSync() -> Bool {
    defer { isOverdue = false }
    isSyncing = isOverdue
    return isOverdue
  }
}
