internal import Platform

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
}
