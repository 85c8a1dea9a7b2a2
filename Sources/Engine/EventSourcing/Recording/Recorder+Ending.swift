public import ActionLog
import Platform

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

  /// Waits until everything accepted before the call is in the log, at the configured durability.
  ///
  /// That covers every store that this recorder has made or listened to: what a detached store accepts is never recorded, and
  /// every later flush throws.
  ///
  /// - Returns: The revision and the durability reached, at least `flush`.
  /// - Throws: The failure, when the recorder stopped or failed; what is waiting is then kept (stopped) or lost to the
  ///   log (failed). ``EventSourcingError/Code/storeDetached`` when a store that another one replaced, or that ended its streams,
  ///   has accepted actions since; those of the attached store are recorded first. `LogError.Code.closed` when the recorder was
  ///   closed and an accepted action is not in the log.
  @discardableResult
  public func flush() async throws -> LogReceipt {
    let lost = try await drain()
    let receipt = try await session.writer.flush()
    if lost > 0 { throw detached(lost) }
    return receipt
  }

  /// Waits until everything that the attached store accepted before the call is recorded.
  ///
  /// - Returns: How many actions accepted before the call will never be recorded.
  private func drain() async throws -> Int {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
      let outcome = contents.withLock { contents -> Result<Int, any Error>? in
        switch contents.phase {
        case .stopped(let error), .failed(let error): return .failure(error)
        case .closed: return contents.unrecorded == 0 ? .success(0) : .failure(closed(losing: contents.unrecorded))
        case .idle, .recording: break
        }
        guard contents.waiting > 0 else { return .success(contents.lost) }
        contents.wait(continuation)
        return nil
      }
      if let outcome { continuation.resume(with: outcome) }
    }
  }

  /// Records what is waiting, writes a digest of the state and `@close`, syncs, finishes snapshots, and releases the log. Closing again does nothing.
  ///
  /// The store is detached: what it accepts from then on is not recorded, ``flush()`` throws, and
  /// ``RecordingNotice/actionNotRecorded(log:)`` is sent. What it accepts during the call may or may not be recorded.
  ///
  /// A recorder that stopped tries again first. If it stops again, `close()` throws, and the recorder keeps the log and what is
  /// waiting.
  ///
  /// - Throws: The failure. A log that has failed is released nevertheless; opening it again recovers what it holds.
  ///   ``EventSourcingError/Code/storeDetached`` as ``flush()``, after the log was closed.
  public func close() async throws {
    if case .closed = status.phase { return }
    resume()
    let lost: Int
    do {
      lost = try await drain()
      try await session.close(at: contents.withLock { contents in contents.last })
    } catch {
      if isLost { await abandon() }
      throw error
    }
    await end()
    if lost > 0 { throw detached(lost) }
  }

  /// Whether recorder or log have failed, so that there is nothing to try again.
  private var isLost: Bool {
    if case .failed = status.phase { true } else { session.writer.status.failure != nil }
  }

  /// Returns when every snapshot asked for so far is written or has failed.
  package func settleSnapshots() async { await session.settleSnapshots() }

  /// Ends recording at once: what is waiting is not recorded. The log can be opened again when the call returns.
  public func abandon() async {
    await end()
    await session.abandon()
  }

  /// Detaches the store, fails all pending flushes, and returns when the recorder's task has ended.
  private func end() async {
    let error = closed()
    let (task, resumption, flushes, left) = contents.withLock { contents in
      if case .closed = contents.phase {} else { statusChanges.add(.closed) }
      let (task, resumption) = (contents.task, contents.resumption)
      let left = contents.detach()
      contents.phase = .closed
      contents.resumption = nil
      return (task, resumption, contents.takeFlushes(), left)
    }
    task?.cancel()
    resumption?.resume()
    for flush in flushes { flush.continuation.resume(throwing: error) }
    await task?.value
    // Only now is it known what the task has recorded.
    if contents.withLock({ contents in leave(left, at: contents.revision) }) { noticeLoss() }
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
