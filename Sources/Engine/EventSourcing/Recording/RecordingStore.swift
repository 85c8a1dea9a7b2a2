public import ActionLog
import Dispatch
public import ImmutableData
import Platform

/// A store that writes each action to the log before it publishes the new state.
///
/// `dispatch(action:)` encodes the action, reduces into a new value, writes one record, and then publishes the new state. When it
/// returns, the action survives the end of the process (level `written`). If the write fails, it throws and leaves the state
/// unchanged, so that state and log always match, and the next dispatch can succeed. If a sync fails, store and log are `failed`.
/// Actions that the reducer refuses are recorded as `@rejected`.
///
/// Each action takes a system call. A ``Recorder`` with a `Store` is the cheaper, asynchronous form.
///
/// Snapshots are encoded and written in the background. A digest immediately follows its action, so the dispatch that it is due at
/// computes it. With a large state, choose ``DigestPolicy/onlyAtStart``; then no dispatch waits for an encoding.
@MainActor public final class RecordingStore<M: Model>: Sendable {
  /// The model's state.
  public typealias State = M.State
  /// The model's action.
  public typealias Action = M.Action

  private var core: RecordingCore<M>

  nonisolated let session: RecordingSession<M>

  init(session: RecordingSession<M>) {
    self.session = session
    core = RecordingCore(session)
  }

  /// Opens or creates a log and rebuilds its state. Blocks while it reads and syncs.
  ///
  /// - Parameters:
  ///   - path: The log's directory. Its parent must exist.
  ///   - base: The initial state of a **new** log. An existing log keeps its own initial state.
  ///   - configuration: The configuration of the recording.
  ///   - fileSystem: The file system that holds the log.
  /// - Throws: `LogError`, ``EventSourcingError``.
  public convenience init(
    at path: String,
    startingAt base: M.State? = nil,
    configuration: RecordingConfiguration<M> = RecordingConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws {
    self.init(
      session: try RecordingSession.open(path, base: base, configuration: configuration, fileSystem: fileSystem))
  }

  /// Opens or creates a log and rebuilds its state, on a thread that may block.
  ///
  /// - Parameters:
  ///   - path: The log's directory. Its parent must exist.
  ///   - base: The initial state of a **new** log. An existing log keeps its own initial state.
  ///   - configuration: The configuration of the recording.
  ///   - fileSystem: The file system that holds the log.
  /// - Throws: As ``init(at:startingAt:configuration:fileSystem:)``.
  public static func open(
    at path: String,
    startingAt base: M.State? = nil,
    configuration: RecordingConfiguration<M> = RecordingConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) async throws -> RecordingStore {
    let session = try await BlockingWork.run {
      try RecordingSession.open(path, base: base, configuration: configuration, fileSystem: fileSystem)
    }
    return RecordingStore(session: session)
  }

  /// The path of the log.
  public var path: String { session.path }

  package var fileSystem: any LogFileSystem { session.fileSystem }

  package var configuration: RecordingConfiguration<M> { session.configuration }

  /// The log's last revision when it was opened, and a report of the replay. The store has the state at that revision until the first
  /// action.
  public var restored: Restoration { session.restored }

  /// The status of the log's writer.
  public var logStatus: LogStatus { session.writer.status }

  /// Whether the store can record: its log is open and has not failed. Otherwise every dispatch throws.
  public var isRecorded: Bool { session.isRecorded }

  /// The revision of the last action.
  public var revision: Int { core.revision }

  package var streamCount: Int { core.registrar.streamCount }

  /// The error of the last snapshot that could not be taken; `nil` after a success.
  public var snapshotError: (any Error)? { session.snapshotError }

  /// The error of the last checkpoint that could not be stored; `nil` after a success.
  public var checkpointError: (any Error)? { session.checkpointError }
}

extension RecordingStore: Dispatcher {
  /// Writes the action, folds it into the state, and notifies every stream.
  ///
  /// - Throws: The reducer's error; ``EventSourcingError/Code/unencodableAction``, also for an action that was found not to decode to
  ///   itself; `LogError` if the record could not be written. If the record of a refusal could not be written, that error replaces
  ///   the reducer's. The state is then unchanged, and no stream is notified.
  public func dispatch(action: M.Action) throws {
    try dispatch(action: action, meta: nil)
  }

  /// Writes the action with metadata, folds it into the state, and notifies every stream.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - meta: Metadata, added to ``RecordMeta/current`` and the configuration's.
  /// - Throws: As ``dispatch(action:)``.
  public func dispatch(action: M.Action, meta: RecordMeta?) throws {
    _ = try core.record([action], meta: meta)
  }
}

extension RecordingStore {
  /// Dispatches an action and waits until its record has reached a level.
  ///
  /// ```swift
  /// try await store.dispatch(action: .placed(order), awaiting: .synced)  // the order survives a power cut
  /// ```
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - meta: Metadata, added to ``RecordMeta/current`` and the configuration's.
  ///   - level: The level to wait for, whatever the configured durability.
  /// - Returns: The action's revision and the durability reached.
  /// - Throws: As ``dispatch(action:)``; `LogError.Code.failed` if the sync fails. The action is then part of the state; opening
  ///   the log again shows whether it is in the log.
  @discardableResult
  public func dispatch(
    action: M.Action, meta: RecordMeta? = nil, awaiting level: AwaitedDurability
  ) async throws -> LogReceipt {
    let ticket = try core.record([action], meta: meta)
    return try await session.receipt(for: ticket, level)
  }

  /// Waits until everything dispatched so far is in the log at the configured durability.
  ///
  /// - Returns: The last dispatched revision, and the durability reached.
  /// - Throws: `LogError` with code `failed` if a sync failed. Opening the log again shows which actions it has.
  public func receipt() async throws -> LogReceipt {
    try await session.receipt(for: core.lastTicket)
  }

  /// Waits until the device has everything dispatched so far, at any configured durability.
  ///
  /// - Returns: The last dispatched revision, and the durability reached.
  /// - Throws: `LogError` with code `failed` if a sync failed. Opening the log again shows which actions it has.
  @discardableResult
  public func sync() async throws -> LogReceipt {
    try await session.sync(through: core.lastTicket)
  }

  /// Writes a digest of the state and `@close`, syncs, finishes snapshots, and releases the log.
  ///
  /// Later dispatches throw `LogError.Code.closed`.
  ///
  /// - Throws: `LogError` if the end cannot be written or synced. With the code `failed`, the log is released nevertheless. With any
  ///   other code, the store keeps the log, and closing can be tried again.
  public func close() async throws {
    try await core.close()
  }

  package func settleSnapshots() async { await session.settleSnapshots() }

  /// Releases the log without further writes, as the end of the process would.
  package func abandon() async { await session.abandon() }
}

/// The level that a dispatch waits for.
public enum AwaitedDurability: Sendable, Hashable {
  /// The operating system has the record. It survives the end of the process.
  case written
  /// The device has the record. It survives a power cut; on Apple platforms only with the configured durability
  /// `Durability.full`.
  case synced
}

extension RecordingStore: ImmutableData.Selector {
  /// Applies `selector` to the current state.
  public func select<T: Sendable>(_ selector: @Sendable (M.State) -> T) -> T {
    selector(core.state)
  }
}

extension RecordingStore: Streamer {
  /// Makes a stream of all actions accepted from now on.
  public func makeStream() -> ActionStream<(oldState: M.State, action: M.Action)> {
    core.registrar.makeStream()
  }
}
