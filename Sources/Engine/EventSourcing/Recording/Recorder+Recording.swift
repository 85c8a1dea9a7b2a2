import ActionLog
import ImmutableData
import Platform

// The recorder's task: takes waiting actions, writes them, and resumes pending callers.
extension Recorder {
  /// The largest number of actions in a batch. A batch is one write and one sync. At several hundred bytes an action, this is far
  /// below the size of the writer's buffer.
  private static var batchLimit: Int { 1_024 }

  /// Records a stream until it ends or its store is detached.
  func record(_ stream: ActionStream<(oldState: M.State, action: M.Action)>, attachment: Int) async {
    var iterator = stream.makeAsyncIterator()
    var appender = ActionAppender<M.Action>(session.writer)
    var sample = RoundTripSample()
    while let elements = await iterator.nextBatch(limit: Self.batchLimit) {
      // A detached store may still have added actions to the stream. They are not part of this log's history.
      guard isPresent(attachment) else { return }
      let (revision, number) = contents.withLock { contents in (contents.revision, contents.nextNumber) }
      var batch = RecorderBatch<M>(
        elements, after: revision, metas: takeDispatchedMeta(of: elements.count, from: number))
      do {
        try await record(&batch, by: &appender, checking: &sample, attachment: attachment)
      } catch {
        return fail(error, attachment: attachment)
      }
    }
    let (waiters, lost) = contents.withLock { contents -> ([RecorderContents<M>.Waiter], Int) in
      guard contents.isPresent(attachment) else { return ([], 0) }
      leave(contents.detach(), refusing: refusal())
      contents.phase = .idle
      statusChanges.add(.idle)
      // These callers wait for actions that the store accepted after it ended its streams.
      return (contents.takeWaiters(), contents.lost)
    }
    for waiter in waiters { waiter.continuation.resume(throwing: detached(lost)) }
    statusChanges.deliver()
  }

  /// Removes and returns the metadata with which the next actions were dispatched, by their index.
  private func takeDispatchedMeta(of count: Int, from number: Int?) -> [Int: RecordMeta] {
    guard let number else { return [:] }
    return dispatchedMeta.withLock { metas in
      guard !metas.isEmpty else { return [:] }
      var taken: [Int: RecordMeta] = [:]
      for index in 0..<count {
        if let meta = metas.removeValue(forKey: number + index) { taken[index] = meta }
      }
      return taken
    }
  }

  private func isPresent(_ attachment: Int) -> Bool {
    contents.withLock { contents in contents.isPresent(attachment) }
  }

  /// Appends one unit for each action until the log has all of them. While the log accepts nothing, waits for ``resume()``. If an
  /// action cannot be recorded, the actions before it are.
  ///
  /// Each action is a unit of its own, so that segments roll where they are full, but all of them share the writer's batches and
  /// syncs.
  private func record(
    _ batch: inout RecorderBatch<M>, by appender: inout ActionAppender<M.Action>,
    checking sample: inout RoundTripSample, attachment: Int
  ) async throws {
    while !batch.isDone {
      let start = session.writer.status.lastRevision
      var tickets: [LogTicket] = []
      tickets.reserveCapacity(batch.rest.count)
      var failure: (any Error)?
      do throws(LogError) {
        failure = try await take(&batch, by: &appender, checking: &sample, &tickets)
        if let last = tickets.last { try await session.writer.written(through: last) }
        acknowledge(&batch, tickets.count)
      } catch {
        switch error.code {
        case .noSpace, .rejected, .inputOutput: break
        default: throw error
        }
        // The actions that were written before the rejected one stay in the log, and the writer continues after them. They are
        // acknowledged like any others; reported as failed, they would be dispatched again.
        let taken = session.writer.status.lastRevision - start
        if taken > 0 {
          try await session.writer.written(through: tickets[taken - 1])
          acknowledge(&batch, taken)
        }
        await stop(error, attachment: attachment)
        guard isPresent(attachment) else { throw closed() }
      }
      if let failure { throw failure }
    }
  }

  private func take(
    _ batch: inout RecorderBatch<M>, by appender: inout ActionAppender<M.Action>,
    checking sample: inout RoundTripSample, _ tickets: inout [LogTicket]
  ) async throws(LogError) -> (any Error)? {
    for index in batch.rest {
      let meta: [UInt8]?
      do {
        meta = try await prepare(&batch, index, by: &appender, checking: &sample)
      } catch {
        return error
      }
      // Each unit names the unit before it, so that none is written after one that was rejected in the meantime.
      do throws(LogError) {
        while true {
          let ticket =
            if let drafts = batch.drafts(at: index) {
              try session.writer.offer(drafts, following: tickets.last)
            } else {
              try appender.offerEncoded(meta: meta, following: tickets.last)
            }
          if let ticket {
            tickets.append(ticket)
            break
          }
          _ = try await session.writer.receipt()
        }
      } catch {
        // The action itself is invalid: it is too large, or breaks another rule of the format.
        if error.code == .beyondLimit || error.code == .invalidRecord { return error }
        throw error
      }
    }
    return nil
  }

  /// Encodes an action, checks a sample of them, and decides, once, whether a digest or a snapshot is due after it.
  private func prepare(
    _ batch: inout RecorderBatch<M>, _ index: Int, by appender: inout ActionAppender<M.Action>,
    checking sample: inout RoundTripSample
  ) async throws -> [UInt8]? {
    let form: ActionForm?
    do {
      form = try appender.encode(batch.elements[index].action, checking: &sample)
    } catch {
      throw session.unencodable(error)
    }
    let meta = session.meta(of: batch.elements[index].action, adding: batch.metas[index])
    if let form {
      try LogWriter.check([LogDraft(form, meta: meta)], isRedactable: session.writer.opening.isRedactable)
    } else if let meta, !session.isMetaConstant || batch.beginsMeta(at: index) {
      try LogWriter.check(meta: meta)
    }
    guard index == batch.decided else { return meta }
    let next = batch.state(after: index)
    let due = session.due(
      at: batch.revision(after: index), bytes: appender.encodedBytes + (meta?.count ?? 0), state: next)
    batch.decided += 1
    guard !due.isNothing else { return meta }
    let last = batch.last(at: index)
    let draft = LogDraft(try form ?? session.form(of: batch.elements[index].action), meta: meta)
    batch.records[index] =
      due.takesDigest
      ? await session.inBackground { [session] in session.records(of: draft, due, leadingTo: last) }
      : session.records(of: draft, due, leadingTo: last)
    return meta
  }
}

// MARK: - Reporting

extension Recorder {
  private func acknowledge(_ batch: inout RecorderBatch<M>, _ count: Int) {
    guard count > 0 else { return }
    let last = batch.last(at: batch.done + count - 1)
    session.progress.advance()
    // Publish first: a caller that waits for the actions may close the log next, and no snapshot is taken of a log that was
    // released.
    for point in batch.acknowledge(count) { session.publish(point) }
    session.checkpoints?.noteRecorded(count)
    let done = contents.withLock { contents in contents.acknowledge(count, last: last) }
    for waiter in done { waiter.continuation.resume(returning: waiter.lost) }
  }

  /// Keeps the waiting actions, reports the error, and returns when the recorder is resumed or closed.
  private func stop(_ error: LogError, attachment: Int) async {
    await withCheckedContinuation { (resumption: CheckedContinuation<Void, Never>) in
      let stopped = contents.withLock { contents -> (waiters: [RecorderContents<M>.Waiter], isNew: Bool)? in
        guard contents.isPresent(attachment) else { return nil }
        contents.phase = .stopped(error)
        contents.resumption = resumption
        statusChanges.add(.stopped(error))
        defer { contents.noticedStop = contents.revision }
        return (contents.takeWaiters(), contents.noticedStop != contents.revision)
      }
      guard let stopped else { return resumption.resume() }
      if stopped.isNew { session.configuration.notify(.recordingStopped(error, log: path)) }
      for waiter in stopped.waiters { waiter.continuation.resume(throwing: error) }
      statusChanges.deliver()
    }
  }

  /// Stops recording permanently. The waiting actions are dropped, because a log must not have a gap.
  private func fail(_ error: any Error, attachment: Int) {
    let failed = contents.withLock { contents -> (waiters: [RecorderContents<M>.Waiter], lost: Int)? in
      guard contents.isPresent(attachment) else { return nil }
      leave(contents.detach(), refusing: refusal(because: error))
      contents.phase = .failed(error)
      statusChanges.add(.failed(error))
      return (contents.takeWaiters(), contents.lost)
    }
    guard let failed else { return }
    // Notify first: a program whose sync() throws may exit next, and the notice must not be lost with it.
    session.configuration.notify(.recordingFailed(error, lost: failed.lost, log: path))
    for waiter in failed.waiters { waiter.continuation.resume(throwing: error) }
    statusChanges.deliver()
  }

  func noticeLoss(of left: RecorderContents<M>.Attachment?) {
    guard let left else { return }
    let isLost = contents.withLock { contents in left.counter.count > left.recordedCount(at: contents.revision) }
    if isLost { session.configuration.notify(.actionNotRecorded(log: path)) }
  }
}

/// Actions that a recorder has taken from a stream to write them to the log.
struct RecorderBatch<M: Model>: Sendable {
  typealias Element = (oldState: M.State, action: M.Action)

  let elements: [Element]
  private let start: Int

  private(set) var done = 0
  /// The number of actions for which it is decided whether a digest or a snapshot is due. Each action is counted once, however
  /// often it is tried.
  var decided = 0
  var records: [Int: RecordingSession<M>.ActionRecords] = [:]
  let metas: [Int: RecordMeta]

  init(_ elements: [Element], after revision: Int, metas: [Int: RecordMeta]) {
    self.elements = elements
    self.metas = metas
    start = revision
  }

  /// Whether all actions are in the log.
  var isDone: Bool { done == elements.count }

  var rest: Range<Int> { done..<elements.count }

  func revision(after index: Int) -> Int { start + index + 1 }

  /// Whether constant metadata of an action is not that of the action before it, so that it must be checked.
  func beginsMeta(at index: Int) -> Bool {
    index == rest.lowerBound || (!metas.isEmpty && (metas[index] != nil || metas[index - 1] != nil))
  }

  /// The records of an action; `nil` if its own line is the only one.
  func drafts(at index: Int) -> [LogDraft]? {
    records.isEmpty ? nil : records[index]?.drafts
  }

  /// The state after an action, computed when it is needed.
  func last(at index: Int) -> LastState<M> {
    .after(elements[index].oldState, elements[index].action)
  }

  func state(after index: Int) -> @Sendable () -> M.State {
    { [elements] in
      index + 1 < elements.count
        ? elements[index + 1].oldState
        : LastState<M>.after(elements[index].oldState, elements[index].action).stateOfAcceptedAction
    }
  }

  mutating func acknowledge(_ count: Int) -> [SnapshotPoint] {
    let range = done..<done + count
    done += count
    guard !records.isEmpty else { return [] }
    return range.compactMap { index in records.removeValue(forKey: index)?.snapshot }
  }
}
