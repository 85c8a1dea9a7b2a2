import ActionLog
public import ImmutableData
import Locking

extension Recorder {
  /// Makes a store at the log's last revision and listens to it.
  ///
  /// - Throws: As ``listen(to:)``: ``EventSourcingError/Code/alreadyListening`` when actions of another store are still
  ///   waiting.
  @MainActor public func makeStore() throws -> Store<M.State, M.Action> {
    let last = contents.withLock { contents in contents.last }
    let store = Store(initialState: try last.state(), reducer: M.reducer)
    try listen(to: store)
    return store
  }

  /// Records everything that `store` accepts from now on.
  ///
  /// The stream is made before the call returns, so nothing dispatched afterwards is missed. Listening again to the
  /// store that is listened to does nothing; after `store.finish()`, which ends its streams, await ``flush()`` first.
  ///
  /// - Throws: ``EventSourcingError/Code/storeMismatch`` when the store's state is not the log's last revision: an
  ///   action that was not recorded has come between. ``EventSourcingError/Code/alreadyListening`` when actions of
  ///   another store are still waiting; ``flush()`` first. The failure, when the recorder stopped, failed or was closed.
  /// - Complexity: O(size of the state), to compare it.
  @MainActor public func listen<S>(
    to store: S
  ) throws where S: Selector<M.State> & Streamer<M.State, M.Action> & AnyObject, S.Stream: CountedStream {
    let (isSame, last, waiting) = try contents.withLock { contents in
      try checkUsable(contents.phase)
      return (contents.isListening(to: store), contents.last, contents.waiting)
    }
    guard waiting == 0 else {
      if isSame { return }
      throw EventSourcingError(
        .alreadyListening, "\(waiting) actions of another store are not recorded yet", path: path,
        advice: "Await flush() before listening to a store that replaces it.")
    }
    // Also for the same store, which may have ended its streams without the recorder having noticed.
    guard store.state == (try last.state()) else { throw mismatch() }
    try attach(store)
  }

  /// Throws what keeps the recorder from recording.
  private func checkUsable(_ phase: RecorderStatus.Phase) throws {
    switch phase {
    case .stopped(let error), .failed(let error): throw error
    case .closed: throw closed()
    case .idle, .recording: break
    }
  }

  private func mismatch() -> EventSourcingError {
    EventSourcingError(
      .storeMismatch,
      "the store's state is not the state at the log's last revision",
      path: path,
      seq: contents.withLock { contents in contents.revision },
      advice: "Begin with the store that makeStore() returns, or name the state that exists when the log is made "
        + "(startingAt:)."
    )
  }

  func closed() -> LogError {
    LogError(.closed, "the recorder was closed", path: path, advice: "Open the log again.")
  }

  /// Goes over to a store at the log's last revision. No action can come between: stores live on the main actor.
  @MainActor private func attach<S>(
    _ store: S
  ) throws where S: Selector<M.State> & Streamer<M.State, M.Action> & AnyObject, S.Stream: CountedStream {
    let stream = store.makeStream()
    let oldTask = try contents.withLock { contents in
      // Another thread may have closed the recorder since it was looked at.
      try checkUsable(contents.phase)
      let oldTask = contents.task
      contents.attach(store) { stream.counts }
      let attachment = contents.attachment
      contents.task = Task.detached { [self] in await record(stream, attachment: attachment) }
      statusChanges.add(.recording)
      return oldTask
    }
    oldTask?.cancel()
    statusChanges.deliver()
  }
}
