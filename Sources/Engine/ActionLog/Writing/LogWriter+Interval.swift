internal import Platform

extension LogWriter {
  /// At the level `interval`, sees to it that what was written is synchronised in time.
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

  /// Synchronises when an interval is over.
  private func endInterval(_ number: Int) {
    guard state.withLock({ state in state.interval.begin(call: number) }) else { return }
    repeat { synchronizeWritten() } while state.withLock { state in state.interval.isToGoOn() }
  }
}
