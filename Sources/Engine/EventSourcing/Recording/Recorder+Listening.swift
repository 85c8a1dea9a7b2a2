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
  /// previous one is detached: each later dispatch to it throws, until a recorder listens to it again.
  ///
  /// Listening again to the attached store does nothing. After `store.finish()`, which ends its streams and its recording, await
  /// ``sync()`` first.
  ///
  /// - Throws: ``EventSourcingError/Code/storeMismatch`` if the store's state is not the log's last revision, because it accepted
  ///   an action that was not recorded. ``EventSourcingError/Code/alreadyListening`` if actions of another store are still waiting;
  ///   call ``sync()`` first. The failure, if the recorder stopped, failed or was closed.
  /// - Complexity: O(size of the state), to compare it.
  @MainActor public func listen(to store: Store<M.State, M.Action>) throws {
    try follow(store)
  }

  /// - Parameter isNew: Whether the store was made from the state of the last revision, and has accepted nothing since.
  @MainActor private func follow(_ store: Store<M.State, M.Action>, isNew: Bool = false) throws {
    if contents.withLock({ contents in contents.isListening(to: store) && contents.waiting > 0 }) { return }
    let last = try settledLast()
    // Checked for the attached store, too: it may have ended its streams before the recorder noticed.
    guard areSame(store.state, try fold(last)) else {
      guard case .after = last, try isNew || !areSame(fold(last), fold(last)) else { throw mismatch() }
      throw impurity(nil)
    }
    try attach(store)
  }

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

  func closed(losing lost: Int = 0) -> LogError {
    LogError(
      .closed,
      lost == 0
        ? "the recorder was closed"
        : "the recorder was closed, and the log lacks \(Self.text(lost)) that its store accepted",
      path: path, advice: "Open the log again.")
  }

  /// The error for actions that stores accepted after they were detached, because another recorder records them.
  func detached(_ lost: Int) -> EventSourcingError {
    EventSourcingError(
      .storeDetached, "the log lacks \(Self.text(lost)) that a store accepted after it was detached",
      path: path,
      intact: "Everything else is recorded.",
      advice: "Dispatch only to the store that the recorder listens to, and make no other."
    )
  }

  /// The error of a dispatch to a store that the recorder has left, or whose streams have ended.
  func refusal(because failure: (any Error)? = nil) -> EventSourcingError {
    EventSourcingError(
      .storeDetached,
      failure == nil
        ? "the recorder does not record this store any more, so the action was refused"
        : "the recorder has failed, so the action was refused",
      path: path, intact: "The state of the store did not change.",
      advice: failure == nil
        ? "Dispatch to the store that the recorder listens to, or let it listen to this one again."
        : "Open the log again, and continue with the store that makeStore() returns.",
      underlying: failure)
  }

  private static func text(_ count: Int) -> String { count == 1 ? "1 action" : "\(count) actions" }

  /// Attaches a store at the log's last revision. Stores are bound to the main actor, so no action can be accepted in between.
  @MainActor private func attach(_ store: Store<M.State, M.Action>) throws {
    let stream = store.makeStream()
    let oldTask = try contents.withLock { contents in
      // Another thread may have closed the recorder since the phase was checked.
      try checkUsable(contents.phase)
      let oldTask = contents.task
      leave(contents.detach(), refusing: refusal())
      contents.attach(store, counter: stream.accepted)
      // Nothing is waiting, so what is left belongs to lost actions of another store.
      dispatchedMeta.withLock { metas in metas = [:] }
      stream.accepted.beginRecording(by: statusChanges, after: contents.revision, refusal: refusal()) {
        [dispatchedMeta] number in
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

  /// Makes a detached store refuse actions. Called under the lock of ``contents``.
  func leave(_ left: RecorderContents<M>.Attachment?, refusing error: any Error) {
    left?.counter.endRecording(by: statusChanges, refusal: error)
  }
}

extension Store {
  /// Whether a recorder records the actions that the store accepts.
  ///
  /// It is `false` for a store that was never recorded, which accepts actions, and for a detached store, which refuses them: its
  /// recorder failed, was closed, or listens to another store, or the store has ended its streams.
  public nonisolated var isRecorded: Bool { accepted.isRecorded }
}
