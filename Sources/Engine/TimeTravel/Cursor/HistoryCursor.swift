import ActionLog
public import EventSourcing
import ImmutableData
import Platform

/// A movable position in a history.
///
/// A cursor works on folded copies, never dispatches into a store, and never writes to the log. It is an actor: its methods run
/// in order of their calls, on a thread of its own that may block, which ends after a second without calls. A
/// ``HistoryObserver`` shows a cursor in views.
///
/// ```swift
/// let cursor = try await history.reading { history in try history.cursor(at: .fromEnd(1)) }
/// try await cursor.stepForward()
/// print(await cursor.state)
/// ```
///
/// A call from outside takes some 10 microseconds; ``perform(_:)`` makes many in one.
///
/// The cursor keeps states: all around its position, one in 16 near it, and one in 128 wherever it has been (one in 256 of
/// more than 10⁶ actions, and so on). So once a history was folded, a jump folds at most 127 actions, and a step back two on
/// average. A kept state whose collections share storage costs what changed. Of states that are copied
/// by the next write, as a large `Dictionary` is, fewer are kept, and moves fold more.
///
/// A move that fails, or whose task is canceled, leaves the cursor where it was. The states that it folded are kept, so a
/// repeated move folds only the rest.
public actor HistoryCursor<M: Model> {
  /// The state of the model.
  public typealias State = M.State
  /// The action of the model.
  public typealias Action = M.Action

  /// A move across more actions than this finishes the streams of observers: the last state serves a listener better than a
  /// thousand states at once.
  public static var streamLimit: Int { 1_000 }

  /// The position of the cursor: the number of applied actions.
  public private(set) var revision: Int
  /// The state at ``revision``.
  public private(set) var state: M.State

  /// Finds the states. Every use ends with `settle(at:)`.
  var walker: HistoryWalker<M>
  private var observers: [Observation<M>] = []
  private let executor = BlockingExecutor()

  /// The executor of the cursor, whose thread may block.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ walk: HistoryWalk<M>) {
    revision = walk.revision
    state = walk.state
    walker = walk.walker
  }

  /// The revisions of the history. Actions that were recorded later are included after ``refresh()``.
  public var revisions: ClosedRange<Int> { walker.revisionRange.revisions }

  package var work: CursorWork { walker.work }

  /// The action that led to the current revision; `nil` at the first revision.
  ///
  /// - Throws: `LogError` if the action cannot be read, `EventSourcingError` if the model cannot decode it.
  /// - Complexity: O(1) near the last move.
  public func lastAction() throws -> RecordedAction<M.Action>? {
    revision == walker.revisionRange.first ? nil : try walker.action(at: revision)
  }

  /// Compares the state at another revision with the current one. The cursor does not move.
  ///
  /// - Parameter revision: The revision of the old state; the previous revision shows what the last action changed.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, and of the state's coding.
  public func difference(from revision: Int) throws -> StateDiff {
    let other = try walker.state(at: checking(revision))
    defer { walker.settle(at: self.revision) }
    return try StateDiff(encoding: other, to: state)
  }

  package func actions(in range: ClosedRange<Int>) throws -> [RecordedAction<M.Action>] {
    _ = try checking(range.lowerBound - 1)
    _ = try checking(range.upperBound)
    return try range.map { revision in try walker.action(at: revision) }
  }

  /// Finds actions that were recorded since. The cursor does not move.
  ///
  /// - Throws: `LogError` if the log cannot be read.
  public func refresh() throws {
    try walker.refresh()
    notifyObservers(crossed: [])
  }

  /// Makes several calls at once: `body` uses the cursor without `await`, and no other call comes in between.
  ///
  /// ```swift
  /// let counts = try await cursor.perform { cursor in
  ///   try (0..<100).map { _ in
  ///     try cursor.stepBackward()
  ///     return cursor.state.count
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter body: Runs on the thread of the cursor, in the caller's task.
  /// - Throws: The error of `body`. The moves that it made are not undone.
  public func perform<Result: Sendable, Failure: Error>(
    _ body: @Sendable (isolated HistoryCursor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(self)
  }
}

// MARK: - Moving

extension HistoryCursor {
  /// Moves one action forward.
  ///
  /// - Returns: The crossed action.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` at the end; the errors of reading and folding; `CancellationError`.
  /// - Complexity: One action is folded, unless the state is kept.
  @discardableResult public func stepForward() throws -> RecordedAction<M.Action> {
    let target = try checking(revision + 1)
    let action = try walker.action(at: target)
    try move(to: target)
    return action
  }

  /// Moves one action backward.
  ///
  /// - Returns: The crossed action: the one that led to the previous position.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` at revision 0, ``TimeTravelError/Code/pruned`` at the first revision of a
  ///   pruned log; the errors of reading and folding;
  ///   `CancellationError`.
  /// - Complexity: Two actions are folded on average: each step folds some of the next gap between kept states. Within 1 000
  ///   actions of the target of the last jump a step folds at most 15, further away sometimes 127. Where the history was not
  ///   folded before, it folds the distance to the nearest snapshot.
  @discardableResult public func stepBackward() throws -> RecordedAction<M.Action> {
    let target = try checking(revision - 1)
    let before = walker.work
    let action = try walker.action(at: revision)
    try move(to: target)
    walker.prepareStepBack(from: target, since: before)
    return action
  }

  /// Moves to a revision.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` with the available revisions; the errors of reading and folding;
  ///   `CancellationError`.
  /// - Complexity: The distance to the nearest kept state or snapshot: at most 127 actions where the history was folded
  ///   before.
  public func jump(to revision: Int) throws {
    try move(to: try checking(revision))
  }

  /// Moves to a point.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` with the available revisions; the errors of reading and folding;
  ///   `CancellationError`.
  public func jump(to point: HistoryPoint) throws {
    try move(to: try point.resolved(in: walker.history, lastRevision: walker.lastRevision))
  }

  private func checking(_ revision: Int) throws(TimeTravelError) -> Int {
    try walker.revisionRange.checking(revision)
  }

  private func move(to target: Int) throws {
    // A move that waited for others may have been canceled.
    try Task.checkCancellation()
    let collects =
      abs(target - revision) <= Self.streamLimit && observers.contains { observer in observer.feed.needsActions }
    let (state, crossed) = collects ? try crossing(to: target) : (try walker.state(at: target), nil)
    let isSame = target == revision
    self.state = state
    revision = target
    walker.settle(at: target)
    notifyObservers(crossed: isSame ? [] : crossed)
  }

  private func crossing(
    to target: Int
  ) throws -> (state: M.State, crossed: [(oldState: M.State, action: M.Action)]?) {
    let isForward = target > revision
    let first = min(target, revision)
    let start = isForward ? state : try walker.state(at: target)
    var state = start
    var crossed: [(oldState: M.State, action: M.Action)] = []
    var check = CancellationCheck { Task.isCancelled }
    for place in first..<max(target, revision) {
      try check.pass()
      crossed += try walker.crossing(from: state, at: place)
      // The last state of a backward move is the current one.
      if isForward || place + 1 < revision { state = try walker.next(after: state, at: place) }
    }
    return (isForward ? state : start, crossed)
  }
}

// MARK: - Observers

extension HistoryCursor {
  /// Publishes the present position to an observer, which waits for it, and then all moves.
  func attach(_ observer: HistoryObserver<M>, _ feed: MoveFeed<M>) {
    let observation = Observation(observer: observer, feed: feed)
    observers.append(observation)
    feed.setIsOwnMove(true)
    defer { feed.setIsOwnMove(false) }
    observation.notify(CursorMove(revision: revision, revisions: revisions, state: state, crossed: []))
  }

  private func notifyObservers(crossed: [(oldState: M.State, action: M.Action)]?) {
    guard !observers.isEmpty else { return }
    observers.removeAll { observation in observation.observer == nil }
    let move = CursorMove<M>(revision: revision, revisions: revisions, state: state, crossed: crossed)
    for observation in observers { observation.notify(move) }
  }
}

/// An observer of a cursor, which the cursor does not retain, with the moves that it has not published.
private struct Observation<M: Model> {
  private(set) weak var observer: HistoryObserver<M>?
  let feed: MoveFeed<M>

  func notify(_ move: CursorMove<M>) {
    guard feed.add(move) else { return }
    Task { @MainActor [weak observer = self.observer] in observer?.publishMoves() }
  }
}

/// Counters of the work of a cursor.
package struct CursorWork: Hashable, Sendable {
  /// Actions that the reducer folded, including those of replays.
  package var actionsFolded = 0
  package var actionsRead = 0
  /// Replays from a snapshot, from the beginning, or from a distant keyframe.
  package var replays = 0
  package var snapshotsLoaded = 0
  package var bytesRead = 0
  package var keyframesMade = 0
  package var keyframesHeld = 0

  package init() {}
}

extension History {
  /// At this distance a snapshot between two revisions is worth searching for: listing the snapshots costs about as much.
  private static var snapshotDistance: Int { 1_024 }

  /// Compares the states at two revisions, in any order.
  ///
  /// The later state is folded from the earlier one, so the two share what did not change. If they are far apart and a
  /// snapshot is between them, it is folded from the snapshot.
  package func difference(from first: Int, to second: Int, options: ReplayOptions) throws -> StateDiff {
    let (start, end) = (min(first, second), max(first, second))
    let options = options.countingFolds(upTo: end)
    let earlier = try state(at: start, options: options)
    let isFar =
      options.usesSnapshots && end - start > Self.snapshotDistance
      && snapshotRevisions(options).contains { revision in revision > start && revision <= end }
    let later =
      isFar
      ? try state(at: end, options: options)
      : try fold(FoldRequest(earlier, at: start, to: end), options: options).state
    return try first <= second ? StateDiff(encoding: earlier, to: later) : StateDiff(encoding: later, to: earlier)
  }

  /// Makes a cursor at a point of this history. Blocks; see `reading(_:)`.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding.
  public func cursor(at point: HistoryPoint = .end) throws -> HistoryCursor<M> {
    HistoryCursor(try HistoryWalk(self, to: point))
  }
}
