import ActionLog
import Platform

/// A projection in a group, without its type. All methods but ``end(with:)`` run on the group's thread.
protocol ProjectionMembership<Action>: AnyObject, Sendable {
  associatedtype Action: Codable & Sendable

  /// The last folded revision.
  var revision: Int { get }

  /// Makes its state of the one that the log begins with, at revision 0.
  func begin(with base: LogRecord, _ chain: SchemaChain) throws

  /// Folds the actions that follow ``revision``; others of the group may need earlier ones, too.
  func fold(_ actions: ArraySlice<Action>, through last: Int, lineBytes: Int, isOpaque: Bool)

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
  func begin(with base: LogRecord, _ chain: SchemaChain) throws {
    try folding.withLock { folding in
      guard folding.revision == 0 else { return }
      folding.state = try Projected<P>.state(startingFrom: base, chain)
    }
  }

  func fold(_ actions: ArraySlice<Action>, through last: Int, lineBytes: Int, isOpaque: Bool) {
    folding.withLock { folding in
      guard last > folding.revision else { return }
      let first = actions.partitioningIndex { action in action.revision > folding.revision }
      actions[first...].withUnsafeBufferPointer { actions in apply(actions, to: &folding.state) }
      folding.bookkeeping.count(actions: last - folding.revision, lineBytes: lineBytes)
      folding.revision = last
      folding.isIncomplete = folding.isIncomplete || isOpaque
      note(last)
    }
  }

  private func apply(_ actions: UnsafeBufferPointer<Action>, to state: inout P.State) {
    // The address of an element of `actions` would look up the generic type of the actions for each of them (benchmark
    // `projection catch-up`).
    guard let first = actions.baseAddress.map({ first in UnsafeRawPointer(first) }) else { return }
    let stride = MemoryLayout<Action>.stride
    for position in 0..<actions.count {
      let place = (first + position * stride).assumingMemoryBound(to: Action.self)
      withBorrowed(place) { action in P.apply(action, to: &state) }
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
