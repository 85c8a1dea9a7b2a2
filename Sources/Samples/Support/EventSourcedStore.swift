package import ActionLog
package import EventSourcing
import ImmutableData

/// A store of rows that is a log of its own: what a local store of a sample stands on.
///
/// Every change is one record of the log, and is on disk when the call returns; what the store holds is the fold of the
/// log. So a change is stored as a whole or not at all, a process that is killed loses nothing that was acknowledged, and
/// snapshots can be deleted.
///
/// The log is opened by the first operation, off the calling thread, and one process has it at a time. When a change
/// cannot be written, the operation throws and the store goes back to what is on disk: the next operation opens the log
/// again.
///
/// Operations are carried out one after the other, in the order of the calls. They do not look at cancellation: a change
/// that was begun is completed.
package actor EventSourcedStore<M: Model> {
  private let path: String
  /// Whether the folders on the way to the log are made.
  private let makesFolders: Bool
  private let fileSystem: any LogFileSystem
  private let configuration: RecordingConfiguration<M>
  private let seed: (@Sendable (M.State) -> M.Action?)?
  private var opened: OpenLog?
  private var lastOperation: Task<Void, Never>?

  /// Makes a store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - makesFolders: Whether the folders on the way to it are made; otherwise its parent must exist.
  ///   - fileSystem: Where it lies.
  ///   - configuration: How it is written.
  ///   - seed: The change to make when the log has been opened, decided from its state; `nil` for none.
  package init(
    path: String, makesFolders: Bool = false, fileSystem: any LogFileSystem,
    configuration: RecordingConfiguration<M>, seed: (@Sendable (M.State) -> M.Action?)? = nil
  ) {
    self.path = path
    self.makesFolders = makesFolders
    self.fileSystem = fileSystem
    self.configuration = configuration
    self.seed = seed
  }
}

extension EventSourcedStore {
  /// Reads the state.
  ///
  /// - Throws: `LogError` or `EventSourcingError` when the log cannot be opened.
  package func read<Value: Sendable>(_ body: @escaping @Sendable (M.State) -> Value) async throws -> Value {
    try await perform { store in try await store.log().store.select(body) }
  }

  /// Decides on a change, records it, and waits until it is on disk.
  ///
  /// - Parameter decide: What to record in a state, `nil` when nothing changes; and what to return. It may throw to
  ///   refuse.
  /// - Throws: What `decide` throws; `LogError` or `EventSourcingError`. Nothing is changed then.
  package func change<Value: Sendable>(
    _ decide: @escaping @Sendable (M.State) throws -> (action: M.Action?, value: Value)
  ) async throws -> Value {
    try await perform { store in
      let log = try await store.log()
      let (action, value) = try decide(await log.store.state)
      if let action { try await store.record(action, in: log) }
      return value
    }
  }

  /// Gives the log back. Everything is on disk already; a later operation opens the log again.
  ///
  /// - Throws: `LogError` when the log could not be ended properly; it can be opened all the same.
  package func close() async throws {
    try await perform { store in
      guard let opened = store.opened else { return }
      try await store.close(opened)
    }
  }

  /// Begins the log anew at what the store holds, and puts the old one aside, whole, as `PATH.1`, `PATH.2` and so on.
  ///
  /// A log grows with every change, for ever. What is put aside can be kept, moved, or removed.
  ///
  /// - Parameter count: How many of the logs that lie aside are kept, the newest; `nil` for all.
  /// - Returns: The path of the log that was put aside.
  /// - Throws: `LogError` or `EventSourcingError`. What the store holds is the same then, and it can be used on.
  package func roll(keeping count: Int? = nil) async throws -> String {
    try await perform { store in
      let log = try await store.log()
      try await store.close(log)
      let roll = LogRoll<M>(path: store.path, fileSystem: store.fileSystem, configuration: store.configuration)
      return try await roll.run(keeping: count)
    }
  }

  /// Gives the log back as it is, as if the process had been killed.
  package func abandon() async throws {
    try await perform { store in await store.reset() }
  }
}

extension EventSourcedStore {
  /// The log while it is open, and the live state that it records.
  private struct OpenLog: Sendable {
    let recorder: Recorder<M>
    let store: Store<M.State, M.Action>
  }

  /// Carries out an operation when all earlier ones have ended.
  private func perform<Value: Sendable>(
    _ operation: @escaping @Sendable (isolated EventSourcedStore) async throws -> Value
  ) async throws -> Value {
    let earlier = lastOperation
    let task = Task {
      await earlier?.value
      return try await operation(self)
    }
    lastOperation = Task { _ = await task.result }
    return try await task.value
  }

  private func log() async throws -> OpenLog {
    if let opened { return opened }
    if makesFolders { try await makeFolders() }
    let roll = LogRoll<M>(path: path, fileSystem: fileSystem, configuration: configuration)
    try await roll.complete()
    let recorder = try await Recorder.open(path, configuration: configuration, fileSystem: fileSystem)
    let log = OpenLog(recorder: recorder, store: try await recorder.makeStore())
    opened = log
    if let seed = await log.store.select({ [seed] state in seed?(state) }) { try await record(seed, in: log) }
    return log
  }

  private func record(_ action: M.Action, in log: OpenLog) async throws {
    do {
      try await log.store.dispatch(action: action)
      try await log.recorder.flush()
    } catch {
      // The live state is ahead of the log, which alone counts.
      await reset()
      throw error
    }
  }

  /// Gives a log back, also where its end fails: the next operation opens it again.
  private func close(_ log: OpenLog) async throws {
    opened = nil
    do {
      try await log.recorder.close()
    } catch {
      await log.recorder.abandon()
      throw error
    }
  }

  private func reset() async {
    guard let opened else { return }
    self.opened = nil
    await opened.recorder.abandon()
  }

  /// Makes the folders on the way to the log.
  private func makeFolders() async throws {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    let start = path.hasPrefix("/") ? "/" : ""
    try await OffPool.run { [fileSystem] in
      do throws(FileSystemError) { try fileSystem.makeDirectories(start + folder) } catch {
        guard error.code == .notADirectory else { throw error }
        throw LogError(.inputOutput, "a file lies where a directory is wanted", path: error.path)
      }
    }
  }
}
