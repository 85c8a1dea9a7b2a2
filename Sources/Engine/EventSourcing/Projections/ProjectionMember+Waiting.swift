import ActionLog
import Platform

// The callers that wait for a state or a revision of a projection.

extension ProjectionMember {
  /// Resumes the callers whose condition holds. States are delivered only when the log was read to its end, because the next
  /// change copies a state that a caller holds.
  func serve() {
    let revision = revision
    let revisions = waiting.withLock { waiting in
      let ready = waiting.revisions.filter { _, waiter in waiter.target <= revision }
      for id in ready.keys { waiting.revisions[id] = nil }
      return ready.values.map(\.continuation)
    }
    for continuation in revisions { continuation.resume() }
    let states = waiting.withLock { waiting in
      let ready = waiting.states.filter { _, waiter in waiting.isCaughtUp && waiter.after < revision }
      for id in ready.keys { waiting.states[id] = nil }
      return ready.values.map(\.continuation)
    }
    guard !states.isEmpty else { return }
    let current = current
    for continuation in states { continuation.resume(returning: current) }
  }

  /// Waits for a state after a revision; `nil` at the end, or if the task is canceled.
  ///
  /// - Parameter wake: Called once the caller waits; must lead to a call of ``serve()`` on the group's thread.
  func state(after revision: Int, wake: () -> Void) async -> (state: P.State, revision: Int)? {
    let id = newID()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = waiting.withLock { waiting in
          guard waiting.ending == nil, waiting.canceled.remove(id) == nil else { return false }
          waiting.states[id] = (revision, continuation)
          return true
        }
        if isWaiting { wake() } else { continuation.resume(returning: nil) }
      }
    } onCancel: {
      cancelState(id)
    }
  }

  private func cancelState(_ id: Int) {
    let continuation = waiting.withLock { waiting in
      let waiter = waiting.states.removeValue(forKey: id)
      if waiter == nil, waiting.ending == nil { waiting.canceled.insert(id) }
      return waiter?.continuation
    }
    continuation?.resume(returning: nil)
  }

  /// Waits until a revision is folded.
  ///
  /// - Parameter wake: As for ``state(after:wake:)``.
  func reach(_ target: Int, wake: () -> Void) async throws {
    let id = newID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let refusal = waiting.withLock { waiting -> (any Error)? in
          if waiting.canceled.remove(id) != nil { return CancellationError() }
          if let ending = waiting.ending { return ending }
          waiting.revisions[id] = (target, continuation)
          return nil
        }
        if let refusal { continuation.resume(throwing: refusal) } else { wake() }
      }
    } onCancel: {
      cancelRevision(id)
    }
  }

  private func cancelRevision(_ id: Int) {
    let continuation = waiting.withLock { waiting in
      let waiter = waiting.revisions.removeValue(forKey: id)
      if waiter == nil, waiting.ending == nil { waiting.canceled.insert(id) }
      return waiter?.continuation
    }
    continuation?.resume(throwing: CancellationError())
  }

  private func newID() -> Int {
    waiting.withLock { waiting in
      waiting.count += 1
      return waiting.count
    }
  }

  func end(with error: (any Error)?) {
    let error =
      error ?? LogError(.closed, "the runner of \(P.identity) was closed", path: history.path, advice: "Open it again.")
    let (states, revisions) = waiting.withLock { waiting in
      if waiting.ending == nil { waiting.ending = error }
      defer { (waiting.states, waiting.revisions, waiting.canceled) = ([:], [:], []) }
      return (waiting.states.values.map(\.continuation), waiting.revisions.values.map(\.continuation))
    }
    for continuation in states { continuation.resume(returning: nil) }
    for continuation in revisions { continuation.resume(throwing: error) }
  }
}
