internal import Platform

extension LogWriter {
  /// Writes and synchronises everything that was taken so far, on the calling thread.
  ///
  /// Callers that come while another one synchronises share the next synchronisation.
  ///
  /// - Returns: The revision of the last action, and the level `commit`, or `full` where the writer has that level.
  /// - Throws: ``LogError`` when something that was waiting was rejected, or its outcome is unknown.
  @discardableResult
  public func synchronize() throws(LogError) -> LogReceipt {
    let ticket = try state.withLock { (state) throws(LogError) -> LogTicket in
      try state.checkUsable()
      return state.endTicket
    }
    writeBeforeSync()
    synchronizeWritten(through: ticket.ordinal)
    // What others had queued behind the ticket was written, too, and may not be synchronised.
    scheduleInterval()
    var receipt = try settled(ticket, needsSync: true)
    receipt.durability = durability == .full ? .full : .commit
    return receipt
  }

  /// Synchronises what was written, unless that is done already.
  ///
  /// - Parameter ordinal: The unit that has to be durable afterwards; everything that is written when it is `nil`.
  func synchronizeWritten(through ordinal: Int? = nil) {
    syncing.withLock { head in
      let target = state.withLock { state -> (any LogFile, WriterPosition, String)? in
        guard state.failure == nil, state.phase != .closed, !state.isSynced else { return nil }
        if let ordinal, state.synced.ordinal >= ordinal { return nil }
        return (state.file, state.written, state.path)
      }
      guard let (file, position, path) = target else { return }
      synchronize(file, reaching: position, path, head)
    }
  }

  /// Synchronises a segment and tells those who wait.
  ///
  /// - Returns: Whether it succeeded.
  @discardableResult
  private func synchronize(
    _ file: any LogFile, reaching position: WriterPosition, _ path: String, _ head: (any LogFile)?
  ) -> Bool {
    do throws(FileSystemError) { try file.synchronize(durability.strength) } catch {
      fail(LogError.syncFailed(error, path: path))
      return false
    }
    return noteSynced(position, head)
  }

  /// Leaves evidence in `HEAD`, then acknowledges; neither when the log is another one by now.
  ///
  /// - Returns: Whether it is the same.
  private func noteSynced(_ position: WriterPosition, _ head: (any LogFile)?) -> Bool {
    let headFailure: LogError?
    do throws(FileSystemError) {
      if let change = try changeOfPlace() {
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

// MARK: - Rolling

extension LogWriter {
  /// Synchronises the segment, which is then sealed, and goes on with a new one.
  func roll(_ roll: WriterQueue.Roll, _ bytes: [UInt8]) throws(WriteFailure) {
    try syncing.withLock { (head) throws(WriteFailure) in
      let (file, written, path, isSynced, failure) = state.withLock { state in
        (state.file, state.written, state.path, state.isSynced, state.failure)
      }
      // The worker's synchronisation may have failed since the batch was taken. Trying it again would succeed, and
      // prove nothing: the system counts what it could not write as written.
      if let failure { throw .failed(failure) }
      if !isSynced, !synchronize(file, reaching: written, path, head) {
        throw .failed(currentFailure())
      }
      try checkPlace()
      let (made, identity) = try makeSegment(roll, bytes)
      let newPath = self.path + "/" + SegmentName.text(first: roll.after.segment)
      state.withLock { state in
        state.file = made
        state.path = newPath
        state.identity = identity
        state.written = roll.after
      }
      file.close()
      guard noteSynced(roll.after, head) else { throw .failed(currentFailure()) }
    }
  }

  /// Begins no segment in a log that is another one by now.
  private func checkPlace() throws(WriteFailure) {
    let change: LogError?
    do throws(FileSystemError) { change = try changeOfPlace() } catch {
      throw .rejected(LogError.rejected(error, path: path))
    }
    if let change { throw .failed(change) }
  }

  private func makeSegment(
    _ roll: WriterQueue.Roll, _ bytes: [UInt8]
  ) throws(WriteFailure) -> (any LogFile, FileIdentity?) {
    let maker = SegmentMaker(fileSystem: fileSystem, directory: path, strength: durability.strength)
    let outcome = bytes.withUnsafeBytes { bytes in
      Result { () throws(SegmentMaker.Failure) in
        try maker.make(first: roll.after.segment, line: UnsafeRawBufferPointer(rebasing: bytes[roll.line]))
      }
    }
    let name = path + "/" + SegmentName.text(first: roll.after.segment)
    do throws(SegmentMaker.Failure) {
      let made = try outcome.get()
      return (made.file, made.identity)
    } catch {
      if let occupant = error.occupant {
        throw .failed(LogError.taken(by: occupant, path: name, lastSeq: roll.before.seq, underlying: error.error))
      }
      if error.isUncertain { throw .failed(LogError.syncFailed(error.error, path: name)) }
      throw .rejected(LogError.rejected(error.error, path: name))
    }
  }

  private func currentFailure() -> LogError {
    state.withLock { state in state.failure } ?? LogError(.failed, "a synchronisation failed", path: path)
  }
}

extension LogError {
  /// The error for whatever waits when a synchronisation fails.
  static func syncFailed(_ error: FileSystemError, path: String) -> LogError {
    LogError(
      .failed, "a synchronisation failed (\(error)): it is unknown whether the batch is durable", path: path,
      advice: "Nothing more is written. Open the log anew to see what the device holds.",
      underlying: error)
  }
}
