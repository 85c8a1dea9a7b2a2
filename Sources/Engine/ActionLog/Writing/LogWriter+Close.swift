internal import Platform

extension LogWriter {
  /// Writes and synchronises everything that was taken, ends the log with `@close`, and gives the lock back.
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
      settleRest()
      throw error
    }
    release()
    settleRest()
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

  /// `@close` is a batch of its own after a synchronisation, so that its `synced` covers every action.
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
    synchronizeWritten()
    if let failure = state.withLock({ state in state.failure }) { throw failure }
    _ = try settled(ticket, needsSync: true)
  }

  /// Tells whoever still waits that there is nothing more to come.
  func settleRest() {
    let (settled, room) = state.withLock { [durability] state in
      (state.settledWaiters(durability: durability), state.takeRoomWaiters())
    }
    for waiter in settled { waiter.resume() }
    for waiter in room { waiter.resume() }
  }
}
