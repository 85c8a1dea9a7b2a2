public import ActionLog
import Dispatch
public import ImmutableData

/// A store that writes each action before anybody sees its effect.
///
/// `dispatch(action:)` encodes the action, reduces into a new value, writes one record, and only then publishes the new
/// state, in that order: when it returns, the action survives the process (level `flush`). A write that fails throws
/// and leaves the state as it was, so state and log never disagree; the next dispatch can succeed. A sync that fails
/// makes store and log `failed`. Actions that the reducer refuses are recorded as `@rejected`.
///
/// It costs a system call for each action. A ``Recorder`` beside a `Store` is the cheaper, asynchronous form.
///
/// Snapshots are encoded and written in the background. A digest stands right behind its action, so one that is due is
/// computed by the dispatch that it is due at; with a large state choose ``DigestPolicy/onlyAtStart`` and dispatch never
/// waits for an encoding.
@MainActor public final class RecordingStore<M: Model>: Sendable {
  /// The model's state.
  public typealias State = M.State
  /// The model's action.
  public typealias Action = M.Action

  private let session: RecordingSession<M>
  private let registrar = StreamRegistrar<(oldState: M.State, action: M.Action)>()
  private var currentState: M.State
  private var lastTicket: LogTicket?

  private init(session: RecordingSession<M>) {
    self.session = session
    self.currentState = session.restored.state
  }

  /// Opens a log, or makes one, and rebuilds its state. Blocks while it reads and syncs.
  ///
  /// - Parameters:
  ///   - path: The log's directory. Its parent must exist.
  ///   - base: The state to begin a **new** log at. A log that has a beginning keeps it.
  ///   - configuration: How to record.
  ///   - fileSystem: Where the log lies.
  /// - Throws: `LogError`, ``EventSourcingError``.
  public convenience init(
    opening path: String,
    startingAt base: M.State? = nil,
    configuration: RecordingConfiguration<M> = RecordingConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws {
    self.init(
      session: try RecordingSession.open(path, base: base, configuration: configuration, fileSystem: fileSystem))
  }

  /// Opens a log, or makes one, and rebuilds its state, on a thread that may block.
  ///
  /// - Parameters:
  ///   - path: The log's directory. Its parent must exist.
  ///   - base: The state to begin a **new** log at. A log that has a beginning keeps it.
  ///   - configuration: How to record.
  ///   - fileSystem: The file system that holds the log.
  /// - Throws: As ``init(opening:startingAt:configuration:fileSystem:)``.
  /// - Complexity: That of rebuilding the last state: O(distance to the newest usable snapshot).
  public static func open(
    _ path: String,
    startingAt base: M.State? = nil,
    configuration: RecordingConfiguration<M> = RecordingConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) async throws -> RecordingStore {
    let session = try await OffPool.run {
      try RecordingSession.open(path, base: base, configuration: configuration, fileSystem: fileSystem)
    }
    return RecordingStore(session: session)
  }

  /// The path of the log.
  public var path: String { session.path }

  /// The state that the log stood at when it was opened, and the work that rebuilding it took.
  public var restored: Replayed<M.State> { session.restored }

  /// How the log is doing.
  public var logStatus: LogStatus { session.writer.status }

  /// Whether the store can record: its log is open and has not failed. Otherwise every dispatch throws.
  public var isRecorded: Bool {
    let status = logStatus
    return !status.isClosed && status.failure == nil
  }

  /// Why the last snapshot could not be taken; `nil` when it could.
  public var snapshotError: (any Error)? { session.snapshotError }
}

extension RecordingStore: Dispatcher {
  /// Writes the action, folds it into the state, tells every stream.
  ///
  /// - Throws: The reducer's error; ``EventSourcingError/Code/unencodableAction``; `LogError` when the record could
  ///   not be written, also that of a refusal, in place of the reducer's error. The state is then unchanged and no stream is told.
  public func dispatch(action: M.Action) throws {
    try dispatch(action: action, meta: nil)
  }

  /// Writes the action with what is known of it, folds it into the state, tells every stream.
  ///
  /// - Parameters:
  ///   - action: What happened.
  ///   - meta: Who caused it; added to ``RecordMeta/current`` and the configuration's.
  /// - Throws: As ``dispatch(action:)``.
  public func dispatch(action: M.Action, meta: RecordMeta?) throws {
    _ = try record(action, meta: meta)
  }

  /// Dispatches an action.
  ///
  /// - Returns: Its place in the log.
  private func record(_ action: M.Action, meta: RecordMeta?) throws -> LogTicket {
    let meta = RecordMeta.current.map { current in current.merging(meta) } ?? meta
    let form = try session.form(of: action)
    let oldState = currentState
    let next: M.State
    do {
      next = try M.reducer(oldState, action)
    } catch {
      try recordRefusal(of: action, form: form, error: error, meta: meta)
      throw error
    }
    let bookkeeping = session.snapshotBookkeeping
    let ticket: LogTicket
    let records: RecordingSession<M>.ActionRecords
    do {
      let last = LastState<M>.restored(next)
      let draft = LogDraft(form, meta: session.meta(of: action, adding: meta))
      let due = session.due(with: draft, at: session.writer.status.lastSeq + 1, leadingTo: last)
      records = session.records(of: draft, due, leadingTo: last)
      ticket = try session.writer.write(records.drafts)
    } catch {
      session.snapshotBookkeeping = bookkeeping
      throw error
    }
    lastTicket = ticket
    currentState = next
    registrar.yield((oldState: oldState, action: action))
    if let point = records.snapshot { session.publish(point) }
    return ticket
  }

  private func recordRefusal(of action: M.Action, form: ActionForm, error: any Error, meta: RecordMeta?) throws {
    guard let refusal = session.refusal(of: action, form: form, error: error, meta: meta) else { return }
    do {
      lastTicket = try session.writer.write([refusal.draft])
    } catch {
      session.lose(refusal)
      throw error
    }
  }

  /// Runs `thunk` with the store as dispatcher and as selector.
  ///
  /// - Throws: What `thunk` throws.
  public func dispatch(thunk: @Sendable (RecordingStore, RecordingStore) throws -> Void) rethrows {
    try thunk(self, self)
  }

  /// Runs an asynchronous `thunk` with the store as dispatcher and as selector.
  ///
  /// - Throws: What `thunk` throws.
  public func dispatch(
    thunk: @Sendable (RecordingStore, RecordingStore) async throws -> Void
  ) async rethrows {
    try await thunk(self, self)
  }
}

extension RecordingStore {
  /// Dispatches an action and waits until it is durable.
  ///
  /// - Returns: The action's revision and the durability reached.
  /// - Throws: As ``dispatch(action:)``; `LogError.Code.failed` when the sync fails: the action then is in the state,
  ///   and whether it is in the log is known when the log is opened again.
  @discardableResult
  public func dispatch(durably action: M.Action, meta: RecordMeta? = nil) async throws -> LogReceipt {
    try await session.writer.durable(through: try record(action, meta: meta))
  }

  /// Waits until everything dispatched so far is in the log at the configured durability.
  ///
  /// - Returns: The last revision that was dispatched, and the durability reached.
  /// - Throws: `LogError` with code `failed` when a sync failed: what of it is in the log is known when it is opened again.
  @discardableResult
  public func flush() async throws -> LogReceipt {
    guard let lastTicket else { return try await session.writer.flush() }
    return try await session.writer.durable(through: lastTicket)
  }

  /// Writes a digest of the state and `@close`, syncs, finishes snapshots, and releases the log.
  ///
  /// Later dispatches throw `LogError.Code.closed`.
  ///
  /// - Throws: `LogError` when the end cannot be written or synced. The log is given back all the same.
  public func close() async throws {
    try await session.close(at: .restored(currentState))
  }

  /// Returns when every snapshot asked for so far is written or has failed.
  package func settleSnapshots() async { await session.settleSnapshots() }

  /// Gives the log back as it is, as the end of the process would.
  package func abandon() async { await session.abandon() }
}

extension RecordingStore: ImmutableData.Selector {
  /// Applies `selector` to the current state.
  public func select<T: Sendable>(_ selector: @Sendable (M.State) -> T) -> T {
    selector(currentState)
  }
}

extension RecordingStore: Streamer {
  /// Makes a stream of everything that is accepted from now on.
  public func makeStream() -> ActionStream<(oldState: M.State, action: M.Action)> {
    registrar.makeStream()
  }
}
