internal import Locking
internal import Threading

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

  /// Writes and synchronises until nothing is left to do. A batch is whatever arrived during the one before.
  private func work() {
    repeat {
      writePending()
      if durability.waitsForSync { synchronizeWritten() }
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

  /// At the level `interval`, sees to it that what was written is synchronised in time.
  func scheduleInterval() {
    guard case .interval(let duration) = durability else { return }
    let isNeeded = state.withLock { state in
      guard !state.isIntervalScheduled, !state.isSynced else { return false }
      state.isIntervalScheduled = true
      return true
    }
    guard isNeeded else { return }
    // Not to keep an abandoned writer, and with it the lock, for the length of the interval.
    environment.schedule(duration) { [weak self] in
      guard let self else { return }
      self.state.withLock { state in state.isIntervalScheduled = false }
      self.synchronizeWritten()
    }
  }
}
