public import ActionLog
public import ImmutableData
import Platform

/// The store of a log as an actor of its own, for servers and commands: the stores of many logs work in parallel.
///
/// ```swift
/// let shop = try await LogStore<Shop>.open(at: "shop-log")
/// let receipt = try await shop.dispatch(action: .placed(order), awaiting: .synced)  // the order survives a power cut
/// ```
///
/// It writes each action to the log before it folds it into the state, as ``RecordingStore`` does for views. Several actions can be
/// one decision: after a crash, all of them are in the log, or none:
///
/// ```swift
/// try await shop.dispatch(
///   [.reserved(item), .placed(order)], expecting: revision, command: request.id, awaiting: .synced)
/// ```
///
/// A function with an `isolated` parameter reads the state, decides, and dispatches without another action in between:
///
/// ```swift
/// func place(_ order: Order, in shop: isolated LogStore<Shop>) throws {
///   guard shop.state.stock[order.item, default: 0] >= order.count else { throw ShopError.soldOut }
///   try shop.dispatch(action: .placed(order))
/// }
/// ```
///
/// No call needs a free main thread. A dispatch blocks a thread for the reducer, the encoding and one write, never for a sync.
public actor LogStore<M: Model> {
  private var core: RecordingCore<M>

  let session: RecordingSession<M>

  init(session: RecordingSession<M>) {
    self.session = session
    core = RecordingCore(session)
  }

  /// Opens or creates a log and rebuilds its state, on a thread that may block.
  ///
  /// - Parameters:
  ///   - path: The log's directory. Its parent must exist.
  ///   - base: The initial state of a **new** log. An existing log keeps its own initial state.
  ///   - configuration: The configuration of the recording.
  ///   - fileSystem: The file system that holds the log.
  /// - Throws: `LogError`, for instance `LogError.Code.locked` if another writer holds the log, or `LogError.Code.damaged`;
  ///   ``EventSourcingError`` if the log's actions do not fit the model.
  public static func open(
    at path: String,
    startingAt base: M.State? = nil,
    configuration: RecordingConfiguration<M> = RecordingConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) async throws -> LogStore {
    LogStore(
      session: try await BlockingWork.run {
        try RecordingSession.open(path, base: base, configuration: configuration, fileSystem: fileSystem)
      })
  }
}

// MARK: - State

extension LogStore {
  /// The path of the log.
  public nonisolated var path: String { session.path }

  /// The log's last revision when it was opened, and a report of the replay.
  public nonisolated var restored: Restoration { session.restored }

  /// The status of the log's writer.
  public nonisolated var logStatus: LogStatus { session.writer.status }

  /// The error of the last snapshot that could not be taken; `nil` after a success.
  public nonisolated var snapshotError: (any Error)? { session.snapshotError }

  /// The error of the last checkpoint that could not be stored; `nil` after a success.
  public nonisolated var checkpointError: (any Error)? { session.checkpointError }

  /// Whether the store can record: its log is open and has not failed. Otherwise every dispatch throws.
  public nonisolated var isRecorded: Bool { session.isRecorded }

  /// The state.
  public var state: M.State { core.state }

  /// The revision of the last action.
  public var revision: Int { core.revision }

  /// Applies `selector` to the current state, so that only a part of it leaves the actor.
  public func select<T: Sendable>(_ selector: @Sendable (M.State) -> T) -> T { selector(core.state) }

  /// Makes a stream of all actions accepted from now on, each with the state before it.
  public func makeStream() -> ActionStream<(oldState: M.State, action: M.Action)> { core.registrar.makeStream() }
}

// MARK: - Dispatching

extension LogStore {
  /// Writes the action, folds it into the state, and notifies every stream.
  ///
  /// When it returns, the action survives the end of the process. If it throws, the state is unchanged and no stream is notified.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - meta: Metadata, added to ``RecordMeta/current`` and the configuration's.
  /// - Throws: As ``RecordingStore/dispatch(action:)``.
  public func dispatch(action: M.Action, meta: RecordMeta? = nil) throws {
    _ = try core.record([action], meta: meta)
  }

  /// Dispatches an action and waits until its record has reached a level.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - meta: Metadata, added to ``RecordMeta/current`` and the configuration's.
  ///   - level: The level to wait for, whatever the configured durability.
  /// - Returns: The action's revision and the durability reached.
  /// - Throws: As ``RecordingStore/dispatch(action:meta:awaiting:)``.
  @discardableResult
  public func dispatch(
    action: M.Action, meta: RecordMeta? = nil, awaiting level: AwaitedDurability
  ) async throws -> LogReceipt {
    try await session.receipt(for: core.record([action], meta: meta), level)
  }

  /// Records the actions of one decision: all of them or none, also after a crash.
  ///
  /// A reader of the log sees all of them or none. The state changes, and streams are notified, after all of them are written.
  ///
  /// - Parameters:
  ///   - actions: The actions, at most ``decisionLimit``. Each has a line and a revision of its own. No actions record nothing.
  ///   - expected: The revision at which the decision was made. If the log is at another one, nothing is recorded.
  ///   - command: An identifier of the request that led to the decision, for instance an idempotency key. It is recorded in the
  ///     actions' ``RecordMeta/command``. If one of the last ``RecordingConfiguration/commandWindow`` actions was recorded for it, the
  ///     command is repeated: nothing is recorded, whatever the actions and the expected revision are, and the receipt has the revision
  ///     of the first time. The first command after the log was opened reads these actions.
  ///   - meta: Metadata of each action, added to ``RecordMeta/current`` and the configuration's.
  ///   - level: The level to wait for, whatever the configured durability.
  /// - Returns: The revision of the last action and the durability reached.
  /// - Throws: ``EventSourcingError/Code/conflict`` for another revision than the expected one; the reducer's error if it refuses an
  ///   action, which is recorded as `@rejected`; `LogError.Code.beyondLimit` for too many actions, or for values of more than 128 MiB;
  ///   otherwise as ``RecordingStore/dispatch(action:meta:awaiting:)``.
  @discardableResult
  public func dispatch(
    _ actions: [M.Action], expecting expected: Int? = nil, command: String? = nil, meta: RecordMeta? = nil,
    awaiting level: AwaitedDurability = .written
  ) async throws -> LogReceipt {
    let (ticket, revision) = try core.record(actions, expecting: expected, command: command, meta: meta)
    if let ticket { return try await session.receipt(for: ticket, level) }
    guard level == .synced, logStatus.syncedRevision < revision else {
      return LogReceipt(revision: revision, durability: level == .synced ? .synced : .written)
    }
    var receipt = try await session.writer.sync()
    receipt.revision = revision
    return receipt
  }

  /// Records an action without waiting for more than its write.
  ///
  /// - Returns: Its revision; for a command that was recorded before, the revision of then.
  /// - Throws: As ``dispatch(_:expecting:command:meta:awaiting:)``.
  @discardableResult
  package func record(_ action: M.Action, command: String?, meta: RecordMeta?) throws -> Int {
    try core.record([action], expecting: nil, command: command, meta: meta).revision
  }

  /// The most actions of one decision.
  public static var decisionLimit: Int { UnitRecord.limit }
}

// MARK: - Ending

extension LogStore {
  /// Waits until everything dispatched so far is in the log at the configured durability.
  ///
  /// - Returns: The last dispatched revision, and the durability reached.
  /// - Throws: `LogError` with code `failed` if a sync failed. Opening the log again shows which actions it has.
  public func receipt() async throws -> LogReceipt { try await session.receipt(for: core.lastTicket) }

  /// Waits until the device has everything dispatched so far, at any configured durability.
  ///
  /// - Returns: The last dispatched revision, and the durability reached.
  /// - Throws: As ``receipt()``.
  @discardableResult
  public func sync() async throws -> LogReceipt { try await session.sync(through: core.lastTicket) }

  /// Writes a digest of the state and `@close`, syncs, finishes snapshots, and releases the log. Later dispatches throw
  /// `LogError.Code.closed`.
  ///
  /// - Throws: `LogError` if the end cannot be written or synced. With the code `failed`, the log is released nevertheless. With any
  ///   other code, the store keeps the log, and closing can be tried again.
  public func close() async throws { try await core.close() }

  /// Releases the log without further writes, as the end of the process would.
  package func abandon() async { await session.abandon() }

  package nonisolated func settleSnapshots() async { await session.settleSnapshots() }
}
