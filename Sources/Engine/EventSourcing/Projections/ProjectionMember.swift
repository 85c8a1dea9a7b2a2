import ActionLog
import Platform

/// A projection in a group, without its type. All methods but ``end(with:)`` run on the group's thread.
protocol ProjectionMembership<Action>: AnyObject, Sendable {
  associatedtype Action: Codable & Sendable

  /// The last folded revision.
  var revision: Int { get }

  func fold(_ batch: ActionBatch<Action>, within bounds: FoldBounds, _ chain: SchemaChain) throws

  /// Folds the actions that follow ``revision``.
  func fold(_ actions: [Action], through last: Int, isOpaque: Bool, durable: Int)

  /// Returns to a state at or before a revision, because the log no longer has the actions after it.
  func restore(atOrBefore revision: Int) throws

  /// Wakes the callers that wait for a state or a revision, and takes a snapshot if one is due.
  func settle(isCaughtUp: Bool, durable: Int)

  /// Ends the waiting for states and revisions. May be called on any thread.
  func end(with error: (any Error)?)

  /// Finishes the snapshots and releases the folder. Blocks only the caller's task.
  func close() async
}

/// A projection in a group: its state, its snapshots, and the callers that wait for it.
final class ProjectionMember<P: Projection>: ProjectionMembership {
  typealias Action = ProjectedAction<P.Source.Action>

  private struct Folding: Sendable {
    var state: P.State
    var revision: Int
    var bookkeeping: SnapshotBookkeeping
    var isIncomplete = false
    var isSnapshotDue = false
    var evaluatedRevision: Int
    var isCaughtUp = false
  }

  let snapshots: SnapshotStore?
  let history: History<Projected<P>>
  private let policy: SnapshotPolicy<P.State>
  private let folding: Locked<Folding>
  /// The last folded revision, for callers that must not wait for a fold.
  private let folded: Locked<Int>
  private let turns = TurnCounter()
  /// Set at the end: the failure, or the error of a closed runner.
  private let ending = Locked<(any Error)?>(nil)
  /// Writes the snapshots; `nil` if this process must not.
  private let publisher: SnapshotPublisher?
  /// The lock on the folder; `nil` if another process has it or the folder cannot be used.
  private let lock: Locked<(any DirectoryLock)?>
  /// The reason why the folder cannot be used.
  private let folderError: LogError?

  /// Loads the newest usable snapshot, or the state at revision 0. Blocks.
  init(
    _ history: History<Projected<P>>, _ writer: LogWriter?, configuration: ProjectionConfiguration<P.State>
  ) throws {
    self.history = history
    snapshots = history.snapshots
    policy = configuration.snapshots
    var options = ReplayOptions()
    options.isCancelled = { false }
    var refused: [SnapshotRefusal] = []
    let redaction = try history.refreshed().reader.redactionList().newestFinishedIndex()
    let start = history.newestSnapshot(atOrBefore: nil, options: options, refused: &refused)
    let first = history.firstRevision
    let (state, revision) = try start ?? (history.replay(to: first, options: options).state, first)
    let folder = snapshots?.lockUnlessHeld(for: P.identity)
    (lock, folderError) = (Locked(folder?.lock), folder?.error)
    var publisher: SnapshotPublisher?
    if let snapshots, folder?.lock != nil {
      publisher = SnapshotPublisher(
        of: history.path, writer, snapshots: snapshots, retention: configuration.retention,
        template: try history.snapshotTemplate(redaction: redaction), onFirstError: { _ in })
    }
    publisher?.removeUnfinished()
    self.publisher = publisher
    let size = start == nil ? nil : publisher?.size(at: revision)
    folding = Locked(
      Folding(
        state: state, revision: revision,
        bookkeeping: SnapshotBookkeeping(lastSnapshotBytes: size),
        evaluatedRevision: revision))
    folded = Locked(revision)
  }

  var revision: Int { folded.withLock { folded in folded } }

  private func note(_ revision: Int) { folded.withLock { folded in folded = revision } }

  /// The error of the last snapshot that could not be taken; `nil` after a success.
  var snapshotError: (any Error)? { folderError ?? publisher?.lastError }

  var takesSnapshots: Bool { publisher != nil }

  func state(at revision: Int) async throws -> P.State {
    try await BlockingWork.run { [history] in try history.refreshed().state(at: revision) }
  }

  var current: (state: P.State, revision: Int) {
    folding.withLock { folding in (folding.state, folding.revision) }
  }
}

// MARK: - Folding

extension ProjectionMember {
  func fold(_ batch: ActionBatch<Action>, within bounds: FoldBounds, _ chain: SchemaChain) throws {
    try folding.withLock { folding in
      let start = folding.revision
      var lineBytes = 0
      defer {
        folding.bookkeeping.count(actions: folding.revision - start, lineBytes: lineBytes)
        note(folding.revision)
      }
      // Passed one by one, because the offsets in a generic struct would be looked up for each action (benchmark
      // `projection catch-up`).
      try batch.actions.withUnsafeBufferPointer { actions in
        try fold(
          batch, actions, within: bounds, chain, into: &folding.state, &folding.revision, &folding.isIncomplete,
          &lineBytes)
      }
    }
  }

  private func fold(
    _ batch: ActionBatch<Action>, _ actions: UnsafeBufferPointer<Action>, within bounds: FoldBounds,
    _ chain: SchemaChain, into state: inout P.State, _ revision: inout Int, _ isIncomplete: inout Bool,
    _ lineBytes: inout Int
  ) throws {
    let records = batch.records
    let exceptions = batch.exceptions
    var nextException = 0
    var next = 0
    // The address of an element of `actions`, or a closure for each record, would look up the generic type of the actions
    // again for each of them (benchmark `projection catch-up`).
    let first = actions.baseAddress.map { first in UnsafeRawPointer(first) }
    let stride = MemoryLayout<Action>.stride
    for (index, entry) in records.entries.enumerated() {
      if entry.isControl, entry.revision == 0, revision == 0 {
        let record = records.record(at: index)
        if record.controlType == .base { state = try Projected<P>.state(startingFrom: record, chain) }
        continue
      }
      guard bounds.isFolded(entry) else { continue }
      var count = 1
      var isOpaque = false
      if nextException < exceptions.count, exceptions[nextException].record == index {
        let exception = exceptions[nextException]
        nextException += 1
        (count, isOpaque) = (exception.count, exception.isOpaque)
      }
      guard next + count <= actions.count else {
        if entry.revision <= revision { return }
        throw batch.failure ?? missing(revision + 1)
      }
      defer { next += count }
      // Another projection of the group needs it.
      guard entry.revision > revision else { continue }
      guard entry.revision == revision + 1 else { throw missing(revision + 1) }
      if let first {
        for position in next..<next + count {
          let place = (first + position * stride).assumingMemoryBound(to: Action.self)
          withBorrowed(place) { action in P.apply(action, to: &state) }
        }
      }
      revision += 1
      lineBytes += entry.lineRange.count
      if isOpaque { isIncomplete = true }
    }
  }

  private func missing(_ revision: Int) -> EventSourcingError {
    EventSourcingError(
      .incompleteHistory, "action \(revision) is missing", path: history.path, revision: revision,
      advice: .fullReport)
  }

  func fold(_ actions: [Action], through last: Int, isOpaque: Bool, durable: Int) {
    folding.withLock { folding in
      defer { note(folding.revision) }
      let start = folding.revision
      guard last > start else { return }
      for (index, action) in actions.enumerated() where action.revision > start {
        P.apply(action, to: &folding.state)
        // An upcaster may have made several actions of one.
        if index + 1 < actions.count, actions[index + 1].revision == action.revision { continue }
        folding.bookkeeping.count(actions: action.revision - folding.revision, lineBytes: Int(action.stamp.lineBytes))
        folding.revision = action.revision
        if isOpaque { folding.isIncomplete = true }
        if folding.revision < last { takeSnapshotIfDue(&folding, durable: durable) }
      }
      folding.bookkeeping.count(actions: last - folding.revision, lineBytes: 0)
      folding.revision = last
      if isOpaque { folding.isIncomplete = true }
    }
  }

  func restore(atOrBefore revision: Int) throws {
    guard self.revision > revision else { return }
    var options = ReplayOptions()
    options.isCancelled = { false }
    let replayed = try history.refreshed().replay(to: revision, options: options)
    folding.withLock { folding in
      folding.state = replayed.state
      folding.revision = replayed.revision
      folding.isIncomplete = replayed.report.opaqueRecords > 0
      folding.evaluatedRevision = min(folding.evaluatedRevision, replayed.revision)
      note(replayed.revision)
    }
  }

  /// Evaluates the policy, and publishes the state if the revision is durable. A snapshot that was due before is taken with the next
  /// durable revision.
  private func takeSnapshotIfDue(_ folding: inout Folding, durable: Int) {
    guard let publisher, !folding.isIncomplete else { return }
    guard folding.isSnapshotDue || folding.revision > folding.evaluatedRevision else { return }
    folding.evaluatedRevision = folding.revision
    let occasion = folding.bookkeeping.occasion(at: folding.revision) { [state = folding.state] in state }
    guard folding.isSnapshotDue || policy.isDue(at: occasion) else { return }
    folding.isSnapshotDue = folding.revision > durable
    guard !folding.isSnapshotDue else { return }
    folding.bookkeeping.restartCount()
    let coder = history.decoder.states
    publisher.publish(
      SnapshotPoint(revision: folding.revision, sizeBytes: nil) { [state = folding.state] in
        try coder.canonicalBytes(of: state)
      },
      onEncoding: { [weak self] size in
        self?.folding.withLock { folding in folding.bookkeeping.lastSnapshotBytes = size }
      })
  }

  func settle(isCaughtUp: Bool, durable: Int) {
    folding.withLock { folding in
      takeSnapshotIfDue(&folding, durable: durable)
      folding.isCaughtUp = isCaughtUp
    }
    turns.advance()
  }

  func settleSnapshots() async { await publisher?.settle() }

  func close() async {
    await publisher?.finish()
    lock.withLock { lock in
      lock?.unlock()
      lock = nil
    }
  }
}

// MARK: - Waiting

extension ProjectionMember {
  /// Waits until a revision is folded.
  func reach(_ target: Int) async throws {
    if let ending = ending.withLock({ ending in ending }) { throw ending }
    while true {
      let turn = turns.current
      let ending = ending.withLock { ending in ending }
      if revision >= target { return }
      if let ending { throw ending }
      try Task.checkCancellation()
      await turns.wait(after: turn)
    }
  }

  /// Waits for a state after a revision; `nil` at the end, or if the task is canceled.
  ///
  /// States are delivered only when the log was read to its end, because the next change copies a state that a caller holds.
  func state(
    after revision: Int, on group: ProjectionGroup<P.Source>
  ) async -> (state: P.State, revision: Int)? {
    if ending.withLock({ ending in ending != nil }) { return nil }
    while !Task.isCancelled {
      let turn = turns.current
      let isEnded = ending.withLock { ending in ending != nil }
      let found = await group.onThread { [self] in
        folding.withLock { folding in
          folding.isCaughtUp && folding.revision > revision ? (folding.state, folding.revision) : nil
        }
      }
      if let found { return found }
      if isEnded { return nil }
      await turns.wait(after: turn)
    }
    return nil
  }

  func end(with error: (any Error)?) {
    let error =
      error ?? LogError(.closed, "the runner of \(P.identity) was closed", path: history.path, advice: "Open it again.")
    ending.withLock { ending in ending = ending ?? error }
    turns.advance()
  }
}
