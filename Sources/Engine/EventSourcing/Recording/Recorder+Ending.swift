public import ActionLog
import ImmutableData
import JSONCoding
import Platform

// Syncing, resuming after a full disk, and ending.
extension Recorder {
  /// Continues after the recorder stopped: tries to write the waiting actions again. Otherwise does nothing.
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
  /// This covers every store that this recorder has made or listened to.
  ///
  /// - Returns: The revision and the durability reached, at least `written`.
  /// - Throws: The failure, if the recorder stopped or failed. A stopped recorder keeps the waiting actions, a failed one loses
  ///   them. ``EventSourcingError/Code/storeDetached`` if the log lacks an action that a store accepted after it was detached, which it
  ///   does while another recorder records it; the actions of the attached store are recorded first. `LogError.Code.closed` if the
  ///   recorder was closed and an accepted action is not in the log.
  public func receipt() async throws -> LogReceipt {
    let lost = try await drain()
    let receipt = try await session.writer.receipt()
    if lost > 0 { throw detached(lost) }
    return receipt
  }

  /// Waits until the device has everything accepted before the call, at any configured durability.
  ///
  /// - Returns: The revision and the durability reached, at least `synced`.
  /// - Throws: As ``receipt()``.
  @discardableResult
  public func sync() async throws -> LogReceipt {
    let lost = try await drain()
    let receipt = try await session.writer.sync()
    if lost > 0 { throw detached(lost) }
    return receipt
  }

  /// Waits until everything that the attached store accepted before the call is recorded.
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

  /// Records the waiting actions, writes a digest of the state and `@close`, syncs, finishes snapshots, and releases the log.
  /// Closing again does nothing, except that it reports lost actions.
  ///
  /// The store refuses actions from the call on: `dispatch` throws. Everything that it accepted before is recorded.
  ///
  /// A recorder that stopped tries again first. If it stops again, `close()` throws, the recorder keeps the log and the waiting
  /// actions, and the store accepts actions again.
  ///
  /// - Throws: The failure. A log that has failed is released nevertheless; opening it again recovers its contents.
  ///   ``EventSourcingError/Code/storeDetached`` as ``sync()``, after the log was closed. `LogError.Code.closed` if the recorder
  ///   was closed before and a store has accepted an action that is not in the log.
  public func close() async throws {
    if case .closed = status.phase {
      _ = try await drain()
      return
    }
    refuse(closed())
    resume()
    let lost: Int
    do {
      lost = try await drain()
      let (last, revision) = contents.withLock { contents in (contents.last, contents.revision) }
      try await session.close(at: last, revision)
    } catch {
      if isLost { await abandon() } else { refuse(nil) }
      throw error
    }
    await end()
    if lost > 0 { throw detached(lost) }
  }

  /// Makes the attached store refuse actions with an error, or accept them again.
  private func refuse(_ error: (any Error)?) {
    contents.withLock { contents in contents.attached?.counter.refuse(error, by: statusChanges) }
  }

  /// Whether the recorder or the log has failed, so that trying again is useless.
  private var isLost: Bool {
    if case .failed = status.phase { true } else { session.writer.status.failure != nil }
  }

  package func settleSnapshots() async { await session.settleSnapshots() }

  /// Ends recording immediately, without recording the waiting actions. The log can be opened again when the call returns.
  public func abandon() async {
    await end()
    await session.abandon()
  }

  private func end() async {
    let error = closed()
    let (task, resumption, waiters, left) = contents.withLock { contents in
      if case .closed = contents.phase {} else { statusChanges.add(.closed) }
      let (task, resumption) = (contents.task, contents.resumption)
      let left = contents.detach()
      leave(left, refusing: error)
      contents.phase = .closed
      contents.resumption = nil
      return (task, resumption, contents.takeWaiters(), left)
    }
    task?.cancel()
    resumption?.resume()
    for waiter in waiters { waiter.continuation.resume(throwing: error) }
    await task?.value
    // The task has ended, so it is known which actions it recorded.
    noticeLoss(of: left)
    statusChanges.deliver()
  }

  /// Records an action that the store refused as a `@rejected` record, which no replay folds.
  ///
  /// A refused action never reaches a listener, so the dispatching code calls this. The record follows everything that was accepted
  /// before the call.
  ///
  /// - Returns: Whether it was recorded. If the limit of the policy is reached, or the refused action is too large for a record, it
  ///   is counted and the result is `false`.
  /// - Throws: As ``sync()``.
  @discardableResult
  public func recordRefusal(of action: M.Action, error: any Error, meta: RecordMeta? = nil) async throws -> Bool {
    _ = try await receipt()
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

extension RecordingSession {
  /// Returns the record of a refused action; `nil` if the limit of the policy is reached, or if the record would break the format:
  /// it is nested more deeply than the action and has more members.
  func refusal(of action: M.Action, form: ActionForm, error: any Error, meta: RecordMeta?) -> Refusal? {
    let meta = self.meta(of: action, adding: meta)
    let now = configuration.log.environment.now()
    let refusal = refusals.withLock { limiter in limiter.refusal(of: form, error: error, meta: meta, now: now) }
    guard let refusal else { return nil }
    do throws(LogError) {
      try LogWriter.check([refusal.draft], isRedactable: writer.opening.isRedactable)
      return refusal
    } catch {
      lose(refusal)
      return nil
    }
  }

  /// Counts a refusal that could not be recorded; the next recorded one includes it.
  func lose(_ refusal: Refusal) {
    refusals.withLock { limiter in limiter.lose(refusal) }
  }
}

/// A `@rejected` record.
struct Refusal: Sendable {
  var draft: LogDraft
  /// The number of refused actions that the record stands for: its own, and those before it that were only counted.
  var count: Int
}

/// Makes `@rejected` records of refused actions, as many as the policy allows.
struct RefusalLimiter: Sendable {
  private let policy: RefusalPolicy
  private var windowStart: LogTime?
  private var recorded = 0
  private var suppressed = 0

  init(policy: RefusalPolicy) {
    self.policy = policy
  }

  /// Returns the record of a refused action; `nil` if the limit of this window is reached.
  mutating func refusal(of form: ActionForm, error: any Error, meta: [UInt8]?, now: LogTime) -> Refusal? {
    if !isWithinWindow(now) {
      windowStart = now
      recorded = 0
    }
    guard recorded < policy.limit else {
      suppressed += 1
      return nil
    }
    recorded += 1
    defer { suppressed = 0 }
    return Refusal(
      draft: LogDraft(record(of: form, error: error), meta: meta, time: now),
      count: suppressed + 1)
  }

  mutating func lose(_ refusal: Refusal) {
    suppressed += refusal.count
  }

  /// Whether a time is within the present window. If the clock goes back, a new window begins.
  private func isWithinWindow(_ now: LogTime) -> Bool {
    guard let windowStart, now >= windowStart else { return false }
    return .microseconds(now.microseconds - windowStart.microseconds) < policy.window
  }

  /// The code and the place are those of a described error. The place is a JSON Pointer into the encoded state, so that a reader of
  /// the log can inspect the history of the value that caused the refusal.
  private func record(of form: ActionForm, error: any Error) -> RejectedRecord {
    let described = error as? any DescribedError
    let failure = RejectedRecord.Failure(
      type: String(describing: Swift.type(of: error)), code: described?.codeName ?? "",
      message: String(describing: error), place: described?.location.pointer?.description)
    return RejectedRecord(actionType: form.type, actionData: form.data, error: failure, suppressedCount: suppressed)
  }
}
