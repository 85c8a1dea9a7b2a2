import ActionLog
import JSONCoding
import Platform

/// The part that a ``Recorder``, a ``RecordingStore`` and a ``LogStore`` share: the open log, the rebuilt state, and the records and snapshots that
/// an action leads to.
final class RecordingSession<M: Model>: Sendable {
  let path: String
  let writer: LogWriter
  let restored: Restoration
  let configuration: RecordingConfiguration<M>
  let fileSystem: any LogFileSystem
  let progress: RecordingProgress

  /// The rebuilt state, until it is taken: the store has it then, and an open log has one state in memory, not two.
  private let restoredState: Locked<M.State?>
  private let fingerprint: String
  private let coder = ActionCoder<M.Action>()
  private let sample = Locked(RoundTripSample())
  private let isSnapshotChecked = Locked(false)
  private let states = StateCoder<M.State>()
  private let bookkeeping: Locked<SnapshotBookkeeping>
  let refusals: Locked<RefusalLimiter>
  private let publisher: SnapshotPublisher
  /// `nil` if no checkpoints are stored.
  let checkpoints: CheckpointPublisher?
  private let constantMeta: [UInt8]?

  private init(
    path: String, writer: LogWriter, restored: Replayed<M.State>, configuration: RecordingConfiguration<M>,
    fileSystem: any LogFileSystem, fingerprint: String, bookkeeping: SnapshotBookkeeping, publisher: SnapshotPublisher
  ) {
    self.fileSystem = fileSystem
    progress = RecordingProgress(writer)
    self.path = path
    self.writer = writer
    self.restored = Restoration(revision: restored.revision, report: restored.report)
    restoredState = Locked(restored.state)
    self.configuration = configuration
    self.fingerprint = fingerprint
    self.bookkeeping = Locked(bookkeeping)
    self.refusals = Locked(RefusalLimiter(policy: configuration.refusals))
    self.publisher = publisher
    checkpoints = CheckpointPublisher(
      configuration.checkpoints, writer, schedule: configuration.log.environment.schedule, fileSystem: fileSystem,
      onError: { error in configuration.notify(.checkpointFailed(error, log: path)) })
    constantMeta = configuration.meta.bytes
  }

  func takeRestoredState() -> M.State {
    let state = restoredState.withLock { state in
      defer { state = nil }
      return state
    }
    guard let state else { preconditionFailure("the state of a session is taken once") }
    return state
  }

  var snapshotError: (any Error)? { publisher.lastError }

  var checkpointError: (any Error)? { checkpoints?.lastError }
}

// MARK: - Opening

extension RecordingSession {
  /// Opens and recovers the log, replays it to its last revision, and writes the initial records of a new log. Blocks.
  static func open(
    _ path: String, base: M.State?, configuration: RecordingConfiguration<M>, fileSystem: any LogFileSystem
  ) throws -> RecordingSession {
    try M.requireOwnState(for: "a recording", path: path)
    if case .freezeBase(let newPath) = configuration.onDivergence,
      try successor(of: path, at: newPath, fileSystem: fileSystem)
    {
      var configuration = configuration
      configuration.onDivergence = .useFold
      return try open(newPath, base: nil, configuration: configuration, fileSystem: fileSystem)
    }
    let fingerprint = try M.fingerprint()
    // Report a broken evolution before touching the log.
    let chain = try SchemaChain(M.evolution, schema: M.schema, model: M.name)
    let writer = try LogWriter.open(
      at: path, model: M.name, schema: M.schema, fileSystem: fileSystem, configuration: configuration.log)
    // The tail was moved even if a later step of opening fails.
    if let recovered = writer.opening.recovered { configuration.notify(.tornTailCut(recovered, log: path)) }
    do {
      try InitialRecords<M>.write(
        base: base, fingerprint: fingerprint, path: path, writer: writer, fileSystem: fileSystem, chain: chain)
      let uptime = configuration.log.environment.uptime
      let begin = uptime()
      let history = try History<M>(at: path, fileSystem: fileSystem)
      if writer.opening.finishedRedaction { redactParked(history.reader, fileSystem) }
      let foldBegin = Locked<Duration?>(nil)
      let restored = try restore(history, through: writer.opening.lastRevision, configuration.onDivergence) {
        foldBegin.withLock { foldBegin in foldBegin = foldBegin ?? uptime() }
      }
      if case .freezeBase(let newPath) = configuration.onDivergence, !restored.report.divergences.isEmpty {
        return try freeze(history, restored, into: newPath, writer, configuration, fileSystem)
      }
      if let divergence = restored.report.divergences.last {
        configuration.notify(.digestMismatch(divergence, log: path))
      }
      let end = uptime()
      let report = restored.report
      writer.events?.send(
        .restored(
          revision: restored.revision, snapshot: report.snapshotsLoaded > 0 ? report.startRevision : nil,
          actions: report.actionsFolded, duration: end - begin))
      let loaded = foldBegin.withLock { foldBegin in foldBegin } ?? end
      let publisher = SnapshotPublisher(
        of: writer.path, writer, snapshots: SnapshotStore(at: path, fileSystem: fileSystem),
        retention: configuration.retention,
        // The lock excludes another redaction, and `@open` is after the newest one, so that it is complete.
        template: try history.snapshotTemplate(redaction: history.reader.redactionList().newestFinishedIndex()),
        events: writer.events, onFirstError: { error in configuration.notify(.snapshotFailed(error, log: path)) })
      publisher.removeUnfinished()
      // A model without a fingerprint uses no snapshot, and its recorder continues with the last one that it took.
      let last =
        M.isIdentified
        ? (report.snapshotsLoaded > 0 ? report.startRevision : nil) : report.snapshotsRefused.first?.revision
      let bookkeeping = SnapshotBookkeeping(
        report: report, loading: loaded - begin, folding: end - loaded,
        last: last.map { revision in (revision, publisher.size(at: revision)) })
      return RecordingSession(
        path: history.path, writer: writer, restored: restored, configuration: configuration, fileSystem: fileSystem,
        fingerprint: fingerprint, bookkeeping: bookkeeping, publisher: publisher)
    } catch {
      // Release the log. The error to report is the first one.
      do { try writer.closeNow() } catch {}
      throw error
    }
  }

  /// Redacts the parked actions of subscriptions, as the redaction would have done that opening the log has completed.
  private static func redactParked(_ reader: LogReader, _ fileSystem: any LogFileSystem) {
    do {
      _ = try SubscriptionStore(at: reader.path, fileSystem: fileSystem).redactParked(of: reader, erasing: [])
    } catch {
      // The log can be recorded all the same. A consumer redacts its parked actions when it starts, and `redact --finish` those of all.
    }
  }

  private static func digestDraft(_ digest: StateDigest, fingerprint: String) -> LogDraft {
    LogDraft(DigestRecord(state: digest.hexadecimal, reducer: fingerprint))
  }
}

// MARK: - Actions

extension RecordingSession {
  func form(of action: M.Action) throws(EventSourcingError) -> ActionForm {
    do {
      return try coder.encode(action)
    } catch {
      throw unencodable(error)
    }
  }

  /// Checks that an action decodes to itself if the sample includes it.
  func check(_ action: M.Action, _ form: ActionForm) throws(EventSourcingError) {
    var type = form.type
    do {
      try type.withUTF8 { type in
        let type = UnsafeRawBufferPointer(type)
        guard sample.withLock({ sample in sample.includes(type) }) else { return }
        try form.data.withUnsafeBytes { data in try coder.check(action, type: type, data: data) }
      }
    } catch {
      throw unencodable(error)
    }
  }

  func unencodable(_ error: any Error) -> EventSourcingError {
    guard let fault = error as? RoundTripFault else {
      return EventSourcingError(
        .unencodableAction, "an action cannot be encoded", path: path,
        advice: "Every value of an action must be Codable and within the limits of the log format.", underlying: error)
    }
    let type = JSONPointer.excerpt(of: fault.type)
    return EventSourcingError(
      .unencodableAction,
      fault.isDecoded
        ? "an action of type '\(type)' decodes to another action" : "an action of type '\(type)' does not decode again",
      path: path, intact: "It was not recorded.",
      advice: "Correct the Codable conformance of its values, so that each decodes to an equal one.", underlying: fault)
  }

  /// Returns the metadata of an action: the configuration's constants, then those of its closure, then those of the caller.
  func meta(of action: M.Action, adding meta: RecordMeta? = nil) -> [UInt8]? {
    if meta == nil, configuration.metaOfAction == nil { return constantMeta }
    return configuration.meta.merging(configuration.metaOfAction?(action)).merging(meta).bytes
  }

  /// Whether ``meta(of:adding:)`` returns the same for every action, so that it is checked once.
  var isMetaConstant: Bool { configuration.metaOfAction == nil }

  /// The digest and the snapshot that are due after an action.
  struct Due: Sendable {
    var revision: Int
    var takesSnapshot: Bool
    var takesDigest: Bool

    var isNothing: Bool { !takesSnapshot && !takesDigest }

    /// Adds what is due after a later action of the same unit.
    mutating func merge(_ later: Due) {
      revision = later.revision
      takesSnapshot = takesSnapshot || later.takesSnapshot
      takesDigest = takesDigest || later.takesDigest
    }
  }

  /// Counts an action that is about to be written, and decides whether a digest or a snapshot is due after it.
  func due(at revision: Int, bytes: Int, state: @escaping @Sendable () -> M.State) -> Due {
    let occasion = bookkeeping.withLock { bookkeeping in
      bookkeeping.count(bytes: bytes)
      return bookkeeping.occasion(at: revision, state: state)
    }
    // A state that lacks actions of unknown types is only this program's view.
    let isComplete = restored.report.opaqueRecords == 0
    let takesSnapshot = isComplete && configuration.snapshots.isDue(at: occasion)
    let takesDigest = isComplete && configuration.digests.isDue(at: revision, withSnapshot: takesSnapshot)
    return Due(revision: revision, takesSnapshot: takesSnapshot, takesDigest: takesDigest)
  }

  /// Decides whether a digest or a snapshot is due after an action whose record was made.
  func due(with draft: LogDraft, at revision: Int, leadingTo last: LastState<M>) -> Due {
    let bytes = draft.type.utf8.count + draft.data.count + (draft.meta?.count ?? 0)
    return due(at: revision, bytes: bytes) { last.stateOfAcceptedAction }
  }

  typealias ActionRecords = (drafts: [LogDraft], snapshot: SnapshotPoint?)

  /// Returns the records of an action: its line, and a digest if one is due.
  ///
  /// A digest immediately follows its action, so the state is encoded here, and the encoding is used for the snapshot as well. The
  /// state of a snapshot without a digest is only retained here and encoded later, in the background.
  ///
  /// If the state cannot be computed or encoded, the action is recorded without digest and snapshot, and ``snapshotError`` reports
  /// it.
  func records(of draft: LogDraft, _ due: Due, leadingTo last: LastState<M>) -> ActionRecords {
    guard !due.isNothing else { return (drafts: [draft], snapshot: nil) }
    guard due.takesDigest else {
      bookkeeping.withLock { bookkeeping in bookkeeping.restartCount() }
      return (
        drafts: [draft],
        snapshot: SnapshotPoint(revision: due.revision, sizeBytes: nil) { [self] in
          let state = try last.state()
          return try checked(try states.canonicalBytes(of: state), of: state)
        }
      )
    }
    let state: [UInt8]
    do {
      state = try states.canonicalBytes(of: try last.state())
    } catch {
      publisher.note(error)
      bookkeeping.withLock { bookkeeping in bookkeeping.restartCount() }
      return (drafts: [draft], snapshot: nil)
    }
    let digest = Self.digestDraft(StateDigest(canonicalBytes: state), fingerprint: fingerprint)
    bookkeeping.withLock { bookkeeping in bookkeeping.tookDigest() }
    guard due.takesSnapshot else { return (drafts: [draft, digest], snapshot: nil) }
    bookkeeping.withLock { bookkeeping in bookkeeping.tookSnapshot(ofBytes: state.count) }
    // A state that waits to be checked is kept in memory.
    let unchecked = checksSnapshots ? last : nil
    let point = SnapshotPoint(revision: due.revision, sizeBytes: state.count) { [self] in
      try unchecked.map { last in try checked(state, of: last.state()) } ?? state
    }
    return (drafts: [draft, digest], snapshot: point)
  }

  /// Whether snapshots are checked to decode to their states: in a debug build all, otherwise until one has passed.
  private var checksSnapshots: Bool {
    #if DEBUG
    true
    #else
    !isSnapshotChecked.withLock { isChecked in isChecked }
    #endif
  }

  private func checked(_ bytes: [UInt8], of state: M.State) throws -> [UInt8] {
    guard checksSnapshots else { return bytes }
    try states.check(bytes, of: state)
    isSnapshotChecked.withLock { isChecked in isChecked = true }
    return bytes
  }

  /// The counts that snapshots depend on, restored if the records of an action are not written.
  var snapshotBookkeeping: SnapshotBookkeeping {
    get { bookkeeping.withLock { bookkeeping in bookkeeping } }
    set { bookkeeping.withLock { bookkeeping in bookkeeping = newValue } }
  }
}

// MARK: - Ending

extension RecordingSession {
  /// Writes a snapshot in the background. A failure is kept in ``snapshotError`` and does not affect the log.
  func publish(_ point: SnapshotPoint) {
    publisher.publish(
      point,
      onEncoding: { [self] sizeBytes in
        bookkeeping.withLock { bookkeeping in bookkeeping.lastSnapshotBytes = sizeBytes }
      })
  }

  /// Runs long work off the cooperative pool: encoding a state of 100 000 entities takes a tenth of a second.
  func inBackground<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await writer.resources.run(work)
  }

  /// Finishes snapshots, writes a digest of the last state and `@close`, and releases the log.
  ///
  /// The digest is omitted if this session recorded no action after the last one, or if the policy asks only for the digest at
  /// revision 0. An earlier session that did not close may have had another state, so this session writes no digest for it.
  /// It is also omitted if an action was recorded after `revision`: encoding the state takes time, and the store can accept
  /// actions until the log is closed.
  func close(at last: LastState<M>, _ revision: Int) async throws(LogError) {
    await publisher.finish()
    await checkpoints?.finish()
    if let digest = await closingDigest(of: last) {
      do throws(LogError) { _ = try writer.enqueue(digest, ifLastRevisionIs: revision) } catch {
        // Closing reports the failure of the writer.
      }
    }
    do throws(LogError) { try await writer.close() } catch {
      publisher.resume()
      checkpoints?.resume()
      throw error
    }
    bookkeeping.withLock { bookkeeping in bookkeeping.tookDigest() }
    progress.end()
    await checkpoints?.storeLast()
  }

  private func closingDigest(of last: LastState<M>) async -> LogDraft? {
    guard recordsDigests, bookkeeping.withLock({ bookkeeping in bookkeeping.needsDigest }) else { return nil }
    return await inBackground { [self] in
      do {
        let state = try states.canonicalBytes(of: try last.state())
        return Self.digestDraft(StateDigest(canonicalBytes: state), fingerprint: fingerprint)
      } catch {
        // The digest is optional.
        publisher.note(error)
        return nil
      }
    }
  }

  /// Whether digests are written after revision 0. A state that lacks actions of unknown types is only this program's view.
  private var recordsDigests: Bool {
    restored.report.opaqueRecords == 0 && configuration.digests != .onlyAtStart
  }

  func settleSnapshots() async { await publisher.settle() }

  /// Finishes snapshots, and releases the log without further writes.
  func abandon() async {
    await publisher.finish()
    await checkpoints?.finish()
    // Waits for a write or sync in progress.
    await writer.resources.run { [writer] in writer.abandon() }
    progress.end()
  }
}
