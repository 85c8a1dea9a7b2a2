import ActionLog
public import ImmutableData
import Platform

extension Recorder {
  /// Makes a store at the log's last revision and listens to it. The previous store is detached.
  ///
  /// - Throws: As ``listen(to:)``: ``EventSourcingError/Code/alreadyListening`` if actions of another store are still waiting;
  ///   ``EventSourcingError/Code/storeMismatch`` if the reducer is impure.
  @MainActor public func makeStore() throws -> Store<M.State, M.Action> {
    let store = Store(initialState: try fold(settledLast()), reducer: M.reducer)
    try follow(store, isNew: true)
    return store
  }

  /// Records everything that `store` accepts from now on.
  ///
  /// The stream is made before the call returns, so no later dispatch is missed. A recorder records one store at a time; the
  /// previous one is detached. Actions that a detached store accepts are not recorded: ``sync()`` throws from then on, and
  /// ``RecordingNotice/actionNotRecorded(log:)`` is sent.
  ///
  /// Listening again to the attached store does nothing. After `store.finish()`, which ends its streams, await ``sync()`` first.
  ///
  /// - Throws: ``EventSourcingError/Code/storeMismatch`` if the store's state is not the log's last revision, because it accepted
  ///   an action that was not recorded. ``EventSourcingError/Code/alreadyListening`` if actions of another store are still waiting;
  ///   call ``sync()`` first. The failure, if the recorder stopped, failed or was closed.
  /// - Complexity: O(size of the state), to compare it.
  @MainActor public func listen(to store: Store<M.State, M.Action>) throws {
    try follow(store)
  }

  /// Records everything that another kind of store accepts from now on.
  ///
  /// - Throws: As ``listen(to:)``.
  @MainActor package func listen<S>(
    to store: S
  ) throws where S: Selector<M.State> & Streamer<M.State, M.Action> & AnyObject, S.Stream: CountedStream {
    try follow(store)
  }

  /// - Parameter isNew: Whether the store was made from the state of the last revision, and has accepted nothing since.
  @MainActor private func follow<S>(
    _ store: S, isNew: Bool = false
  ) throws where S: Selector<M.State> & Streamer<M.State, M.Action> & AnyObject, S.Stream: CountedStream {
    if contents.withLock({ contents in contents.isListening(to: store) && contents.waiting > 0 }) { return }
    let last = try settledLast()
    // Checked for the attached store, too: it may have ended its streams before the recorder noticed.
    guard areSame(store.state, try fold(last)) else {
      guard case .after = last, try isNew || !areSame(fold(last), fold(last)) else { throw mismatch() }
      throw impurity(nil)
    }
    try attach(store)
  }

  /// Returns the state of the last revision, if no action is waiting.
  private func settledLast() throws -> LastState<M> {
    let (last, waiting) = try contents.withLock { contents in
      try checkUsable(contents.phase)
      return (contents.last, contents.waiting)
    }
    guard waiting > 0 else { return last }
    throw EventSourcingError(
      .alreadyListening, "\(waiting) actions of another store are not recorded yet", path: path,
      advice: "Await sync() before listening to a store that replaces it.")
  }

  /// Throws the error that keeps the recorder from recording.
  private func checkUsable(_ phase: RecorderStatus.Phase) throws {
    switch phase {
    case .stopped(let error), .failed(let error): throw error
    case .closed: throw closed()
    case .idle, .recording: break
    }
  }

  private func fold(_ last: LastState<M>) throws -> M.State {
    do { return try last.state() } catch { throw impurity(error) }
  }

  /// The error for a reducer that folds the last action again, and makes another state or refuses it.
  private func impurity(_ refusal: (any Error)?) -> EventSourcingError {
    EventSourcingError(
      .storeMismatch,
      "the reducer of '\(M.name)' is impure: folded again, the last action "
        + (refusal == nil ? "leads to another state" : "is refused"),
      path: path, revision: contents.withLock { contents in contents.revision }, intact: "The log has all actions.",
      advice:
        "A reducer may depend on its two arguments only, not on a clock, a random value, or the order of a Set or "
        + "Dictionary. Put such values into the action.", underlying: refusal)
  }

  private func mismatch() -> EventSourcingError {
    EventSourcingError(
      .storeMismatch,
      "the store's state is not the state at the log's last revision",
      path: path,
      revision: contents.withLock { contents in contents.revision },
      advice:
        "Begin with the store that makeStore() returns, or pass the initial state when the log is made (startingAt:)."
    )
  }

  /// The error of a closed recorder.
  ///
  /// - Parameter lost: The number of accepted actions that are not in the log.
  func closed(losing lost: Int = 0) -> LogError {
    LogError(
      .closed,
      lost == 0
        ? "the recorder was closed"
        : "the recorder was closed, and the log lacks \(Self.text(lost)) that its store accepted",
      path: path, advice: "Open the log again.")
  }

  /// The error for actions that stores accepted after they were detached.
  func detached(_ lost: Int) -> EventSourcingError {
    EventSourcingError(
      .storeDetached, "the log lacks \(Self.text(lost)) that a store accepted after it was detached",
      path: path,
      intact: "Everything else is recorded.",
      advice: "Dispatch only to the store that the recorder listens to, and make no other."
    )
  }

  private static func text(_ count: Int) -> String { count == 1 ? "1 action" : "\(count) actions" }

  /// Attaches a store at the log's last revision. Stores are bound to the main actor, so no action can be accepted in between.
  @MainActor private func attach<S>(
    _ store: S
  ) throws where S: Selector<M.State> & Streamer<M.State, M.Action> & AnyObject, S.Stream: CountedStream {
    let stream = store.makeStream()
    let oldTask = try contents.withLock { contents in
      // Another thread may have closed the recorder since the phase was checked.
      try checkUsable(contents.phase)
      let oldTask = contents.task
      // Nothing is waiting, so nothing is lost yet.
      _ = leave(contents.detach(), at: contents.revision)
      contents.attach(store, counter: stream.accepted)
      // Nothing is waiting, so what is left belongs to lost actions of another store.
      dispatchedMeta.withLock { metas in metas = [:] }
      stream.accepted.beginRecording(by: statusChanges, after: contents.revision) { [dispatchedMeta] number in
        guard let meta = RecordMeta.current else { return }
        dispatchedMeta.withLock { metas in metas[number] = meta }
      }
      let attachment = contents.attachment
      contents.task = Task.detached { [self] in await record(stream, attachment: attachment) }
      statusChanges.add(.recording)
      return oldTask
    }
    oldTask?.cancel()
    statusChanges.deliver()
  }

  /// Records that a store was detached. Called under the lock of ``contents``.
  ///
  /// - Returns: Whether the store has accepted an action that is not recorded; the caller then calls ``noticeLoss()``.
  func leave(_ left: RecorderContents<M>.Attachment?, at revision: Int) -> Bool {
    guard let left else { return false }
    // The handler retains `statusChanges`, which identifies the recorder, and not the recorder, which a store must not retain.
    return left.counter.endRecording(by: statusChanges, through: left.recordedCount(at: revision)) {
      [statusChanges, onNotice = session.configuration.onNotice, path] in
      withExtendedLifetime(statusChanges) { onNotice?(.actionNotRecorded(log: path)) }
    }
  }

  /// Sends the notice that an accepted action is not recorded.
  func noticeLoss() {
    session.configuration.onNotice?(.actionNotRecorded(log: path))
  }
}

extension Store {
  /// Makes a store at the last revision of a log, from its newest usable snapshot and the actions after it.
  ///
  /// Nothing is recorded. ``Recorder/makeStore()`` makes a store that is recorded.
  ///
  /// - Parameter history: The history to restore.
  /// - Returns: The store, and a report of the replay.
  /// - Throws: As `History.state(at:options:)`.
  public static func restored<M: Model>(
    from history: History<M>
  ) throws -> (store: Store, report: ReplayReport) where M.State == State, M.Action == Action {
    let replayed = try history.replay()
    return (store: Store(initialState: replayed.state, reducer: M.reducer), report: replayed.report)
  }
}

extension Store {
  /// Whether a recorder records the actions that the store accepts.
  ///
  /// It is `false` for a detached store: its recorder failed, was closed, or listens to another store. No log holds the actions
  /// that it accepts.
  public nonisolated var isRecorded: Bool { accepted.isRecorded }
}
