public import ActionLog
import Locking

// Waiting for the recorder, bringing it back after a full disk, and ending it.
extension Recorder {
  /// Goes on after the log took nothing: tries the actions that are waiting again. Otherwise does nothing.
  public func resume() {
    let resumption = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
      guard let resumption = contents.resumption else { return nil }
      contents.resumption = nil
      contents.phase = .recording
      statusChanges.add(.recording)
      return resumption
    }
    statusChanges.deliver()
    resumption?.resume()
  }

  /// Waits until everything that the store accepted before the call is in the log, at the configured durability.
  ///
  /// - Returns: The revision and the durability reached, at least `flush`.
  /// - Throws: The failure, when the recorder stopped or failed; what is waiting is then kept (stopped) or lost to the
  ///   log (failed). `LogError.Code.closed` when it was closed before all was recorded.
  @discardableResult
  public func flush() async throws -> LogReceipt {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let outcome = contents.withLock { contents -> Result<Void, any Error>? in
        switch contents.phase {
        case .stopped(let error), .failed(let error): return .failure(error)
        case .closed: return contents.waiting == 0 ? .success(()) : .failure(closed())
        case .idle, .recording: break
        }
        guard contents.waiting > 0 else { return .success(()) }
        contents.wait(RecorderContents.Flush(target: contents.acceptedRevision, continuation: continuation))
        return nil
      }
      if let outcome { continuation.resume(with: outcome) }
    }
    return try await session.writer.flush()
  }

  /// Drains, writes `@close`, syncs, finishes snapshots, and gives the log back. Closing twice does nothing more.
  ///
  /// A recorder that stopped tries again first; when it stops again, `close()` throws and nothing is given up. What the
  /// store accepts during the call may or may not be recorded.
  ///
  /// - Throws: The failure. When it is for good, the log is given back all the same; opening it again recovers what it
  ///   holds.
  public func close() async throws {
    if case .closed = status.phase { return }
    resume()
    do {
      try await flush()
      try await session.close()
    } catch {
      if isLost { await abandon() }
      throw error
    }
    await end()
  }

  /// Whether recorder or log have failed, so that there is nothing to try again.
  private var isLost: Bool {
    if case .failed = status.phase { true } else { session.writer.status.failure != nil }
  }

  /// Returns when every snapshot asked for so far is written or has failed.
  package func settleSnapshots() async { await session.settleSnapshots() }

  /// Ends recording without draining: what is waiting is not recorded. The log can be opened again at once.
  public func abandon() async {
    await end()
    await session.abandon()
  }

  /// Leaves the store, sends everybody home who waits, and returns when the recorder's task has ended.
  private func end() async {
    let error = closed()
    let (task, resumption, flushes) = contents.withLock { contents in
      if case .closed = contents.phase {} else { statusChanges.add(.closed) }
      let (task, resumption) = (contents.task, contents.resumption)
      contents.detach()
      contents.phase = .closed
      contents.resumption = nil
      return (task, resumption, contents.takeFlushes())
    }
    task?.cancel()
    resumption?.resume()
    for flush in flushes { flush.continuation.resume(throwing: error) }
    await task?.value
    statusChanges.deliver()
  }

  /// Records an action that the store refused, as a `@rejected` record, which no replay folds.
  ///
  /// A refused action never reaches a listener, so whoever dispatches says it. It stands behind everything that was
  /// accepted before the call.
  ///
  /// - Returns: Whether it was recorded; `false` when the limit of the policy is reached or the action is too large to
  ///   be recorded as a refused one, which is counted.
  /// - Throws: As ``flush()``.
  @discardableResult
  public func recordRefusal(of action: M.Action, error: any Error, meta: RecordMeta? = nil) async throws -> Bool {
    try await flush()
    let form = try session.form(of: action)
    guard let refusal = session.refusal(of: action, form: form, error: error, meta: meta) else { return false }
    do {
      _ = try await session.writer.append([refusal.draft])
    } catch {
      session.lose(refusal)
      throw error
    }
    return true
  }
}
