import Dispatch
import Platform

/// Holds up whoever passes while it is closed, so that a test decides when a call to the disk goes on.
final class Gate: Sendable {
  private let state = Locked((isClosed: false, waiting: 0))
  private let semaphore = DispatchSemaphore(value: 0)

  /// How many are held up.
  var waitingCount: Int { state.withLock { state in state.waiting } }

  func close() {
    state.withLock { state in state.isClosed = true }
  }

  func open() {
    let count = state.withLock { state in
      defer { state = (isClosed: false, waiting: 0) }
      return state.waiting
    }
    for _ in 0..<count { semaphore.signal() }
  }

  /// Blocks while the gate is closed.
  func pass() {
    let isClosed = state.withLock { state in
      if state.isClosed { state.waiting += 1 }
      return state.isClosed
    }
    if isClosed { semaphore.wait() }
  }
}
