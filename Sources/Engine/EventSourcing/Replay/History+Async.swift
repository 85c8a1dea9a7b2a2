public import ActionLog
public import ImmutableData
import Platform

// The forms for async contexts of the calls that read, replay and write files. In an async context, Swift prefers an async
// method to a blocking one with the same name, so a caller cannot block the cooperative pool by mistake. Each call runs on a
// thread that may block, in the caller's task: canceling the task ends it with a `CancellationError`.
extension History {
  /// Opens the history of a log, on a thread that may block: the form of the initializer for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public init(
    at path: String,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    checksModelName: Bool = true,
    unknownTypes: UnknownTypePolicy? = nil
  ) async throws {
    try Task.checkCancellation()
    self = try await BlockingWork.run {
      try History(at: path, fileSystem: fileSystem, checksModelName: checksModelName, unknownTypes: unknownTypes)
    }
  }

  /// Returns the same history with the current list of segments: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func refreshed() async throws -> History {
    try await reading { history in try history.refreshed() }
  }

  /// Returns the last readable revision: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func lastRevision() async throws -> Int {
    try await reading { history in try history.lastRevision() }
  }

  /// Returns the last revision at or before a time: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func revision(at time: LogTime) async throws -> Int {
    try await reading { history in try history.revision(at: time) }
  }

  /// Returns the decoded actions of a range of revisions: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func actions(in range: ClosedRange<Int>) async throws -> [RecordedAction<M.Action>] {
    try await reading { history in try history.actions(in: range) }
  }

  /// Returns one decoded action: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func action(at revision: Int) async throws -> RecordedAction<M.Action> {
    try await reading { history in try history.action(at: revision) }
  }

  /// Calls `body` on a thread that may block, in the caller's task.
  package func reading<Result: Sendable>(
    _ body: @Sendable (History) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    return try await BlockingWork.run { try body(self) }
  }
}

// MARK: - Replays

extension History {
  /// Returns the state at a revision: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func state(at revision: Int? = nil, options: ReplayOptions = ReplayOptions()) async throws -> M.State {
    try await reading { history in try history.state(at: revision, options: options) }
  }

  /// Rebuilds the state at a revision and reports the work: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func replay(
    to revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) async throws -> Replayed<M.State> {
    try await reading { history in try history.replay(to: revision, options: options) }
  }

  /// Folds the log twice and compares the folds with each other and with every digest and snapshot: the form for async
  /// contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func prove(
    at revision: Int? = nil, against witness: (any ReplayWitness)? = nil, options: ReplayOptions = ReplayOptions()
  ) async throws -> ReplayProof {
    try await reading { history in try history.prove(at: revision, against: witness, options: options) }
  }

  /// Returns the digests of states, folded without snapshots: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func digests(at revisions: [Int], options: ReplayOptions = ReplayOptions()) async throws -> [StateDigest] {
    try await reading { history in try history.digests(at: revisions, options: options) }
  }

  /// Returns a state in canonical form, folded without snapshots: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func canonicalState(at revision: Int, options: ReplayOptions = ReplayOptions()) async throws -> [UInt8] {
    try await reading { history in try history.canonicalState(at: revision, options: options) }
  }

  /// Reports for each type in the log whether the model can read it: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func compatibility(
    isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) async throws -> CompatibilityReport {
    try await reading { history in try history.compatibility(isCancelled: isCancelled) }
  }

  /// Writes a snapshot of a revision: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public func takeSnapshot(
    at revision: Int? = nil, time: LogTime = .now(), options: ReplayOptions = ReplayOptions()
  ) async throws -> (snapshot: Snapshot, sizeBytes: Int) {
    try await reading { history in try history.takeSnapshot(at: revision, time: time, options: options) }
  }

  /// Makes a log that begins where this one ends, with the state that users saw: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  @discardableResult
  public func freezeBase(
    into newPath: String, at revision: Int? = nil, configuration: LogConfiguration = LogConfiguration()
  ) async throws -> ReplayReport {
    try await reading { history in
      try history.freezeBase(into: newPath, at: revision, configuration: configuration)
    }
  }
}

extension Store {
  /// Makes a store at the last revision of a log: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public static func restored<M: Model>(
    from history: History<M>
  ) async throws -> (store: Store, report: ReplayReport) where M.State == State, M.Action == Action {
    let replayed = try await history.replay()
    return (store: Store(initialState: replayed.state, reducer: M.reducer), report: replayed.report)
  }
}
