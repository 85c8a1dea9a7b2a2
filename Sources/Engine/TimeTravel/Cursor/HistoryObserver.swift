public import EventSourcing
public import ImmutableData
public import Observation
import Platform

/// The position of a cursor for views: the past with the interface of a store, on the main actor.
///
/// An observer is a `Selector` and a `Streamer`, so the listeners and views of a live store can show the past, too. It has no
/// dispatcher.
///
/// ```swift
/// let cursor = try await history.reading { history in try history.cursor(at: .start) }
/// let observer = await HistoryObserver(cursor)
/// try await observer.stepForward()
/// print(observer.revision, observer.state)
/// ```
///
/// The observer follows every move of its cursor, by whichever task, in order. A move made by the observer itself has been
/// published when its method returns. A move yields each action that it crosses in order of revision, with the state before
/// the action, also when the cursor moves backward. A record that upcasters split is one move and yields all of its actions. A
/// record that they dropped, or whose type is unknown and kept, yields nothing. A move across more than
/// ``HistoryCursor/streamLimit`` actions finishes the streams instead: a listener makes a new stream and starts from the state.
/// A move that was in progress when the first stream was made finishes that stream, too.
///
/// To replace a move by a newer one, cancel the task that performs it: a canceled move throws `CancellationError` and leaves
/// the cursor where it was. The main actor is free during a move.
@MainActor @Observable public final class HistoryObserver<M: Model> {
  /// The state of the model.
  public typealias State = M.State
  /// The action of the model.
  public typealias Action = M.Action

  /// The cursor. Questions are asked there; its moves appear here.
  public nonisolated let cursor: HistoryCursor<M>
  /// The revision of `state`: the number of applied actions. Observed.
  public private(set) var revision = 0
  /// The revisions of the history, as the cursor knew them at its last move or refresh. Observed.
  public private(set) var revisions = 0...0

  // Views follow selections of the state, so reading the complete state is not observed.
  @ObservationIgnored private var currentState = M.initialState
  @ObservationIgnored private let feed = MoveFeed<M>()
  @ObservationIgnored private let registrar = StreamRegistrar<(oldState: M.State, action: M.Action)>()

  /// Creates an observer at the position of a cursor. A cursor can have several observers.
  public init(_ cursor: HistoryCursor<M>) async {
    self.cursor = cursor
    await cursor.attach(self, feed)
    publishMoves()
  }

  /// Finishes every stream: consumers receive what is buffered, then the end. Later streams are not affected.
  public func finish() {
    registrar.finish()
  }

  /// Publishes the moves since the last call, in order.
  func publishMoves() {
    for move in feed.takeAll() {
      currentState = move.state
      revision = move.revision
      revisions = move.revisions
      guard let crossed = move.crossed else {
        registrar.finish()
        continue
      }
      for element in crossed { registrar.yield(element) }
    }
  }
}

extension HistoryObserver: Selector {
  /// Applies `selector` to the state at the current revision.
  public func select<T: Sendable>(_ selector: @Sendable (M.State) -> T) -> T {
    selector(currentState)
  }
}

extension HistoryObserver: Streamer {
  /// Makes a stream of all actions that the cursor crosses from now on.
  public func makeStream() -> ActionStream<(oldState: M.State, action: M.Action)> {
    feed.setNeedsActions(true)
    return registrar.makeStream()
  }
}

/// A move across more than ``HistoryCursor/streamLimit`` actions finishes the streams, and the observer continues.
extension HistoryObserver: RestartingStreamer {}

// MARK: - Moving

extension HistoryObserver {
  /// Moves one action forward, as ``HistoryCursor/stepForward()``.
  ///
  /// - Returns: The action that was crossed.
  /// - Throws: As the method of the cursor.
  @discardableResult public func stepForward() async throws -> RecordedAction<M.Action> {
    try await moving { cursor in try cursor.stepForward() }
  }

  /// Moves one action backward, as ``HistoryCursor/stepBackward()``.
  ///
  /// - Returns: The action that was crossed.
  /// - Throws: As the method of the cursor.
  @discardableResult public func stepBackward() async throws -> RecordedAction<M.Action> {
    try await moving { cursor in try cursor.stepBackward() }
  }

  /// Moves to a revision, as ``HistoryCursor/jump(to:)-(Int)``.
  ///
  /// - Throws: As the method of the cursor.
  public func jump(to revision: Int) async throws {
    try await moving { cursor in try cursor.jump(to: revision) }
  }

  /// Moves to a point, as ``HistoryCursor/jump(to:)-(HistoryPoint)``.
  ///
  /// - Throws: As the method of the cursor.
  public func jump(to point: HistoryPoint) async throws {
    try await moving { cursor in try cursor.jump(to: point) }
  }

  /// Finds actions that were recorded since the log was last read, as ``HistoryCursor/refresh()``.
  ///
  /// - Throws: As the method of the cursor.
  public func refresh() async throws {
    try await moving { cursor in try cursor.refresh() }
  }

  private func moving<Result: Sendable>(
    _ move: @Sendable (isolated HistoryCursor<M>) throws -> Result
  ) async throws -> Result {
    // Streams may have ended since the last move.
    feed.setNeedsActions(registrar.streamCount > 0)
    defer { publishMoves() }
    return try await cursor.perform { [feed] cursor in
      feed.setIsOwnMove(true)
      defer { feed.setIsOwnMove(false) }
      return try move(cursor)
    }
  }
}

// MARK: - From the cursor to the observer

/// The position of a cursor after a move.
struct CursorMove<M: Model>: Sendable {
  var revision: Int
  var revisions: ClosedRange<Int>
  var state: M.State
  /// The crossed actions, with the state before each; `nil` if they were not collected, so that streams end.
  var crossed: [(oldState: M.State, action: M.Action)]?
}

/// The moves of a cursor that its observer has not published. The cursor adds them in order, on its thread.
final class MoveFeed<M: Model>: Sendable {
  private struct Contents: Sendable {
    var moves: [CursorMove<M>] = []
    var weight = 0
    var needsActions = false
    /// Whether the observer waits for the present move, and publishes it without a notification.
    var isOwnMove = false
  }

  private let contents = Locked(Contents())

  /// While the main actor is busy, so many moves and crossed actions wait; then only the last position does.
  private static var limit: Int { 16 * HistoryCursor<M>.streamLimit }

  /// Whether there may be a stream, for which crossed actions are collected.
  var needsActions: Bool { contents.withLock { contents in contents.needsActions } }

  func setNeedsActions(_ needsActions: Bool) {
    contents.withLock { contents in contents.needsActions = needsActions }
  }

  func setIsOwnMove(_ isOwnMove: Bool) {
    contents.withLock { contents in contents.isOwnMove = isOwnMove }
  }

  func add(_ move: CursorMove<M>) -> Bool {
    contents.withLock { contents in
      let mustNotify = contents.moves.isEmpty && !contents.isOwnMove
      contents.weight += 1 + (move.crossed?.count ?? 0)
      contents.moves.append(move)
      if contents.weight > Self.limit {
        var last = move
        last.crossed = nil
        contents.moves = [last]
        contents.weight = 1
      }
      return mustNotify
    }
  }

  func takeAll() -> [CursorMove<M>] {
    contents.withLock { contents in
      defer { (contents.moves, contents.weight) = ([], 0) }
      return contents.moves
    }
  }
}
