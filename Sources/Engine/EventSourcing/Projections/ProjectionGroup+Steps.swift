import ActionLog
import Platform

// The work of a group: a step takes the new actions from the recorder or the log and folds them into all projections. Steps run on
// the group's thread, one at a time.

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
      let isDone = try source.withLock { source in
        for _ in 0..<Self.portionLimit {
          guard isRunning, try takeNext(&source) else { return true }
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

  private func takeNext(_ source: inout ActionSource) throws -> Bool {
    guard let position else { return false }
    switch source {
    case .feed(let feed):
      switch feed.take(after: position) {
      case .actions(let actions): fold(actions, through: actions.last?.revision ?? position, durable: .max)
      case .unread(let last): try readLog(through: last)
      case .nothing: return false
      case .ended: source = .log(nil)
      }
      return true
    case .log(let known):
      var followed = try known ?? follow()
      // The only owner, so that nothing is copied.
      source = .log(nil)
      defer { source = .log(followed) }
      return try takeNext(&followed)
    }
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
    let reached = options.level == .written ? followed.lastRevision : followed.durableRevision
    guard reached > position else { return followed.mayHaveMore }
    // A projection that was added later lacks earlier actions, and those that were too many to hold are in the log.
    if let first = followed.firstPending {
      if first > position + 1 { try readLog(through: min(reached, first - 1)) }
    } else {
      try readLog(through: reached)
    }
    try fold(followed.take(through: reached), durable: followed.durableRevision)
    return followed.mayHaveMore
  }

  private func fold(_ records: [LogRecord], durable: Int) throws {
    guard let last = records.last?.revision else { return }
    var actions: [Action] = []
    var isOpaque = false
    for record in records {
      do {
        let decoded = try history.decoder.actions(of: record)
        actions += decoded.actions
        isOpaque = isOpaque || decoded.isOpaque
      } catch {
        if record.revision > (records.first?.revision ?? 0) {
          fold(actions, through: record.revision - 1, isOpaque: isOpaque, durable: durable)
        }
        throw error
      }
    }
    contents.withLock { contents in contents.work.actionsDecoded += records.count }
    fold(actions, through: last, isOpaque: isOpaque, durable: durable)
  }

  private func fold(_ actions: [Action], through last: Int, isOpaque: Bool = false, durable: Int) {
    // Before the members wake those who wait for their revisions.
    contents.withLock { contents in contents.work.actionsHandedOver += actions.count }
    for member in members {
      member.fold(actions, through: last, isOpaque: isOpaque, durable: durable)
      member.settle(isCaughtUp: true, durable: durable)
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
    report(start, target)
    while isRunning, let batch = try pipeline.next() {
      for member in waiting {
        try member.fold(batch, within: bounds, history.decoder.chain)
        member.settle(isCaughtUp: false, durable: target)
      }
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
    guard isRunning, let position = waiting.map(\.revision).min(), position < target else { return }
    throw EventSourcingError(
      .incompleteHistory, "action \(position + 1) is missing, and action \(target) was durable", path: path,
      revision: position + 1, advice: .fullReport)
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
    let (durable, isLog) = source.withLock { source -> (Int, Bool) in
      switch source {
      case .feed: (.max, false)
      case .log(let followed): (followed?.durableRevision ?? 0, true)
      }
    }
    let members = contents.withLock { contents in
      if contents.phase.failure == nil { contents.phase = .live }
      return contents.members
    }
    for member in members { member.settle(isCaughtUp: true, durable: durable) }
    if isLog { scheduleTimer() }
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
    leaveFeed()
    for member in members { member.end(with: error) }
  }
}
