import ActionLog
import ImmutableData
import Platform

// The recorder's task: takes what is waiting, writes it, tells who waited.
extension Recorder {
  /// How many actions are encoded for one batch at most. A batch is one write and one sync; at some hundred bytes an
  /// action this is far below the writer's buffer.
  private static var batchLimit: Int { 1_024 }

  /// Records a stream until it ends or is left.
  func record<Stream: CountedStream>(
    _ stream: Stream, attachment: Int
  ) async where Stream.Element == (oldState: M.State, action: M.Action) {
    var iterator = stream.makeAsyncIterator()
    var appender = ActionAppender<M.Action>(session.writer)
    while let elements = await iterator.nextBatch(limit: Self.batchLimit) {
      // A store that another one has replaced may still have put something in: that is not in this log's history.
      guard isPresent(attachment) else { return }
      var batch = RecorderBatch<M>(elements, after: contents.withLock { contents in contents.revision })
      do {
        try await record(&batch, by: &appender, attachment: attachment)
      } catch {
        return fail(error, attachment: attachment)
      }
    }
    let (flushes, isLossKnown, lost) = contents.withLock { contents -> ([RecorderContents<M>.Flush], Bool, Int) in
      guard contents.isPresent(attachment) else { return ([], false, 0) }
      let isLossKnown = leave(contents.detach(), at: contents.revision)
      contents.phase = .idle
      statusChanges.add(.idle)
      // These wait for what the store accepted after it ended its streams.
      return (contents.takeFlushes(), isLossKnown, contents.lost)
    }
    for flush in flushes { flush.continuation.resume(throwing: detached(lost)) }
    if isLossKnown { noticeLoss() }
    statusChanges.deliver()
  }

  private func isPresent(_ attachment: Int) -> Bool {
    contents.withLock { contents in contents.isPresent(attachment) }
  }

  /// Appends one unit for each action until the log has taken them all; while it takes nothing, waits to be resumed. When one of
  /// the actions cannot be recorded, those before it are.
  ///
  /// Each action is a unit of its own, so that segments roll where they are full, but all of them share the writer's
  /// batches and syncs.
  private func record(
    _ batch: inout RecorderBatch<M>, by appender: inout ActionAppender<M.Action>, attachment: Int
  ) async throws {
    while !batch.isDone {
      let start = session.writer.status.lastSeq
      var tickets: [LogTicket] = []
      tickets.reserveCapacity(batch.rest.count)
      var failure: (any Error)?
      do throws(LogError) {
        failure = try await take(&batch, by: &appender, &tickets)
        if let last = tickets.last { try await session.writer.written(through: last) }
        acknowledge(&batch, tickets.count)
      } catch {
        switch error.code {
        case .noSpace, .rejected, .inputOutput: break
        default: throw error
        }
        // What was written before the rejected part stays in the log; the writer stands behind it. It is acknowledged
        // like any other: whoever is told that an action failed does it again.
        let taken = session.writer.status.lastSeq - start
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

  /// Puts the actions that are not recorded yet into the writer's queue.
  ///
  /// - Parameter tickets: The places of those that the writer took.
  /// - Returns: Why the action behind the last of them cannot be recorded at all.
  private func take(
    _ batch: inout RecorderBatch<M>, by appender: inout ActionAppender<M.Action>, _ tickets: inout [LogTicket]
  ) async throws(LogError) -> (any Error)? {
    for index in batch.rest {
      let meta: [UInt8]?
      do {
        meta = try await prepare(&batch, index, by: &appender)
      } catch {
        return error
      }
      // Each unit names the one it follows, so that none slips in behind one that was rejected meanwhile.
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
          _ = try await session.writer.flush()
        }
      } catch {
        // The action is at fault: it is too large, or breaks another rule of the format.
        if error.code == .beyondLimit || error.code == .invalidRecord { return error }
        throw error
      }
    }
    return nil
  }

  /// Encodes an action, and decides, once, whether a digest or a snapshot is due behind it.
  ///
  /// - Returns: What is said of the action.
  private func prepare(
    _ batch: inout RecorderBatch<M>, _ index: Int, by appender: inout ActionAppender<M.Action>
  ) async throws -> [UInt8]? {
    let form: ActionForm?
    do {
      form = try appender.encode(batch.elements[index].action)
    } catch {
      throw session.unencodable(error)
    }
    let meta = session.meta(of: batch.elements[index].action)
    if let form {
      try LogWriter.check([LogDraft(form, meta: meta)])
    } else if let meta, !session.isMetaConstant || index == batch.rest.lowerBound {
      try LogWriter.check(meta: meta)
    }
    guard index == batch.decided else { return meta }
    let next = batch.state(behind: index)
    let due = session.due(
      at: batch.revision(behind: index), bytes: appender.encodedBytes + (meta?.count ?? 0), state: next)
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

// MARK: - Telling

extension Recorder {
  private func acknowledge(_ batch: inout RecorderBatch<M>, _ count: Int) {
    guard count > 0 else { return }
    let last = batch.last(at: batch.done + count - 1)
    // First: whoever waits for the actions may close the log next, and no snapshot is taken of one that was given back.
    for point in batch.acknowledge(count) { session.publish(point) }
    let done = contents.withLock { contents in contents.acknowledge(count, last: last) }
    for flush in done { flush.continuation.resume(returning: flush.lost) }
  }

  /// Keeps what is waiting, tells, and returns when the recorder is resumed or closed.
  private func stop(_ error: LogError, attachment: Int) async {
    await withCheckedContinuation { (resumption: CheckedContinuation<Void, Never>) in
      let flushes = contents.withLock { contents -> [RecorderContents<M>.Flush]? in
        guard contents.isPresent(attachment) else { return nil }
        contents.phase = .stopped(error)
        contents.resumption = resumption
        statusChanges.add(.stopped(error))
        return contents.takeFlushes()
      }
      guard let flushes else { return resumption.resume() }
      for flush in flushes { flush.continuation.resume(throwing: error) }
      statusChanges.deliver()
    }
  }

  /// Takes nothing more, for ever. What is waiting is let go: the log can have no hole.
  private func fail(_ error: any Error, attachment: Int) {
    let flushes = contents.withLock { contents -> [RecorderContents<M>.Flush] in
      guard contents.isPresent(attachment) else { return [] }
      // The status reports the loss of what was accepted so far.
      let accepted = contents.revision + contents.waiting
      _ = leave(contents.detach(), at: accepted)
      contents.phase = .failed(error)
      statusChanges.add(.failed(error))
      return contents.takeFlushes()
    }
    for flush in flushes { flush.continuation.resume(throwing: error) }
    statusChanges.deliver()
  }
}

/// Actions that a recorder has taken from a stream, on their way into the log.
struct RecorderBatch<M: Model>: Sendable {
  typealias Element = (oldState: M.State, action: M.Action)

  let elements: [Element]
  /// The revision that the first action met.
  private let start: Int

  /// How many are in the log.
  private(set) var done = 0
  /// For how many it is decided whether a digest or a snapshot is due behind them: each is counted once, however often it is tried.
  var decided = 0
  /// What is written of those behind which something is due.
  var records: [Int: RecordingSession<M>.ActionRecords] = [:]

  /// Begins with actions of which none is in the log.
  init(_ elements: [Element], after revision: Int) {
    self.elements = elements
    start = revision
  }

  /// Whether all are in the log.
  var isDone: Bool { done == elements.count }

  /// Those that are not in the log.
  var rest: Range<Int> { done..<elements.count }

  /// The revision that an action leads to.
  func revision(behind index: Int) -> Int { start + index + 1 }

  /// What is written of an action besides its line; `nil` if that is all.
  func drafts(at index: Int) -> [LogDraft]? {
    records.isEmpty ? nil : records[index]?.drafts
  }

  /// The state that an action leads to, to be computed when it is needed.
  func last(at index: Int) -> LastState<M> {
    .after(elements[index].oldState, elements[index].action)
  }

  /// The state that an action leads to: the one that the next action met.
  func state(behind index: Int) -> @Sendable () -> M.State {
    { [elements] in
      index + 1 < elements.count
        ? elements[index + 1].oldState
        : LastState<M>.after(elements[index].oldState, elements[index].action).stateOfAcceptedAction
    }
  }

  /// Notes that actions are in the log.
  ///
  /// - Returns: The snapshots that are due behind them, in order.
  mutating func acknowledge(_ count: Int) -> [SnapshotPoint] {
    let range = done..<done + count
    done += count
    guard !records.isEmpty else { return [] }
    return range.compactMap { index in records.removeValue(forKey: index)?.snapshot }
  }
}
