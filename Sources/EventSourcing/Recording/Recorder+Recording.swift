import ActionLog
import ImmutableData
import Locking

// The recorder's task: takes what is waiting, writes it, tells who waited.
extension Recorder {
  /// How many actions are encoded for one batch at most. A batch is one write and one sync; at some hundred bytes an
  /// action this is far below the writer's buffer.
  private static var batchLimit: Int { 1_024 }

  typealias Element = (oldState: M.State, action: M.Action)

  /// Records a stream until it ends or is left.
  func record<Stream: CountedStream>(
    _ stream: Stream, attachment: Int
  ) async where Stream.Element == (oldState: M.State, action: M.Action) {
    var iterator = stream.makeAsyncIterator()
    while let batch = await iterator.nextBatch(limit: Self.batchLimit) {
      // A store that another one has replaced may still have put something in: that is not in this log's history.
      guard isPresent(attachment) else { return }
      do {
        try await record(batch, attachment: attachment)
      } catch {
        return fail(error, attachment: attachment)
      }
    }
    contents.withLock { contents in
      guard contents.isPresent(attachment) else { return }
      contents.detach()
      contents.phase = .idle
      statusChanges.add(.idle)
    }
    statusChanges.deliver()
  }

  private func isPresent(_ attachment: Int) -> Bool {
    contents.withLock { contents in contents.isPresent(attachment) }
  }

  /// Writes a batch. When one of its actions cannot be recorded, those before it are.
  private func record(_ batch: [Element], attachment: Int) async throws {
    let start = contents.withLock { contents in contents.revision }
    var entries: [Entry] = []
    var failure: (any Error)?
    for (index, (oldState, action)) in batch.enumerated() {
      // The state after an action is the one before the next.
      let next: LastState<M> =
        index + 1 < batch.count ? .restored(batch[index + 1].oldState) : .after(oldState, action)
      do {
        let entry = session.entry(
          of: action, form: try session.form(of: action), revision: start + index + 1, leadingTo: next)
        let records =
          entry.takesDigest
          ? await session.inBackground { [session] in session.records(of: entry, leadingTo: next) }
          : session.records(of: entry, leadingTo: next)
        try LogWriter.check(records.drafts)
        entries.append(Entry(unit: records.drafts, last: .after(oldState, action), snapshot: records.snapshot))
      } catch {
        failure = error
        break
      }
    }
    try await append(entries[...], attachment: attachment)
    if let failure { throw failure }
  }

  /// An action as it goes into the log.
  private struct Entry: Sendable {
    var unit: [LogDraft]
    var last: LastState<M>
    var snapshot: SnapshotPoint?
  }

  /// Appends one unit for each action until the log has taken them all; while it takes nothing, waits to be resumed.
  ///
  /// Each action is a unit of its own, so that segments roll where they are full, but all of them share the writer's
  /// batches and syncs.
  private func append(_ entries: ArraySlice<Entry>, attachment: Int) async throws(LogError) {
    var rest = entries
    while !rest.isEmpty {
      let start = session.writer.status.lastSeq
      var tickets: [LogTicket] = []
      do throws(LogError) {
        try await append(rest, &tickets)
        acknowledge(rest)
        return
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
          acknowledge(rest.prefix(taken))
          rest = rest.dropFirst(taken)
        }
        await stop(error, attachment: attachment)
        guard isPresent(attachment) else { throw closed() }
      }
    }
  }

  /// Appends units and waits until they are written, and synchronised where the level says so.
  ///
  /// - Parameter tickets: The places of those that the writer took.
  private func append(_ entries: ArraySlice<Entry>, _ tickets: inout [LogTicket]) async throws(LogError) {
    let writer = session.writer
    for entry in entries {
      // Each unit names the one it follows, so that none slips in behind one that was rejected meanwhile.
      var ticket = try writer.offer(entry.unit, following: tickets.last)
      while ticket == nil {
        _ = try await writer.flush()
        ticket = try writer.offer(entry.unit, following: tickets.last)
      }
      if let ticket { tickets.append(ticket) }
    }
    if let last = tickets.last { try await writer.written(through: last) }
  }
}

// MARK: - Telling

extension Recorder {
  private func acknowledge(_ entries: ArraySlice<Entry>) {
    guard let last = entries.last?.last else { return }
    let done = contents.withLock { contents in contents.acknowledge(entries.count, last: last) }
    for flush in done { flush.continuation.resume() }
    for entry in entries {
      if let point = entry.snapshot { session.publish(point) }
    }
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
      contents.detach()
      contents.phase = .failed(error)
      statusChanges.add(.failed(error))
      return contents.takeFlushes()
    }
    for flush in flushes { flush.continuation.resume(throwing: error) }
    statusChanges.deliver()
  }
}
