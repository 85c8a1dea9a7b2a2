import ActionLog
public import EventSourcing
public import ImmutableData

/// A place in a history that can be moved: the past with the interface of a store.
///
/// A cursor is a `Selector` and a `Streamer`, so that the same listeners and views which show a live store can show the
/// past. It has no dispatcher: it works on folded copies, never dispatches into a store and never writes to the log.
///
/// A move yields each action that it crosses, in order of `seq` and with the state that the action met, also when the
/// move goes backward. A record that upcasters made several actions of is one move and yields each of them; one that they
/// dropped, or whose type is unknown and kept, is a move that yields nothing. A move across more than ``streamLimit`` actions finishes the cursor's streams instead: whoever
/// listens makes a new stream and starts from the state.
///
/// States are kept: every one around the cursor, one in 16 near it, and one in 128 wherever it has been (one in 256 of
/// more than 10⁶ actions, and so on). So once a history was folded, a jump to anywhere folds 127 actions at most, and a
/// step back folds two on average; ``work`` counts. States whose collections share what they have in common cost what
/// changed between them. Of those that are copied whole by the next write, as a large `Dictionary` is, fewer are kept, and
/// moves fold more.
///
/// Moves read files and block. A move that fails leaves the cursor where it was and yields nothing.
@MainActor public final class HistoryCursor<M: Model> {
  /// The state of the model.
  public typealias State = M.State
  /// The action of the model.
  public typealias Action = M.Action

  /// A move across more actions than this finishes the streams: a listener that gets a thousand states at once is
  /// better off with the last one.
  public static var streamLimit: Int { 1_000 }

  /// Where the cursor is: the number of actions applied.
  public private(set) var revision: Int

  private var currentState: M.State
  /// Finds the states. Whoever uses it tells it afterwards where the cursor is.
  var walker: HistoryWalker<M>
  private let registrar = StreamRegistrar<(oldState: M.State, action: M.Action)>()

  /// Makes a cursor.
  ///
  /// - Parameters:
  ///   - history: What it moves in.
  ///   - point: Where it stands at first.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw.
  /// - Complexity: That of `History.state(at:)`.
  public convenience init(_ history: History<M>, at point: HistoryPoint = .end) throws {
    self.init(try HistoryWalk(history, to: point))
  }

  /// Makes a cursor that stands where a walk has ended.
  init(_ walk: HistoryWalk<M>) {
    revision = walk.revision
    currentState = walk.state
    walker = walk.walker
  }

  /// The revisions that the cursor can move to. Those recorded since it was made are seen after ``refresh()``.
  public var revisions: ClosedRange<Int> { 0...walker.lastRevision }

  /// The work that was done so far.
  public var work: CursorWork { walker.work }

  /// The action that led to the current revision; `nil` at revision 0.
  ///
  /// - Throws: `LogError` when the action cannot be read, `EventSourcingError` when the model cannot decode it.
  /// - Complexity: O(1) near the last move.
  public func lastAction() throws -> RecordedAction<M.Action>? {
    revision == 0 ? nil : try walker.action(at: revision)
  }

  /// Finds what makes the current state of the one at another revision. The cursor stays where it is.
  ///
  /// - Parameter revision: The revision to compare with; the one before the current one shows what the last action changed.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: That of a move there and back, and of comparing what the two states do not share.
  public func difference(from revision: Int) throws -> StateDiff {
    let other = try walker.state(at: checking(revision))
    defer { walker.settle(at: self.revision) }
    return try StateDiff(encoding: other, to: currentState)
  }

  /// Looks for actions that were recorded since. The cursor stays where it is.
  ///
  /// - Throws: `LogError` when the log cannot be read.
  /// - Complexity: That of `History.lastRevision()`.
  public func refresh() throws {
    try walker.refresh()
  }

  /// Ends every stream: consumers receive what is buffered, then the end. Later streams are not affected.
  public func finish() {
    registrar.finish()
  }
}

extension HistoryCursor: Selector {
  /// Applies `selector` to the state at the current revision.
  public func select<T: Sendable>(_ selector: @Sendable (M.State) -> T) -> T {
    selector(currentState)
  }
}

extension HistoryCursor: Streamer {
  /// Makes a stream of every action that is crossed from now on.
  public func makeStream() -> ActionStream<(oldState: M.State, action: M.Action)> {
    registrar.makeStream()
  }
}

/// A move across more than ``HistoryCursor/streamLimit`` actions ends the streams, and the cursor goes on.
extension HistoryCursor: RestartingStreamer {}

// MARK: - Moving

extension HistoryCursor {
  /// Moves one action forward.
  ///
  /// - Returns: The action that was crossed.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` at the end; what reading and folding throw.
  /// - Complexity: One action is folded, unless the state is kept.
  @discardableResult public func stepForward() throws -> RecordedAction<M.Action> {
    let target = try checking(revision + 1)
    let action = try walker.action(at: target)
    try move(to: target)
    return action
  }

  /// Moves one action backward.
  ///
  /// - Returns: The action that was crossed: the one that led to where the cursor was.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` at revision 0; what reading and folding throw.
  /// - Complexity: Two actions are folded on average, those of a gap between kept states a few at each of the steps before it. While
  ///   the step stays within 1 000 actions of the place that was jumped to it folds 15 at most, beyond that 127 now and then;
  ///   where the history was not folded before, the distance to the nearest snapshot.
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
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` with the revisions that there are; what reading and folding
  ///   throw.
  /// - Complexity: The distance to the nearest kept state or snapshot: 127 actions at most where the history was folded
  ///   before.
  public func jump(to revision: Int) throws {
    try move(to: try checking(revision))
  }

  /// Moves to a point.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` with the revisions that there are; what reading and folding
  ///   throw.
  /// - Complexity: As ``jump(to:)-(Int)``, and for a time that of `History.revision(at:)`.
  public func jump(to point: HistoryPoint) throws {
    try move(to: try point.resolved(in: walker.history, lastRevision: walker.lastRevision))
  }

  private func checking(_ revision: Int) throws(TimeTravelError) -> Int {
    try RevisionRange(last: walker.lastRevision).checking(revision)
  }

  /// Finds everything that can fail first, then moves and tells.
  private func move(to target: Int) throws {
    let distance = abs(target - revision)
    let isTold = registrar.streamCount > 0 && distance <= Self.streamLimit
    let (state, crossed) =
      isTold
      ? try crossing(to: target) : (try walker.state(at: target), [])
    currentState = state
    revision = target
    walker.settle(at: target)
    if distance > Self.streamLimit {
      registrar.finish()
    } else {
      for element in crossed { registrar.yield(element) }
    }
  }

  /// The state at the end of a move, and what is crossed on the way, each action with the state that it met.
  private func crossing(
    to target: Int
  ) throws -> (state: M.State, crossed: [(oldState: M.State, action: M.Action)]) {
    let isForward = target > revision
    let first = min(target, revision)
    let start = isForward ? currentState : try walker.state(at: target)
    var state = start
    var crossed: [(oldState: M.State, action: M.Action)] = []
    for place in first..<max(target, revision) {
      crossed += try walker.crossing(from: state, at: place)
      // The state at the end of a move back is known already: the cursor is there.
      if isForward || place + 1 < revision { state = try walker.next(after: state, at: place) }
    }
    return (isForward ? state : start, crossed)
  }
}

/// The work that a cursor did so far, counted.
public struct CursorWork: Hashable, Sendable {
  /// Actions that the reducer folded, those of replays included.
  public var actionsFolded = 0
  /// Actions that were read and decoded.
  public var actionsRead = 0
  /// Times that a state was rebuilt from a snapshot, from the beginning, or from a keyframe far away.
  public var replays = 0
  /// Snapshots that were loaded.
  public var snapshotsLoaded = 0
  /// Bytes that were read from the log's segments.
  public var bytesRead = 0
  /// States that are kept at the moment.
  public var keyframesHeld = 0

  /// A count of nothing done.
  public init() {}
}

extension History {
  /// From so far apart, a snapshot between two revisions is looked for: reading their names costs about as much.
  private static var snapshotDistance: Int { 1_024 }

  /// Compares the states at two revisions, in any order.
  ///
  /// The later state is folded from the earlier one, so the two share what did not change between them. Where a snapshot lies between
  /// them and they are far apart, it is folded from there.
  ///
  /// - Throws: What reading and folding throw, and what the state's coding throws.
  /// - Complexity: That of `state(at:)` for the earlier revision, and O(distance) from there or from the snapshot.
  package func difference(from first: Int, to second: Int, options: ReplayOptions) throws -> StateDiff {
    let (start, end) = (min(first, second), max(first, second))
    let options = options.countingFolds(upTo: end)
    let earlier = try state(at: start, options: options).state
    let isFar =
      try options.usesSnapshots && end - start > Self.snapshotDistance
      && snapshots?.revisions().contains { revision in revision > start && revision <= end } ?? false
    let later =
      isFar
      ? try state(at: end, options: options).state
      : try advance(earlier, from: start, to: end, options: options).state
    return try first <= second ? StateDiff(encoding: earlier, to: later) : StateDiff(encoding: later, to: earlier)
  }

  /// Makes a cursor that stands at a point of this history.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw.
  /// - Complexity: That of `state(at:)`.
  @MainActor public func cursor(at point: HistoryPoint = .end) throws -> HistoryCursor<M> {
    try HistoryCursor(self, at: point)
  }

  /// Opens a history and makes a cursor in it; reading and folding are done on a thread that may block.
  ///
  /// - Parameters:
  ///   - point: Where the cursor stands.
  ///   - open: Opens the history. It may block.
  /// - Returns: The cursor.
  /// - Throws: What `open` throws; ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw.
  /// - Complexity: That of `state(at:)`.
  @MainActor package static func openCursor(
    at point: HistoryPoint = .end, _ open: @escaping @Sendable () throws -> History<M>
  ) async throws -> HistoryCursor<M> {
    HistoryCursor(try await OffPool.run { try HistoryWalk(try open(), to: point) })
  }
}
