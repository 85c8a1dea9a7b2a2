import ActionLog
import JSONCoding
import Platform

/// What a ``Recorder`` and a ``RecordingStore`` share: the open log, the rebuilt state, and how an action becomes
/// records and now and then a snapshot.
final class RecordingSession<M: Model>: Sendable {
  let path: String
  let writer: LogWriter
  let restored: Replayed<M.State>
  let configuration: RecordingConfiguration<M>

  private let fingerprint: String
  private let coder = ActionCoder<M.Action>()
  private let states = StateCoder<M.State>()
  private let bookkeeping: Locked<SnapshotBookkeeping>
  private let refusals: Locked<RefusalLimiter>
  private let publisher: SnapshotPublisher
  /// What is said of every action.
  private let constantMeta: [UInt8]?

  private init(
    path: String, writer: LogWriter, restored: Replayed<M.State>, configuration: RecordingConfiguration<M>,
    fingerprint: String, bookkeeping: SnapshotBookkeeping, publisher: SnapshotPublisher
  ) {
    self.path = path
    self.writer = writer
    self.restored = restored
    self.configuration = configuration
    self.fingerprint = fingerprint
    self.bookkeeping = Locked(bookkeeping)
    self.refusals = Locked(RefusalLimiter(policy: configuration.refusals))
    self.publisher = publisher
    constantMeta = configuration.meta.bytes
  }

  /// Why the last snapshot could not be taken.
  var snapshotError: (any Error)? { publisher.lastError }
}

// MARK: - Opening

extension RecordingSession {
  /// Takes the log, recovers it, rebuilds the state at its end, and writes what stands at revision 0. Blocks.
  static func open(
    _ path: String, base: M.State?, configuration: RecordingConfiguration<M>, fileSystem: any LogFileSystem
  ) throws -> RecordingSession {
    if case .freezeBase(let newPath) = configuration.onDivergence,
      try successor(of: path, at: newPath, fileSystem: fileSystem)
    {
      var configuration = configuration
      configuration.onDivergence = .useFold
      return try open(newPath, base: nil, configuration: configuration, fileSystem: fileSystem)
    }
    let fingerprint = try M.fingerprint()
    // A broken evolution is told before the log is touched.
    let chain = try SchemaChain(M.evolution, schema: M.schema, model: M.name)
    let writer = try LogWriter.open(
      path, model: M.name, schema: M.schema, fileSystem: fileSystem, configuration: configuration.log)
    // Whatever comes of the opening, this has happened.
    if let recovered = writer.opening.recovered { configuration.onNotice?(.tornTailCut(recovered, log: path)) }
    do {
      try writeStart(
        base: base, fingerprint: fingerprint, path: path, writer: writer, fileSystem: fileSystem, chain: chain)
      let clock = ContinuousClock()
      let begin = clock.now
      let history = try History<M>(path, fileSystem: fileSystem)
      let restored = try restore(history, through: writer.opening.lastSeq, configuration.onDivergence)
      if case .freezeBase(let newPath) = configuration.onDivergence, !restored.report.divergences.isEmpty {
        return try freeze(history, restored, into: newPath, writer, configuration, fileSystem)
      }
      let duration = clock.now - begin
      let snapshots = SnapshotStore(log: path, fileSystem: fileSystem)
      let publisher = SnapshotPublisher(
        writer: writer, snapshots: snapshots, retention: configuration.retention, fileSystem: fileSystem,
        identity: SnapshotPublisher.Identity(model: M.name, schema: M.schema) { revision in
          try history.identity.text(at: revision, in: history)
        },
        onFirstError: { [onNotice = configuration.onNotice] error in onNotice?(.snapshotFailed(error, log: path)) })
      publisher.removeUnfinished()
      let bookkeeping = SnapshotBookkeeping(
        report: restored.report, duration: duration,
        lastSnapshotBytes: restored.report.snapshotsLoaded > 0 ? publisher.size(at: restored.report.startRevision) : nil
      )
      return RecordingSession(
        path: path, writer: writer, restored: restored, configuration: configuration, fingerprint: fingerprint,
        bookkeeping: bookkeeping, publisher: publisher)
    } catch {
      // The log was opened and is given back; the error that counts is the one that is thrown on.
      do { try writer.closeNow() } catch {}
      throw error
    }
  }

  /// Writes the state that a new log begins at, and its digest.
  ///
  /// A crash can come between the first segment and these records, so what is there decides, not who made the log.
  static func writeStart(
    base: M.State?, fingerprint: String, path: String, writer: LogWriter, fileSystem: any LogFileSystem,
    chain: SchemaChain
  ) throws {
    guard writer.opening.lastSeq == 0 else { return }
    var types: Set<ControlType> = []
    var start = M.initialState
    var records = try LogReader.open(path, fileSystem: fileSystem).records(from: 0)
    while let record = try records.next(), record.isControl {
      guard let type = record.controlType else { continue }
      types.insert(type)
      if type == .base { start = try decodeBase(M.self, from: record, chain) }
    }
    guard !types.contains(.digest) else { return }
    if let base, !types.contains(.base) { start = base }
    var drafts = try startDrafts(start, fingerprint: fingerprint)
    if types.contains(.base) { drafts.removeAll { draft in draft.type == ControlType.base.rawValue } }
    _ = try writer.write(drafts)
    _ = try writer.sync()
  }

  /// What a log begins with that begins at a state.
  static func startDrafts(_ state: M.State, fingerprint: String) throws -> [LogDraft] {
    var drafts: [LogDraft] = []
    if !areSame(state, M.initialState) {
      drafts.append(LogDraft(try BaseRecord(state)))
    }
    return drafts + [digestDraft(StateDigest(canonicalBytes: try canonicalBytes(of: state)), fingerprint: fingerprint)]
  }

  private static func digestDraft(_ digest: StateDigest, fingerprint: String) -> LogDraft {
    LogDraft(DigestRecord(state: digest.hexadecimal, reducer: fingerprint))
  }
}

// MARK: - Actions

extension RecordingSession {
  /// The stored form of an action.
  func form(of action: M.Action) throws(EventSourcingError) -> ActionForm {
    do {
      return try coder.encode(action)
    } catch {
      throw unencodable(error)
    }
  }

  /// What is said of an action that cannot be encoded.
  func unencodable(_ error: any Error) -> EventSourcingError {
    EventSourcingError(
      .unencodableAction,
      "an action cannot be encoded",
      path: path,
      advice: "Every value of an action must be Codable and within the limits of the log format.",
      underlying: error
    )
  }

  /// What is said of an action: the configuration's constants, then its closure, then what the caller adds.
  func meta(of action: M.Action, adding meta: RecordMeta? = nil) -> [UInt8]? {
    if meta == nil, configuration.metaOfAction == nil { return constantMeta }
    return configuration.meta.merging(configuration.metaOfAction?(action)).merging(meta).bytes
  }

  /// Whether ``meta(of:adding:)`` says the same of every action, so that it is checked once.
  var isMetaConstant: Bool { configuration.metaOfAction == nil }

  /// What is due with an action.
  struct Due: Sendable {
    var revision: Int
    var takesSnapshot: Bool
    var takesDigest: Bool

    var isNothing: Bool { !takesSnapshot && !takesDigest }
  }

  /// Counts an action that is about to be written, and says whether a digest or a snapshot is due behind it.
  ///
  /// - Parameters:
  ///   - revision: The revision that the action leads to.
  ///   - bytes: Those of its type, its data and its meta data.
  ///   - state: The state at that revision, for a policy that looks at it.
  func due(at revision: Int, bytes: Int, state: @escaping @Sendable () -> M.State) -> Due {
    let occasion = bookkeeping.withLock { bookkeeping in
      bookkeeping.count(bytes: bytes)
      return bookkeeping.occasion(at: revision, state: state)
    }
    // What lacks actions of unknown types is nobody's state but this program's.
    let isWhole = restored.report.opaqueRecords == 0
    let takesSnapshot = isWhole && configuration.snapshots.isDue(at: occasion)
    let takesDigest = isWhole && configuration.digests.isDue(at: revision, withSnapshot: takesSnapshot)
    return Due(revision: revision, takesSnapshot: takesSnapshot, takesDigest: takesDigest)
  }

  /// What is due with an action whose record was made.
  func due(with draft: LogDraft, at revision: Int, leadingTo last: LastState<M>) -> Due {
    let bytes = draft.type.utf8.count + draft.data.count + (draft.meta?.count ?? 0)
    return due(at: revision, bytes: bytes) { last.stateOfAcceptedAction }
  }

  /// What is written of an action, and the snapshot that follows.
  typealias ActionRecords = (drafts: [LogDraft], snapshot: SnapshotPoint?)

  /// The records of an action: its line, and a digest where one is due.
  ///
  /// A digest stands right behind its action, so the state is encoded here, and the encoding serves the snapshot too. The
  /// state of a snapshot without a digest is encoded later, in the background: here it is only held.
  ///
  /// Digests and snapshots are derived from the log: a state that cannot be had or encoded is told in ``snapshotError``,
  /// and the action is recorded without.
  ///
  /// - Parameter last: The state at the action's revision; computed only when a digest or snapshot is due.
  /// - Complexity: O(size of the state) when a digest is due.
  func records(of draft: LogDraft, _ due: Due, leadingTo last: LastState<M>) -> ActionRecords {
    guard !due.isNothing else { return (drafts: [draft], snapshot: nil) }
    guard due.takesDigest else {
      bookkeeping.withLock { bookkeeping in bookkeeping.beginAnew() }
      return (
        drafts: [draft],
        snapshot: SnapshotPoint(revision: due.revision, sizeBytes: nil) { [states] in
          try states.canonicalBytes(of: try last.state())
        }
      )
    }
    let state: [UInt8]
    do {
      state = try states.canonicalBytes(of: try last.state())
    } catch {
      publisher.note(error)
      bookkeeping.withLock { bookkeeping in bookkeeping.beginAnew() }
      return (drafts: [draft], snapshot: nil)
    }
    let digest = Self.digestDraft(StateDigest(canonicalBytes: state), fingerprint: fingerprint)
    bookkeeping.withLock { bookkeeping in bookkeeping.tookDigest() }
    guard due.takesSnapshot else { return (drafts: [draft, digest], snapshot: nil) }
    bookkeeping.withLock { bookkeeping in bookkeeping.tookSnapshot(ofBytes: state.count) }
    return (drafts: [draft, digest], snapshot: SnapshotPoint(revision: due.revision, sizeBytes: state.count) { state })
  }

  /// What snapshots are due by, to go back to when records that were made are not written.
  var snapshotBookkeeping: SnapshotBookkeeping {
    get { bookkeeping.withLock { bookkeeping in bookkeeping } }
    set { bookkeeping.withLock { bookkeeping in bookkeeping = newValue } }
  }

  /// The record of a refused action, as the policy allows; `nil` also when the format does not: it stands deeper than
  /// the action would have, and says more.
  func refusal(of action: M.Action, form: ActionForm, error: any Error, meta: RecordMeta?) -> Refusal? {
    let meta = self.meta(of: action, adding: meta)
    let now = configuration.log.environment.now()
    let refusal = refusals.withLock { limiter in limiter.refusal(of: form, error: error, meta: meta, now: now) }
    guard let refusal else { return nil }
    do throws(LogError) {
      try LogWriter.check([refusal.draft])
      return refusal
    } catch {
      lose(refusal)
      return nil
    }
  }

  /// Counts a refusal that could not be recorded; the next one that is will tell.
  func lose(_ refusal: Refusal) {
    refusals.withLock { limiter in limiter.lose(refusal) }
  }
}

// MARK: - Ending

extension RecordingSession {
  /// Writes a snapshot soon, in the background. A failure is remembered; it does not touch the log.
  func publish(_ point: SnapshotPoint) {
    publisher.publish(point) { [self] sizeBytes in
      bookkeeping.withLock { bookkeeping in bookkeeping.lastSnapshotBytes = sizeBytes }
    }
  }

  /// Does what takes long off the cooperative pool: encoding a state of 100 000 entities takes a tenth of a second.
  func inBackground<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await OffPool.run(work)
  }

  /// Finishes snapshots, writes a digest of the last state and `@close`, and releases the log.
  ///
  /// The digest is left out if no action of this session follows the last one, or the policy asks for none but that of revision 0.
  /// It vouches for nothing else: what an earlier session recorded and did not close may have looked different to its user.
  ///
  /// - Parameter last: The state at the last revision, at which nothing may be waiting.
  /// - Throws: ``LogError``. Unless the log has failed, it stays open, and so do the snapshots.
  func close(at last: LastState<M>) async throws(LogError) {
    await publisher.finish()
    if let digest = await closingDigest(of: last) {
      do throws(LogError) { _ = try writer.enqueue([digest]) } catch {
        // The writer has failed or was closed, which closing it reports.
      }
    }
    do throws(LogError) { try await writer.close() } catch {
      publisher.goOn()
      throw error
    }
    bookkeeping.withLock { bookkeeping in bookkeeping.tookDigest() }
  }

  private func closingDigest(of last: LastState<M>) async -> LogDraft? {
    guard recordsDigests, bookkeeping.withLock({ bookkeeping in bookkeeping.needsDigest }) else { return nil }
    return await inBackground { [self] in
      do {
        let state = try states.canonicalBytes(of: try last.state())
        return Self.digestDraft(StateDigest(canonicalBytes: state), fingerprint: fingerprint)
      } catch {
        // A log without the digest is as good as before.
        publisher.note(error)
        return nil
      }
    }
  }

  /// Whether digests are written after revision 0. A state that lacks actions of unknown types is this program's only.
  private var recordsDigests: Bool {
    restored.report.opaqueRecords == 0 && configuration.digests != .onlyAtStart
  }

  /// Returns when every snapshot asked for so far is written or has failed.
  func settleSnapshots() async { await publisher.settle() }

  /// Finishes snapshots, and gives the log back as it is.
  func abandon() async {
    await publisher.finish()
    // It waits for a write or sync that is under way.
    await OffPool.run { [writer] in writer.abandon() }
  }
}
