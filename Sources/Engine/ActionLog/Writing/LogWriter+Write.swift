internal import Platform

extension LogWriter {
  /// Writes everything that waits, as one batch. What became of it is in the state; at the level `interval` a sync
  /// follows in time.
  ///
  /// - Complexity: O(bytes that wait).
  func writePending() {
    writePending(checksLaterSegments: durability.waitsForSync)
    scheduleInterval()
  }

  /// As ``writePending()``, for callers that sync next, and look after that whether an interval has to begin.
  func writeBeforeSync() { writePending(checksLaterSegments: true) }

  /// - Parameter checksLaterSegments: Whether a later segment is looked for before: where a sync follows, that costs nothing.
  private func writePending(checksLaterSegments: Bool) {
    writing.withLock { spare in
      let taken = state.withLock { state -> (WriterQueue.Batch, ActiveSegment)? in
        guard state.failure == nil, state.phase != .closed, let batch = state.queue.take(spare: &spare) else {
          return nil
        }
        state.isUrgent = false
        return (batch, state.activeSegment)
      }
      guard let (batch, segment) = taken else { return }
      write(batch, to: segment, checksLaterSegments: checksLaterSegments)
      spare = batch.bytes
    }
  }

  /// Writes a batch.
  ///
  /// The state is asked for the segment only when it is rolled: nobody else changes what was written, and every turn of
  /// that lock is one that producers wait for (the benchmark
  /// `append, pipelined commit, +0 ms a sync`).
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

  /// Notices another writer before a batch: only a program that ignores the lock, or one that was thought dead, can have changed
  /// the length, or begun a later segment.
  private func checkEnd(of segment: ActiveSegment, checksLaterSegments: Bool) throws(WriteFailure) {
    let change: LogError?
    do throws(FileSystemError) {
      change = try self.change(of: segment, sizeBytes: segment.written.bytes, checksLaterSegments: checksLaterSegments)
    } catch {
      throw .rejected(LogError.rejected(error, path: segment.path))
    }
    if let change { throw .failed(change) }
  }

  /// What another writer has done to a segment; `nil` when it is as this one has left it.
  ///
  /// - Parameter sizeBytes: Its length, if nobody else has written to it.
  private func change(
    of segment: ActiveSegment, sizeBytes: Int, checksLaterSegments: Bool
  ) throws(FileSystemError) -> LogError? {
    let found = try segment.file.size()
    if checksLaterSegments, let later = try laterSegment(than: segment.written) { return later }
    return found == sizeBytes ? nil : .foreign(found, sizeBytes, segment.path)
  }

  private func append(
    _ bytes: [UInt8], _ range: Range<Int>, to segment: ActiveSegment, reaching end: WriterPosition,
    checksLaterSegments: Bool, isLast: Bool = false
  ) throws(WriteFailure) {
    // Nothing stands before a roll at the beginning of a batch; behind a roll stands what made it necessary.
    guard !range.isEmpty else { return }
    let outcome = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileSystemError) in try segment.file.append(UnsafeRawBufferPointer(rebasing: bytes[range])) }
    }
    // Whoever came between the look before and this writing has not seen it, and nothing else would show that: a later segment
    // would not have the name that follows from the end of this batch.
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

  /// Removes whatever a failed append left, for good: what is cut off and not synced can come back with a power
  /// cut, whole lines of it too, after everybody was told that nothing of them is in the log.
  ///
  /// - Parameter sizeBytes: The length that the segment would have, had the append succeeded. A segment that is longer, or shorter
  ///   than before, is not this writer's to change.
  private func rollBack(
    _ segment: ActiveSegment, from sizeBytes: Int, after cause: FileSystemError
  ) throws(WriteFailure) {
    let (file, path, bytes) = (segment.file, segment.path, segment.written.bytes)
    let ours = bytes...sizeBytes
    let found: Int
    do throws(FileSystemError) {
      found = try file.size()
      guard found != bytes else { return }
      if ours.contains(found) { try file.truncate(toBytes: bytes) }
    } catch {
      throw .failed(
        LogError(
          .failed, "a batch could not be written (\(cause)), nor could its beginning be cut off again", path: path,
          byteOffset: bytes, advice: "Open the log anew: it cuts off what is not whole.", underlying: error))
    }
    guard ours.contains(found) else { throw .failed(.foreign(found, bytes, path)) }
    try syncing.withLock { (_) throws(WriteFailure) in
      // One that failed meanwhile has told of it, and another try could succeed and prove nothing.
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
      // A sync that failed meanwhile has gone back to the line before.
      if state.failure != nil { state.queue.rewind(to: end) }
      return (state.settledWaiters(durability: durability), state.takeRoomWaiters())
    }
    for waiter in settled { waiter.resume() }
    for waiter in room { waiter.resume() }
  }

  /// Gives up everything that is taken and not written, and goes back to the last written line.
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

  /// Takes nothing more, for ever.
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

/// The segment that a batch goes to: what of the writer's state its writing needs.
struct ActiveSegment: Sendable {
  var file: any LogFile
  var path: String
  /// Its end, and what stands there.
  var written: WriterPosition
}

/// How a batch can end badly.
enum WriteFailure: Error {
  /// Nothing of it is in the log.
  case rejected(LogError)
  /// Nobody knows.
  case failed(LogError)
}

extension LogError {
  /// The error for a segment that has another length than its writer has given it.
  fileprivate static func foreign(_ found: Int, _ expected: Int, _ path: String) -> LogError {
    LogError(
      .failed, "another program has written to the segment: it has \(found) bytes, not \(expected)",
      path: path, advice: "Nothing more is written. Run 'action-log verify' before the log is opened again.")
  }

  /// The error for a batch that is not in the log.
  static func rejected(_ error: FileSystemError, path: String) -> LogError {
    let isFull = error.code == .noSpace
    return LogError(
      isFull ? .noSpace : .rejected,
      isFull ? "no space is left for the batch" : "the batch could not be written (\(error))",
      path: path,
      advice: "Nothing of it is in the log, which goes on when the cause is gone."
        + (error.code == .fileTooLarge ? " " + adviceOnFileLimit : ""),
      underlying: error)
  }
}

extension LogWriter {
  /// Sees to it that the worker looks at the queue.
  func scheduleWorker() {
    let isNeeded = state.withLock { state in
      state.isUrgent = true
      guard !state.isWorkerScheduled, state.failure == nil, state.phase != .closed else { return false }
      state.isWorkerScheduled = true
      return true
    }
    if isNeeded { startWorker() }
  }

  /// Lets the worker look at the queue, which the state says is its turn.
  func startWorker() {
    worker.async { self.work() }
  }

  /// Writes and syncs until nothing is left to do. A batch is whatever arrived during the one before.
  private func work() {
    repeat {
      writePending()
      if durability.waitsForSync { syncWritten() }
    } while hasWork()
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
