public import ImmutableData

extension Store {
  /// A store at the last revision of a log: its newest usable snapshot and the actions after it.
  ///
  /// Nothing is recorded. ``Recorder/makeStore()`` makes a store that is.
  ///
  /// - Parameter history: The past to restore.
  /// - Returns: The store, and the work that it took.
  /// - Throws: As ``History/state(at:options:)``.
  public static func restored<M: Model>(
    from history: History<M>
  ) throws -> (store: Store, report: ReplayReport) where M.State == State, M.Action == Action {
    let replayed = try history.state()
    return (store: Store(initialState: replayed.state, reducer: M.reducer), report: replayed.report)
  }
}

extension Store {
  /// Whether a recorder records what the store accepts.
  ///
  /// It is `false` for a detached store: its recorder failed, was closed, or listens to another store. What the store accepts then
  /// is in no log.
  public nonisolated var isRecorded: Bool { accepted.isRecorded }
}
