import ActionLog
public import EventSourcing
public import ImmutableData
public import Observation

/// A recorded store whose views can show the past of its log.
///
/// Views and selectors read this store. It is live by default; ``pause(at:)`` shows a revision, ``resume()`` the present again, and
/// each change reaches a selector once. While the past is shown, every dispatch through this store is refused with
/// ``TimeTravelError/Code/paused``, which views can show, and nothing is recorded.
///
/// ```swift
/// let store = TimeTravelStore(.store(try recorder.makeStore(), recorder: recorder))
/// let count = Selection(store, outputSelector: \.count)
/// try await store.pause(at: .revision(12))
/// try await store.stepBackward()
/// store.resume()
/// ```
///
/// Effects belong to the present. A listener with effects listens to the store in ``live``, whose stream has no past actions, and
/// dispatches there: a request that is in flight while the past is shown gets its answer. ``makeStream()`` of this store delivers the
/// actions that the live store accepts, too; only the selections of `ImmutableUI` are notified of moves in the past.
///
/// ``branch(at:to:configuration:)`` continues from a revision in a new log. ``live`` is then the store of the branch.
@MainActor @Observable public final class TimeTravelStore<M: Model> {
  /// The state of the model.
  public typealias State = M.State
  /// The action of the model.
  public typealias Action = M.Action

  /// The live store, with what records it. Observed: a branch replaces it.
  public private(set) var live: RecordedStore<M>
  /// The past that is shown; `nil` in the present. Observed.
  private var shown: HistoryObserver<M>?

  // Views follow selections of the state, so reading the state is not observed.
  @ObservationIgnored private var past: HistoryObserver<M>?
  /// The last past that was shown, with the states that its cursor keeps.
  @ObservationIgnored private var reader: HistoryObserver<M>?
  @ObservationIgnored private let accepted = StreamRegistrar<(oldState: M.State, action: M.Action)>()
  /// The streams of views in the present. Showing the past ends them.
  @ObservationIgnored private let views = StreamRegistrar<(oldState: M.State, action: M.Action)>()
  @ObservationIgnored private var forwarding: Task<Void, Never>?
  @ObservationIgnored private var branches = 0
  @ObservationIgnored private var parents: [RecordedStore<M>] = []
  @ObservationIgnored private var lastMove: Task<Void, Never>?
  @ObservationIgnored private var resumptions = 0

  /// Creates a store in the present.
  public init(_ live: RecordedStore<M>) {
    self.live = live
    forward()
  }

  deinit { forwarding?.cancel() }

  private func forward() {
    let stream = live.makeStream()
    let branch = branches
    forwarding?.cancel()
    forwarding = Task { [weak self] in
      for await element in stream {
        guard let self, branches == branch else { return }
        accepted.yield(element)
        views.yield(element)
      }
    }
  }
}

// MARK: - Where it is

extension TimeTravelStore {
  /// Whether the past is shown. Observed.
  public var isPaused: Bool { shown != nil }

  /// The revision that is shown; `nil` in the present. Observed.
  public var revision: Int? { shown?.revision }

  /// The revisions that can be shown. While the past is shown, as its cursor knew them at its last move; observed then.
  public var revisions: ClosedRange<Int> {
    if let shown { return shown.revisions }
    let last = live.lastRevision
    return min(reader?.revisions.lowerBound ?? 0, last)...last
  }

  /// The cursor of the past that is shown, for questions; `nil` in the present. Move with the methods of this store.
  public var cursor: HistoryCursor<M>? { shown?.cursor }
}

// MARK: - The interface of a store

extension TimeTravelStore: Dispatcher {
  /// Dispatches an action to the live store.
  ///
  /// - Throws: ``TimeTravelError/Code/paused`` while the past is shown; the errors of the live store.
  public func dispatch(action: M.Action) throws { try dispatch(action: action, meta: nil) }

  /// Dispatches an action with metadata to the live store.
  ///
  /// - Throws: As ``dispatch(action:)``.
  public func dispatch(action: M.Action, meta: RecordMeta?) throws {
    if let past {
      throw TimeTravelError(
        .paused,
        "revision \(past.revision) is shown, and the past accepts no actions: return to the present, or continue in a branch",
        availableRevisions: past.revisions)
    }
    try live.dispatch(action, meta)
  }
}

extension TimeTravelStore: Selector {
  /// Applies `selector` to the state that is shown.
  public func select<T: Sendable>(_ selector: @Sendable (M.State) -> T) -> T {
    past?.select(selector) ?? selector(live.state)
  }
}

extension TimeTravelStore: Streamer {
  /// Makes a stream of all actions that the live store accepts from now on, also while the past is shown, and across branches.
  public func makeStream() -> ActionStream<(oldState: M.State, action: M.Action)> { accepted.makeStream() }
}

extension TimeTravelStore: ViewStreamer {
  package func makeViewStream() -> ActionStream<(oldState: M.State, action: M.Action)> {
    past?.makeStream() ?? views.makeStream()
  }
}

// MARK: - Moving

extension TimeTravelStore {
  /// Shows a point of the past, or moves there.
  ///
  /// The revisions include every action that was accepted before the call. The main actor is free while the log is read. A move that
  /// fails, is canceled, or is followed by ``resume()``, changes nothing. Moves run in the order of their calls.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the failure of the recorder, if actions cannot be written; the errors of
  ///   reading and folding; `CancellationError`.
  public func pause(at point: HistoryPoint = .end) async throws {
    try await moving { [self] in try await opened(at: point) }
  }

  /// Moves one action forward in the past.
  ///
  /// - Returns: The action that was crossed.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` at the last revision and in the present; the errors of reading and folding.
  @discardableResult public func stepForward() async throws -> RecordedAction<M.Action> {
    try await moving { [self] in
      guard let past else {
        throw TimeTravelError(
          .revisionOutOfRange, "the present is shown: there is no later action", availableRevisions: revisions)
      }
      return (past, try await past.stepForward())
    }
  }

  /// Moves one action backward in the past; from the present to the revision before the last action.
  ///
  /// - Returns: The action that was crossed.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` at the first revision; the errors of ``pause(at:)``.
  @discardableResult public func stepBackward() async throws -> RecordedAction<M.Action> {
    try await moving { [self] in
      let observer = if let past { past } else { try await opened(at: .end).0 }
      return (observer, try await observer.stepBackward())
    }
  }

  /// Shows the present again. Does nothing in the present, except that moves that have begun change nothing.
  public func resume() {
    resumptions += 1
    let old = past
    (past, shown) = (nil, nil)
    old?.finish()
  }

  /// Makes a move, and then shows its result, unless the present was requested in between.
  private func moving<Answer: Sendable>(
    _ move: @escaping @MainActor () async throws -> (HistoryObserver<M>, Answer)
  ) async throws -> Answer {
    let resumptions = resumptions
    return try await inOrder { [self] in
      guard resumptions == self.resumptions else { throw CancellationError() }
      let (observer, answer) = try await move()
      guard resumptions == self.resumptions else { throw CancellationError() }
      if past !== observer {
        let old = past
        (past, shown) = (observer, observer)
        if let old { old.finish() } else { views.finish() }
      }
      return answer
    }
  }

  /// Moves the cursor to a point of the log. Opens the log again if it cannot be read any more, for instance after a redaction.
  private func opened(at point: HistoryPoint) async throws -> (HistoryObserver<M>, Void) {
    try await live.settle()
    if let reader {
      do {
        try await reader.refresh()
        try await reader.jump(to: point)
        return (reader, ())
      } catch let error as TimeTravelError {
        throw error
      } catch let error as CancellationError {
        throw error
      } catch {
        self.reader = nil
      }
    }
    let history = try await live.history()
    let observer = await HistoryObserver(try await history.reading { history in try history.cursor(at: point) })
    reader = observer
    return (observer, ())
  }

  /// Runs `body` after all earlier moves.
  private func inOrder<Answer: Sendable>(
    isCancellable: Bool = true, _ body: @escaping @MainActor () async throws -> Answer
  ) async throws -> Answer {
    let earlier = lastMove
    let task = Task {
      await earlier?.value
      try Task.checkCancellation()
      return try await body()
    }
    lastMove = Task { _ = await task.result }
    guard isCancellable else { return try await task.value }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

// MARK: - Branches

extension TimeTravelStore {
  /// Continues from a revision in a new log, whose first line names the present log and the revision as its parent.
  ///
  /// The new log has the actions up to the revision, and appears at its path when it is complete. It is opened for recording, and this
  /// store shows its present. The log of the parent does not change, and stays open until ``close()``: effects in flight still dispatch
  /// to its store. Let listeners with effects listen to the returned store.
  ///
  /// - Parameters:
  ///   - point: The last point of the present log to keep.
  ///   - path: A path without a file, or an empty directory.
  ///   - configuration: The configuration of the recording; `nil` for that of the present log.
  /// - Returns: The live store of the branch.
  /// - Throws: As `History.branch(_:to:upTo:environment:options:)` and `Recorder.open(at:startingAt:configuration:fileSystem:)`; this
  ///   store is unchanged then.
  /// - Complexity: O(length of the history).
  @discardableResult public func branch(
    at point: HistoryPoint, to path: String, configuration: RecordingConfiguration<M>? = nil
  ) async throws -> RecordedStore<M> {
    try await inOrder { [self] in
      try await live.settle()
      let history = try await live.history()
      let configuration = configuration ?? live.configuration
      _ = try await history.reading { [environment = configuration.log.environment] history in
        try history.branch(to: path, upTo: point.resolved(in: history), environment: environment)
      }
      let branch = try await live.opening(path, configuration)
      parents.append(live)
      live = branch
      branches += 1
      resumptions += 1
      let old = past
      (past, shown, reader) = (nil, nil, nil)
      forward()
      if let old { old.finish() } else { views.finish() }
      return branch
    }
  }

  /// Closes the live log, and those of its parents. Later dispatches are not recorded.
  ///
  /// - Throws: The first error of closing a log. All logs are closed even then, except that of a recorder that stopped.
  public func close() async throws {
    try await inOrder(isCancellable: false) { [self] in
      var failure: (any Error)?
      for store in parents + [live] {
        do { try await store.close() } catch { failure = failure ?? error }
      }
      parents = []
      if let failure { throw failure }
    }
  }
}
