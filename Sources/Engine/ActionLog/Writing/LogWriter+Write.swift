internal import Platform

extension LogWriter {
  /// Writes all queued drafts as one batch and records the outcome in the state. At the level `interval` it schedules
  /// a sync.
  ///
  /// - Complexity: O(unwritten bytes).
  func writePending() {
    writePending(checksLaterSegments: durability.waitsForSync)
    scheduleInterval()
  }

  /// Writes all queued drafts for a caller that syncs next and then schedules the interval if necessary.
  func writeBeforeSync() { writePending(checksLaterSegments: true) }

  /// - Parameter checksLaterSegments: Whether to check for a segment of another writer first. The check is cheap
  ///   compared with the sync that follows.
  private func writePending(checksLaterSegments: Bool) {
    let mustSweep = writing.withLock { spare -> Bool in
      let taken = state.withLock { state -> (WriterQueue.Batch, ActiveSegment, mustSweep: Bool, needsSalts: Bool)? in
        guard state.failure == nil, state.phase != .closed, let batch = state.queue.take(spare: &spare) else {
          return nil
        }
        state.isUrgent = false
        defer { state.awaitsSweep = true }
        return (
          batch, state.activeSegment, mustSweep: !state.awaitsSweep, needsSalts: state.queue.salts.needsRefill
        )
      }
      guard let (batch, segment, mustSweep, needsSalts) = taken else { return false }
      write(batch, to: segment, checksLaterSegments: checksLaterSegments)
      if needsSalts { refillSalts() }
      spare = batch.bytes
      return mustSweep
    }
    if mustSweep { environment.resources.sweep.add(self) }
  }

  /// Generates salts for later lines, without the state lock, so that appending goes on.
  private func refillSalts() {
    let portion = SaltSupply.portion(SaltSupply.refillBytes, environment.makeSalts)
    state.withLock { state in state.queue.salts.add(portion) }
  }

  /// Writes a batch.
  ///
  /// Reads the segment from the state only after a roll: no other thread changes it, and producers wait for each
  /// acquisition of that lock (benchmark `append, pipelined commit, +0 ms a sync`).
  private func write(_ batch: WriterQueue.Batch, to segment: ActiveSegment, checksLaterSegments: Bool) {
    var segment = segment
    do throws(WriteFailure) {
      try checkEnd(of: segment, checksLaterSegments: checksLaterSegments)
      var start = 0
      for roll in batch.rolls {
        try append(
          batch.bytes, start..<roll.line.lowerBound, to: segment, reaching: roll.before,
          checksLaterSegments: checksLaterSegments)
        try self.roll(roll, batch.bytes)
        segment = state.withLock { state in state.activeSegment }
        start = roll.line.upperBound
      }
      try append(
        batch.bytes, start..<batch.count, to: segment, reaching: batch.end, checksLaterSegments: checksLaterSegments,
        isLast: true)
    } catch {
      switch error {
      case .rejected(let error): reject(error)
      case .failed(let error): fail(error)
      }
    }
  }

  /// Detects another writer before a batch: a program that ignored the lock, or one that took the log from this stale
  /// writer, may have changed the segment's length or begun a later segment.
  private func checkEnd(of segment: ActiveSegment, checksLaterSegments: Bool) throws(WriteFailure) {
    let change: LogError?
    do throws(FileSystemError) {
      change = try self.change(of: segment, sizeBytes: segment.written.bytes, checksLaterSegments: checksLaterSegments)
    } catch {
      throw .rejected(LogError.rejected(error, path: segment.path))
    }
    if let change { throw .failed(change) }
  }

  /// Returns the error for a segment that another writer changed; `nil` if it is unchanged.
  ///
  /// - Parameter sizeBytes: The expected length.
  private func change(
    of segment: ActiveSegment, sizeBytes: Int, checksLaterSegments: Bool
  ) throws(FileSystemError) -> LogError? {
    let found = try segment.file.size()
    if checksLaterSegments, let later = try laterSegment(than: segment.written) { return later }
    return found == sizeBytes ? nil : .foreignWrite(found, sizeBytes, segment.path)
  }

  private func append(
    _ bytes: [UInt8], _ range: Range<Int>, to segment: ActiveSegment, reaching end: WriterPosition,
    checksLaterSegments: Bool, isLast: Bool = false
  ) throws(WriteFailure) {
    // The range before a roll at the beginning of a batch is empty.
    guard !range.isEmpty else { return }
    let outcome = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileSystemError) in try segment.file.append(UnsafeRawBufferPointer(rebasing: bytes[range])) }
    }
    // Another writer may have begun between the check before this append and now. Nothing else would reveal it later,
    // because the name of its segment does not follow from the end of this batch.
    let change: LogError?
    do throws(FileSystemError) {
      try outcome.get()
      change = try self.change(
        of: segment, sizeBytes: segment.written.bytes + range.count, checksLaterSegments: checksLaterSegments)
    } catch {
      try rollBack(segment, from: segment.written.bytes + range.count, after: error)
      throw .rejected(LogError.rejected(error, path: segment.path))
    }
    if let change { throw .failed(change) }
    advance(to: end, checksLaterSegments: checksLaterSegments, isLast: isLast)
  }

  /// Truncates what a failed append left and syncs the truncation. Without the sync, a power cut could restore
  /// complete lines of a batch that was reported as rejected.
  ///
  /// - Parameter sizeBytes: The length that a successful append would have produced. A segment that is longer, or
  ///   shorter than before, was changed by another program and is left alone.
  private func rollBack(
    _ segment: ActiveSegment, from sizeBytes: Int, after cause: FileSystemError
  ) throws(WriteFailure) {
    let (file, path, bytes) = (segment.file, segment.path, segment.written.bytes)
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
          path: path,
          byteOffset: bytes, advice: "Reopen the log: opening truncates the incomplete batch.", underlying: error))
    }
    guard ownRange.contains(found) else { throw .failed(.foreignWrite(found, bytes, path)) }
    try syncing.withLock { (_) throws(WriteFailure) in
      // Another thread's sync may have failed. A second sync could succeed without storing anything.
      if let failure = state.withLock({ state in state.failure }) { throw .failed(failure) }
      do throws(FileSystemError) { try file.sync(durability.strength) } catch {
        throw .failed(LogError.syncFailed(error, path: path))
      }
    }
  }

  private func advance(to end: WriterPosition, checksLaterSegments: Bool, isLast: Bool) {
    let (settled, room) = state.withLock { [durability] state in
      state.written = end
      if isLast { state.batchCount += 1 }
      if !checksLaterSegments { state.needsDirectoryCheck = true }
      // A sync that failed on another thread has rolled the queue back to the previous line.
      if state.failure != nil { state.queue.rewind(to: end) }
      return (state.settledWaiters(durability: durability), state.takeRoomWaiters())
    }
    for waiter in settled { waiter.resume() }
    for waiter in room { waiter.resume() }
  }

  /// Discards all accepted drafts that are not written, and rolls the queue back to the last written line.
  private func reject(_ error: LogError) {
    let (settled, room) = state.withLock { [durability] state in
      let first = state.written.ordinal + 1
      if state.queue.encoded.ordinal >= first {
        state.rejections.add(first...state.queue.encoded.ordinal, error)
      }
      state.generation += 1
      state.queue.rewind(to: state.written)
      return (state.settledWaiters(durability: durability), state.takeRoomWaiters())
    }
    for waiter in settled { waiter.resume() }
    for waiter in room { waiter.resume() }
  }

  /// Fails the writer permanently and resumes all waiters.
  func fail(_ error: LogError) {
    let (settled, room, cancelInterval) = state.withLock { [durability] state in
      if state.failure == nil { state.failure = error }
      state.queue.rewind(to: state.written)
      return (state.settledWaiters(durability: durability), state.takeRoomWaiters(), state.interval.withdraw())
    }
    cancelInterval?()
    for waiter in settled { waiter.resume() }
    for waiter in room { waiter.resume() }
  }
}

/// The part of the writer's state that writing a batch needs.
struct ActiveSegment: Sendable {
  var file: any LogFile
  var path: String
  /// Its end.
  var written: WriterPosition
}

/// The outcome of a batch that was not written.
enum WriteFailure: Error {
  /// None of the batch is in the log.
  case rejected(LogError)
  /// It is unknown whether the batch is in the log.
  case failed(LogError)
}

extension LogError {
  /// The error for a segment whose length differs from what its writer wrote.
  fileprivate static func foreignWrite(_ found: Int, _ expected: Int, _ path: String) -> LogError {
    LogError(
      .failed, "another program wrote to the segment: it has \(found) bytes, expected \(expected)",
      path: path, advice: "This writer writes nothing more. Run \(.verify) before the log is opened again.")
  }

  /// The error for a rejected batch.
  static func rejected(_ error: FileSystemError, path: String) -> LogError {
    let isFull = error.code == .noSpace
    return LogError(
      isFull ? .noSpace : .rejected,
      isFull ? "no space is left for the batch" : "the batch could not be written (\(error))",
      path: path,
      intact: "None of it is in the log.",
      advice: .sentences(
        "Appending works again once the cause is removed.", error.code == .fileTooLarge ? fileSizeAdvice : nil),
      underlying: error)
  }
}

extension LogWriter {
  /// Wakes the worker unless it is already scheduled.
  func scheduleWorker() {
    let isNeeded = state.withLock { state in
      state.isUrgent = true
      guard !state.isWorkerScheduled, state.failure == nil, state.phase != .closed else { return false }
      state.isWorkerScheduled = true
      return true
    }
    if isNeeded { startWorker() }
  }

  /// Starts the worker, which the state has marked as scheduled.
  func startWorker() {
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
          state.withLock { state in state.file }.startWriteback()
          return worker.async { self.syncAfterOthers() }
        }
        syncWritten()
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
    if hasWork() { startWorker() }
  }

  private func hasWork() -> Bool {
    state.withLock { [durability] state in
      let isUsable = state.failure == nil && state.phase != .closed
      let isSettled = !state.hasBatch && (state.isSynced || !durability.waitsForSync)
      if isUsable, !isSettled { return true }
      state.isWorkerScheduled = false
      return false
    }
  }
}

// MARK: - Idle writers

extension LogWriter {
  /// Returns whether the writer has written a batch since the last call. If not, releases its buffers and `HEAD`. Blocks
  /// while a caller writes or syncs.
  func isActiveSinceLastSweep() -> Bool {
    let isActive = state.withLock { state in
      let isActive = state.batchCount != state.sweptBatchCount && state.phase == .open
      state.sweptBatchCount = state.batchCount
      state.awaitsSweep = isActive
      return isActive
    }
    if !isActive { releaseIdleResources() }
    return isActive
  }

  /// Releases what only the next batch needs.
  private func releaseIdleResources() {
    writing.withLock { spare in
      spare = []
      state.withLock { state in state.queue.releaseMemory() }
    }
    syncing.withLock { head in closeHead(&head) }
  }
}
