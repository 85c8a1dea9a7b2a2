public import ActionLog
import Dispatch
public import ImmutableData
import Locking

/// The listener that appends every action a store accepts to a log.
///
/// ```swift
/// let recorder = try await Recorder<AnimalsModel>.open("my-log")
/// let store = try recorder.makeStore()  // the state of the log's last revision, recorded from here on
/// try store.dispatch(action: .ui(.categoryList(.onAppear)))
/// try await recorder.close()  // everything dispatched is on disk
/// ```
///
/// - Dispatching never waits for the disk: actions wait in the store's stream, which is unbounded and counted
///   (``status``), and are written in batches, one sync for each.
/// - The recorder uses nothing but the stream's pair of the state before and the action. `oldState` at record *n* **is**
///   revision *n* − 1, so ``listen(to:)`` refuses a store whose state is not the log's last revision.
/// - When the log takes nothing because the disk is full, the recorder keeps what is waiting, stops, tells, and goes on
///   with ``resume()``. When an action cannot be recorded at all, or a sync fails, it has failed: nothing later is
///   recorded, because a log with a hole rebuilds a state that never was.
/// - Actions that the reducer refuses never reach a listener; see ``recordRefusal(of:error:meta:)``.
///
/// While it listens, the recorder is kept alive by its own task; ``close()`` ends that.
public final class Recorder<M: Model>: Sendable {
  private let session: RecordingSession<M>
  private let contents: Locked<Contents>

  /// How many actions are encoded for one batch at most. A batch is one write and one sync; at some hundred bytes an
  /// action this is far below the writer's buffer.
  private static var batchLimit: Int { 1_024 }

  private struct Contents: Sendable {
    var phase = RecorderStatus.Phase.idle
    /// Counts the stores listened to, so that the end of an old stream is not taken for the end of the present one.
    var attachment = 0
    var task: Task<Void, Never>?
    var counts: @Sendable () -> StreamCounts = { StreamCounts() }
    var store = WeakReference()
    /// Elements of the present stream that are acknowledged.
    var recorded = 0
    var revision: Int
    var last: LastState<M>
    var flushes: [(target: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    var resumption: CheckedContinuation<Void, Never>?
  }

  private init(session: RecordingSession<M>) {
    self.session = session
    self.contents = Locked(
      Contents(revision: session.restored.revision, last: .restored(session.restored.state)))
  }

  /// Opens a log for recording, or makes one, and rebuilds its state. Blocks while it reads and syncs.
  ///
  /// - Parameters:
  ///   - path: The log's directory. Its parent must exist.
  ///   - base: The state to begin a **new** log at, for an application that already has data. It is written into the
  ///     log. A log that has a beginning keeps it.
  ///   - configuration: How to record.
  ///   - fileSystem: Where the log lies.
  /// - Throws: `LogError`, for instance `LogError.Code.locked` when another writer holds the log, or
  ///   `LogError.Code.damaged`; ``EventSourcingError`` when the log's actions do not fit the model.
  public convenience init(
    opening path: String,
    startingAt base: M.State? = nil,
    configuration: RecordingConfiguration<M> = RecordingConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws {
    self.init(
      session: try RecordingSession.open(path, base: base, configuration: configuration, fileSystem: fileSystem))
  }

  /// Opens a log for recording, or makes one, and rebuilds its state, on a thread that may block.
  ///
  /// - SeeAlso: ``init(opening:startingAt:configuration:fileSystem:)``, which says what the parameters mean.
  public static func open(
    _ path: String,
    startingAt base: M.State? = nil,
    configuration: RecordingConfiguration<M> = RecordingConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) async throws -> Recorder {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            try Recorder(opening: path, startingAt: base, configuration: configuration, fileSystem: fileSystem)
          })
      }
    }
  }
}

// MARK: - What it knows

extension Recorder {
  /// The path of the log.
  public var path: String { session.path }

  /// The state that the log stood at when it was opened, and the work that rebuilding it took.
  public var restored: Replayed<M.State> { session.restored }

  /// What opening the log found and did.
  public var opening: LogOpening { session.writer.opening }

  /// How the log's writer is doing.
  public var logStatus: LogStatus { session.writer.status }

  /// How the recorder is doing.
  public var status: RecorderStatus {
    let (phase, revision, waiting) = contents.withLock { contents in
      (contents.phase, contents.revision, contents.counts().yielded - contents.recorded)
    }
    return RecorderStatus(
      phase: phase, revision: revision, waiting: waiting, snapshotError: session.snapshotError)
  }
}

// MARK: - Listening

extension Recorder {
  /// Makes a store at the log's last revision and listens to it.
  ///
  /// - Throws: ``EventSourcingError/Code/alreadyListening`` when the recorder listens to a store already.
  @MainActor public func makeStore() throws -> Store<M.State, M.Action> {
    let last = contents.withLock { contents in contents.last }
    let store = Store(initialState: try last.state(), reducer: M.reducer)
    try listen(to: store)
    return store
  }

  /// Records everything that `store` accepts from now on.
  ///
  /// The stream is made before the call returns, so nothing dispatched afterwards is missed. Listening to the same
  /// store again does nothing.
  ///
  /// - Throws: ``EventSourcingError/Code/storeMismatch`` when the store's state is not the log's last revision: an
  ///   action that was not recorded has come between. ``EventSourcingError/Code/alreadyListening`` when actions of
  ///   another store are still waiting; ``flush()`` first. The failure, when the recorder stopped, failed or was closed.
  /// - Complexity: O(size of the state), to compare it.
  @MainActor public func listen<S>(
    to store: S
  ) throws where S: Selector<M.State> & Streamer<M.State, M.Action> & AnyObject, S.Stream: CountedStream {
    let (isSame, last, waiting, phase) = contents.withLock { contents in
      (
        contents.store.object === store, contents.last, contents.counts().yielded - contents.recorded, contents.phase
      )
    }
    switch phase {
    case .stopped(let error), .failed(let error): throw error
    case .closed: throw LogError(.closed, "the recorder was closed", path: path, advice: "Open the log again.")
    case .idle, .recording: break
    }
    guard !isSame else { return }
    guard waiting == 0 else {
      throw EventSourcingError(
        .alreadyListening, "\(waiting) actions of another store are not recorded yet", path: path,
        advice: "Await flush() before listening to a store that replaces it.")
    }
    guard store.state == (try last.state()) else { throw mismatch() }
    attach(store)
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

  @MainActor private func attach<S>(
    _ store: S
  ) where S: Selector<M.State> & Streamer<M.State, M.Action> & AnyObject, S.Stream: CountedStream {
    let stream = store.makeStream()
    let (attachment, oldTask) = contents.withLock { contents -> (Int, Task<Void, Never>?) in
      contents.attachment += 1
      contents.counts = { stream.counts }
      contents.recorded = 0
      contents.store = WeakReference(store)
      contents.phase = .recording
      return (contents.attachment, contents.task)
    }
    oldTask?.cancel()
    let task = Task.detached { [self] in
      await record(stream, attachment: attachment)
    }
    contents.withLock { contents in contents.task = task }
    session.configuration.onStatusChange?(.recording)
  }

  /// The recorder's loop: takes what is waiting, writes it, tells who waited.
  private func record<Stream: CountedStream>(
    _ stream: Stream, attachment: Int
  ) async where Stream.Element == (oldState: M.State, action: M.Action) {
    var iterator = stream.makeAsyncIterator()
    while let batch = await iterator.nextBatch(limit: Self.batchLimit) {
      do {
        try await record(batch)
      } catch {
        fail(error)
        return
      }
    }
    contents.withLock { contents in
      if contents.attachment == attachment, case .recording = contents.phase { contents.phase = .idle }
    }
  }

  /// Writes a batch. When one of its actions cannot be recorded, those before it are.
  private func record(_ batch: [(oldState: M.State, action: M.Action)]) async throws {
    let start = contents.withLock { contents in contents.revision }
    var units: [[LogDraft]] = []
    var points: [SnapshotPoint] = []
    var failure: (any Error)?
    for (index, (oldState, action)) in batch.enumerated() {
      let next: @Sendable () -> LastState<M> = {
        index + 1 < batch.count ? .restored(batch[index + 1].oldState) : .after(oldState, action)
      }
      do {
        let form = try session.form(of: action)
        // An action that was accepted once is accepted again: the reducer is a pure function.
        let records = try session.records(of: action, form: form, revision: start + index + 1) {
          next().stateOfAcceptedAction
        }
        try LogWriter.check(records.drafts)
        units.append(records.drafts)
        if let point = records.snapshot { points.append(point) }
      } catch {
        failure = error
        break
      }
    }
    if !units.isEmpty {
      try await append(units, after: start)
      acknowledge(batch[..<units.count], revision: start + units.count)
      for point in points { session.publish(point) }
    }
    if let failure { throw failure }
  }

  /// Appends one unit for each action until the log has taken them all; while it takes nothing, waits to be resumed.
  ///
  /// Each action is a unit of its own, so that segments roll where they are full, but all of them share the writer's
  /// batches and syncs.
  ///
  /// - Parameter start: The revision before the first of them.
  private func append(_ units: [[LogDraft]], after start: Int) async throws(LogError) {
    let writer = session.writer
    var taken = 0
    while true {
      do throws(LogError) {
        var last: LogTicket?
        for unit in units[taken...] {
          // Each unit names the one it follows, so that none slips in behind one that was rejected meanwhile.
          var ticket = try writer.offer(unit, following: last)
          while ticket == nil {
            _ = try await writer.flush()
            ticket = try writer.offer(unit, following: last)
          }
          last = ticket
        }
        if let last { _ = try await writer.durable(through: last) } else { _ = try await writer.flush() }
        return
      } catch {
        switch error.code {
        case .noSpace, .rejected, .inputOutput:
          // What was written before the rejected part stays in the log; the writer stands behind it.
          taken = writer.status.lastSeq - start
          await stop(error)
        default: throw error
        }
      }
    }
  }
}

// MARK: - Waiting, stopping, ending

extension Recorder {
  private func acknowledge(_ batch: ArraySlice<(oldState: M.State, action: M.Action)>, revision: Int) {
    let done = contents.withLock { contents in
      contents.recorded += batch.count
      contents.revision = revision
      if let last = batch.last { contents.last = .after(last.oldState, last.action) }
      let recorded = contents.recorded
      let done = contents.flushes.filter { flush in flush.target <= recorded }.map(\.continuation)
      contents.flushes.removeAll { flush in flush.target <= recorded }
      return done
    }
    for continuation in done { continuation.resume() }
  }

  /// Keeps what is waiting, tells, and returns when ``resume()`` is called.
  private func stop(_ error: LogError) async {
    await withCheckedContinuation { (resumption: CheckedContinuation<Void, Never>) in
      let waiting = contents.withLock { contents in
        contents.phase = .stopped(error)
        contents.resumption = resumption
        defer { contents.flushes = [] }
        return contents.flushes.map(\.continuation)
      }
      for continuation in waiting { continuation.resume(throwing: error) }
      session.configuration.onStatusChange?(.stopped(error))
    }
  }

  private func fail(_ error: any Error) {
    let waiting = contents.withLock { contents in
      contents.phase = .failed(error)
      contents.task = nil
      defer { contents.flushes = [] }
      return contents.flushes.map(\.continuation)
    }
    for continuation in waiting { continuation.resume(throwing: error) }
    session.configuration.onStatusChange?(.failed(error))
  }

  /// Goes on after the log took nothing: tries the actions that are waiting again. Otherwise does nothing.
  public func resume() {
    let resumption = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
      guard let resumption = contents.resumption else { return nil }
      contents.resumption = nil
      contents.phase = .recording
      return resumption
    }
    guard let resumption else { return }
    session.configuration.onStatusChange?(.recording)
    resumption.resume()
  }

  /// Waits until everything that the store accepted before the call is in the log, at the configured durability.
  ///
  /// - Returns: The revision and the durability reached.
  /// - Throws: The failure, when the recorder stopped or failed; what is waiting is then kept (stopped) or lost to the
  ///   log (failed).
  @discardableResult
  public func flush() async throws -> LogReceipt {
    let target = contents.withLock { contents in contents.counts().yielded }
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let outcome = contents.withLock { contents -> Result<Void, any Error>? in
        switch contents.phase {
        case .stopped(let error), .failed(let error): return .failure(error)
        case .closed, .idle, .recording: break
        }
        guard contents.recorded < target else { return .success(()) }
        contents.flushes.append((target: target, continuation: continuation))
        return nil
      }
      if let outcome { continuation.resume(with: outcome) }
    }
    return try await session.writer.flush()
  }

  /// Drains, writes `@close`, syncs, finishes snapshots, and gives the log back. Closing twice does nothing more.
  ///
  /// A recorder that stopped tries again first; when it stops again, `close()` throws and nothing is given up.
  ///
  /// - Throws: The failure; the log can then be opened again, and recovers what it holds.
  public func close() async throws {
    if case .closed = status.phase { return }
    resume()
    do {
      try await flush()
    } catch {
      if case .failed = status.phase { await abandon() }
      throw error
    }
    await session.finishSnapshots()
    try await session.writer.close()
    end()
  }

  /// Ends recording without draining: what is waiting is not recorded. The log can be opened again at once.
  public func abandon() async {
    end()
    await session.finishSnapshots()
    session.writer.abandon()
  }

  private func end() {
    let (task, resumption) = contents.withLock { contents in
      contents.phase = .closed
      contents.counts = { StreamCounts() }
      contents.recorded = 0
      defer {
        contents.task = nil
        contents.resumption = nil
      }
      return (contents.task, contents.resumption)
    }
    task?.cancel()
    resumption?.resume()
    session.configuration.onStatusChange?(.closed)
  }

  /// Records an action that the store refused, as a `@rejected` record, which no replay folds.
  ///
  /// A refused action never reaches a listener, so whoever dispatches says it. It stands behind everything that was
  /// accepted before the call.
  ///
  /// - Returns: Whether it was recorded; `false` when the limit of the policy is reached, which counts it.
  /// - Throws: As ``flush()``.
  @discardableResult
  public func recordRefusal(of action: M.Action, error: any Error, meta: RecordMeta? = nil) async throws -> Bool {
    try await flush()
    guard let draft = try session.refusal(of: action, error: error, meta: meta) else { return false }
    _ = try await session.writer.append([draft])
    return true
  }
}
