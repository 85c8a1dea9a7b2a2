import ActionLogTesting
import Dispatch
import EventSourcing
import ImmutableData
import Platform
import TestSupport

/// Opens a recorder whose syncs wait while a gate is closed, and dispatches an action after closing it.
@MainActor func waitingRecorder(
  on disk: MemoryFileSystem
) async throws -> (recorder: Recorder<Tally>, store: Store<TallyState, TallyAction>, gate: Gate) {
  let gate = Gate()
  let held = FaultyFileSystem(disk) { call in if call.operation == .sync { gate.pass() } }
  let recorder = try await Recorder<Tally>.open(at: "log", configuration: reproducible(Tally.self), fileSystem: held)
  let store = try recorder.makeStore()
  gate.close()
  try store.dispatch(action: .add(1))
  return (recorder, store, gate)
}

/// Blocks calls to the disk while it is closed, so that a test decides when they continue.
final class Gate: Sendable {
  private let state = Locked((isClosed: false, waiting: 0))
  private let semaphore = DispatchSemaphore(value: 0)

  /// The number of blocked calls.
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
