import ActionLog
import Platform

// The work of a group: a step reads the new actions from the log and folds them into all projections. Steps run on the group's
// thread, one at a time.

extension ProjectionGroup {
  /// The most portions of one step, so that callers that wait for the thread have their turn.
  private static var portionLimit: Int { 16 }

  /// Begins a step unless one is scheduled already. Does nothing before the start and after the end.
  func scheduleStep() {
    let mustSchedule = contents.withLock { contents in
      if case .waiting = contents.phase { return false }
      guard contents.phase.failure == nil, !contents.isStepScheduled else { return false }
      contents.isStepScheduled = true
      return true
    }
    guard mustSchedule else { return }
    thread.async { [weak self] in self?.step() }
  }

  private var isRunning: Bool { phase.failure == nil }

  private var members: [any ProjectionMembership<Action>] { contents.withLock { contents in contents.members } }

  /// Folds everything that has reached the level. Runs on the group's thread.
  private func step() {
    let mustWork = contents.withLock { contents in
      contents.isStepScheduled = false
      if case .waiting = contents.phase { return false }
      return contents.phase.failure == nil
    }
    guard mustWork else { return }
    do {
      let isDone = try followed.withLock { followed in
        for _ in 0..<Self.portionLimit {
          guard isRunning, try takeNext(&followed) else { return true }
        }
        return false
      }
      if isDone { finishStep() } else { scheduleStep() }
    } catch {
      fail(error)
    }
  }

  /// The last revision that all projections have folded; `nil` if there are none.
  private var position: Int? { members.map(\.revision).min() }

  private func takeNext(_ known: inout FollowedLog?) throws -> Bool {
    guard position != nil else { return false }
    // The only owner, so that nothing is copied.
    var followed = try known.take() ?? follow()
    defer { known = followed }
    return try takeNext(&followed)
  }

  /// Reads the part of the log that has reached the level, in large batches, and begins to follow it from there.
  private func follow() throws -> FollowedLog {
    let reader = try history.refreshed().reader
    let last = try reachedRevision(in: reader)
    try readLog(through: last)
    return try FollowedLog(reader, after: max(last, position ?? 0), durable: reader.durableRevision())
  }

  private func takeNext(_ followed: inout FollowedLog) throws -> Bool {
    if let lost = try followed.poll() {
      // The writer has discarded actions that were not durable. Only a projection of written actions may have folded them.
      for member in members { try member.restore(atOrBefore: lost - 1) }
    }
    guard let position else { return false }
    note(known: followed.lastRevision)
    let durable = durableRevision(of: followed)
    let reached = options.level == .written ? followed.lastRevision : durable
    guard reached > position else { return followed.mayHaveMore }
    // A projection that was added later lacks earlier actions, and those that were too many to hold are in the log.
    if let first = followed.firstPending {
      if first > position + 1 { try readLog(through: min(reached, first - 1)) }
    } else {
      try readLog(through: reached)
    }
    try fold(followed.take(through: reached), durable: durable)
    return followed.mayHaveMore
  }

  /// The last revision that is durable, as far as the log was read.
  private func durableRevision(of followed: FollowedLog) -> Int {
    max(followed.durableRevision, min(followed.lastRevision, recorded?.syncedRevision ?? 0))
  }

  private func fold(_ records: [LogRecord], durable: Int) throws {
    guard let last = records.last?.revision else { return }
    let members = members
    for record in records {
      let decoded = try history.decoder.actions(of: record)
      // Before the members wake those who wait for their revisions.
      contents.withLock { contents in contents.work.actionsDecoded += 1 }
      for member in members {
        member.fold(
          decoded.actions[...], through: record.revision, lineBytes: record.rawLine.count, isOpaque: decoded.isOpaque)
        member.settle(isCaughtUp: record.revision == last, durable: durable)
      }
    }
    contents.withLock { contents in if contents.phase.failure == nil { contents.phase = .live } }
  }

  /// Folds the records up to a revision from the log, once for all projections.
  private func readLog(through target: Int) throws {
    let waiting = members.filter { member in member.revision < target }
    guard let start = waiting.map(\.revision).min() else { return }
    contents.withLock { contents in if contents.phase.failure == nil { contents.phase = .catchingUp } }
    let history = try history.refreshed()
    let bounds = FoldBounds(start: start, target: target, readsPastTarget: false)
    var pipeline = DecodingPipeline(
      // At revision 0 the log may begin with another state.
      try history.reader.batches(from: start == 0 ? 0 : start + 1), decoder: history.decoder, bounds: bounds,
      executor: { .thread() })
    defer { pipeline.stop() }
    var bytesRead = 0
    var revision = start
    report(start, target)
    while isRunning, let batch = try pipeline.next() {
      try fold(batch, within: bounds, after: &revision, into: waiting)
      contents.withLock { contents in
        contents.work.bytesRead += batch.bytesRead - bytesRead
        contents.work.actionsDecoded += batch.actions.count
      }
      bytesRead = batch.bytesRead
      let last = batch.records.entries.last?.revision ?? 0
      report(min(last, target), target)
      pipeline.recycle(batch)
      if last >= target { break }
    }
    if isRunning, revision < target { throw missing(revision + 1, ", and action \(target) was durable") }
  }

  /// Folds the actions of a batch that follow a revision, up to the first one that is missing or cannot be decoded.
  private func fold(
    _ batch: ActionBatch<Action>, within bounds: FoldBounds, after revision: inout Int,
    into members: [any ProjectionMembership<Action>]
  ) throws {
    var (count, lineBytes, isOpaque) = (0, 0, false)
    var failure: (any Error)?
    var exceptions = batch.exceptions[...]
    for (index, entry) in batch.records.entries.enumerated() {
      if entry.isControl, entry.revision == 0, case let base = batch.records.record(at: index),
        base.controlType == .base
      {
        for member in members { try member.begin(with: base, history.decoder.chain) }
      }
      guard bounds.isFolded(entry) else { continue }
      var actionCount = 1
      if let exception = exceptions.first, exception.record == index {
        exceptions.removeFirst()
        actionCount = exception.count
        isOpaque = isOpaque || exception.isOpaque
      }
      guard entry.revision == revision + 1, count + actionCount <= batch.actions.count else {
        let isNext = entry.revision == revision + 1
        failure = isNext ? batch.failure ?? missing(revision + 1) : missing(revision + 1)
        break
      }
      revision += 1
      count += actionCount
      lineBytes += entry.lineRange.count
    }
    for member in members {
      member.fold(batch.actions[..<count], through: revision, lineBytes: lineBytes, isOpaque: isOpaque)
      member.settle(isCaughtUp: false, durable: bounds.target ?? 0)
    }
    if let failure { throw failure }
  }

  private func missing(_ revision: Int, _ detail: String = "") -> EventSourcingError {
    EventSourcingError(
      .incompleteHistory, "action \(revision) is missing\(detail)", path: path, revision: revision, advice: .fullReport)
  }

  private func report(_ revision: Int, _ target: Int) {
    note(known: target)
    guard let progress = options.progress else { return }
    let work = work
    progress(
      ReplayProgress(
        revision: revision, target: target, actionsFolded: work.actionsDecoded, actionsLimit: nil,
        bytesRead: work.bytesRead))
  }

  private func note(known: Int) {
    contents.withLock { contents in contents.known = max(contents.known, known) }
  }

  private func finishStep() {
    let durable = followed.withLock { followed in followed.map(durableRevision) ?? 0 }
    let members = contents.withLock { contents in
      if contents.phase.failure == nil { contents.phase = .live }
      return contents.members
    }
    for member in members { member.settle(isCaughtUp: true, durable: durable) }
    if recorded == nil { scheduleTimer() }
  }

  private func scheduleTimer() {
    guard isRunning, contents.withLock({ contents in contents.cancelTimer == nil }) else { return }
    let cancel = options.schedule(options.pollingInterval) { [weak self] in self?.endTimer() }
    let isClosed = contents.withLock { contents in
      guard contents.phase.failure == nil else { return true }
      contents.cancelTimer = cancel
      return false
    }
    if isClosed { cancel() }
  }

  private func endTimer() {
    contents.withLock { contents in contents.cancelTimer = nil }
    scheduleStep()
  }

  private func fail(_ error: any Error) {
    let members = contents.withLock { contents -> [any ProjectionMembership<Action>] in
      guard contents.phase.failure == nil else { return [] }
      contents.phase = .failed(error)
      return contents.members
    }
    endObservation()
    for member in members { member.end(with: error) }
  }
}
