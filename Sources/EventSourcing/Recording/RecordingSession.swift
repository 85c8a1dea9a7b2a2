import ActionLog
import Dispatch
import JSONCoding
import Locking

/// What a ``Recorder`` and a ``RecordingStore`` share: the open log, the rebuilt state, and how an action becomes
/// records and now and then a snapshot.
final class RecordingSession<M: Model>: Sendable {
  let path: String
  let writer: LogWriter
  let restored: Replayed<M.State>
  let configuration: RecordingConfiguration<M>

  private let fingerprint: String
  private let snapshots: SnapshotStore
  private let fileSystem: any LogFileSystem
  private let bookkeeping: Locked<SnapshotBookkeeping>
  private let refusals: Locked<RefusalLimiter>
  private let lastSnapshotError = Locked<(any Error)?>(nil)
  /// Snapshots are written here, one after the other: neither on the dispatch path nor on the cooperative pool.
  private let snapshotQueue = DispatchQueue(label: "EventSourcing.snapshots", qos: .utility)

  private init(
    path: String, writer: LogWriter, restored: Replayed<M.State>, configuration: RecordingConfiguration<M>,
    fingerprint: String, snapshots: SnapshotStore, fileSystem: any LogFileSystem, bookkeeping: SnapshotBookkeeping
  ) {
    self.path = path
    self.writer = writer
    self.restored = restored
    self.configuration = configuration
    self.fingerprint = fingerprint
    self.snapshots = snapshots
    self.fileSystem = fileSystem
    self.bookkeeping = Locked(bookkeeping)
    self.refusals = Locked(RefusalLimiter(policy: configuration.refusals))
  }

  /// Why the last snapshot could not be taken.
  var snapshotError: (any Error)? { lastSnapshotError.withLock { error in error } }
}

// MARK: - Opening

extension RecordingSession {
  /// Takes the log, recovers it, rebuilds the state at its end, and writes what stands at revision 0. Blocks.
  static func open(
    _ path: String, base: M.State?, configuration: RecordingConfiguration<M>, fileSystem: any LogFileSystem
  ) throws -> RecordingSession {
    let fingerprint = try M.fingerprint()
    let writer = try LogWriter.open(
      path, model: M.name, schema: M.schema, fileSystem: fileSystem, configuration: configuration.log)
    do {
      try writeStart(base: base, fingerprint: fingerprint, path: path, writer: writer, fileSystem: fileSystem)
      let clock = ContinuousClock()
      let begin = clock.now
      let restored = try History<M>(path, fileSystem: fileSystem).state()
      let snapshots = SnapshotStore(log: path, fileSystem: fileSystem)
      try snapshots.removeUnfinished()
      return RecordingSession(
        path: path, writer: writer, restored: restored, configuration: configuration, fingerprint: fingerprint,
        snapshots: snapshots, fileSystem: fileSystem,
        bookkeeping: try SnapshotBookkeeping(
          report: restored.report, duration: clock.now - begin, snapshots: snapshots, fileSystem: fileSystem))
    } catch {
      // The log was opened and is given back; the error that counts is the one that is thrown on.
      do { try writer.closeNow() } catch {}
      throw error
    }
  }

  /// Writes the state that a new log begins at, and its digest.
  ///
  /// A crash can come between the first segment and these records, so what is there decides, not who made the log.
  private static func writeStart(
    base: M.State?, fingerprint: String, path: String, writer: LogWriter, fileSystem: any LogFileSystem
  ) throws {
    guard writer.opening.lastSeq == 0 else { return }
    var types: Set<String> = []
    var start = M.initialState
    var records = try LogReader.open(path, fileSystem: fileSystem).records(from: 0)
    while let record = try records.next(), record.isControl {
      types.insert(record.type)
      if record.type == "@base" {
        start = try StrictJSONDecoder().decode(BaseRecord<M.State>.self, from: record.data).state
      }
    }
    guard !types.contains("@digest") else { return }
    var drafts: [LogDraft] = []
    if let base, base != M.initialState, !types.contains("@base") {
      start = base
      drafts.append(LogDraft(type: "@base", data: try StrictJSONEncoder().encode(BaseRecord(state: base))))
    }
    drafts.append(digestDraft(StateDigest(canonicalBytes: try canonicalBytes(of: start)), fingerprint: fingerprint))
    _ = try writer.write(drafts)
    _ = try writer.synchronize()
  }

  private static func digestDraft(_ digest: StateDigest, fingerprint: String) -> LogDraft {
    var data: [UInt8] = Array("{\"state\":\"\(digest.hexadecimal)\",\"reducer\":".utf8)
    JSONText.appendString(fingerprint, to: &data)
    data += "}".utf8
    return LogDraft(type: "@digest", data: data)
  }
}

// MARK: - Actions

/// A state to be kept as a snapshot, in canonical form, as soon as its revision is durable.
struct SnapshotPoint: Sendable {
  var revision: Int
  /// When it was decided, so that a recording can be made again byte for byte, however late the file is written.
  var time: LogTime
  var state: [UInt8]
}

extension RecordingSession {
  /// The stored form of an action.
  func form(of action: M.Action) throws(EventSourcingError) -> ActionForm {
    do {
      return try ActionCoding.encode(action)
    } catch {
      throw EventSourcingError(
        .unencodableAction,
        "an action cannot be encoded",
        path: path,
        advice: "Every value of an action must be Codable and within the limits of the log format.",
        underlying: error
      )
    }
  }

  /// What is said of an action: the configuration's constants, then its closure, then what the caller adds.
  func meta(of action: M.Action, adding meta: RecordMeta? = nil) -> [UInt8]? {
    configuration.meta.merging(configuration.metaOfAction?(action)).merging(meta).bytes
  }

  /// The records of an action: its line, and a digest where one is due.
  ///
  /// - Parameters:
  ///   - revision: The revision that the action leads to.
  ///   - state: The state at that revision; asked for only when a digest or snapshot is due.
  func records(
    of action: M.Action, form: ActionForm, revision: Int, adding meta: RecordMeta? = nil,
    state: @escaping @Sendable () -> M.State
  ) throws(EventSourcingError) -> (drafts: [LogDraft], snapshot: SnapshotPoint?) {
    let draft = LogDraft(type: form.type, data: form.data, meta: self.meta(of: action, adding: meta))
    let occasion = bookkeeping.withLock { bookkeeping in
      bookkeeping.count(draft)
      return bookkeeping.occasion(at: revision, state: state)
    }
    let takesSnapshot = configuration.snapshots.isDue(at: occasion)
    let takesDigest = configuration.digests.isDue(at: revision, withSnapshot: takesSnapshot)
    guard takesSnapshot || takesDigest else { return (drafts: [draft], snapshot: nil) }
    let bytes = try canonicalBytes(of: state())
    var drafts = [draft]
    if takesDigest {
      drafts.append(Self.digestDraft(StateDigest(canonicalBytes: bytes), fingerprint: fingerprint))
    }
    guard takesSnapshot else { return (drafts: drafts, snapshot: nil) }
    bookkeeping.withLock { bookkeeping in bookkeeping.tookSnapshot(ofBytes: bytes.count) }
    let point = SnapshotPoint(revision: revision, time: configuration.log.environment.now(), state: bytes)
    return (drafts: drafts, snapshot: point)
  }

  /// The record of a refused action, as the policy allows.
  func refusal(of action: M.Action, error: any Error, meta: RecordMeta?) throws(EventSourcingError) -> LogDraft? {
    let form = try form(of: action)
    let meta = self.meta(of: action, adding: meta)
    return refusals.withLock { limiter in limiter.draft(of: form, error: error, meta: meta) }
  }
}

// MARK: - Snapshots

extension RecordingSession {
  /// Writes a snapshot soon, in the background. A failure is remembered; it does not touch the log.
  func publish(_ point: SnapshotPoint) {
    snapshotQueue.async { [self] in
      do {
        try publishNow(point)
        lastSnapshotError.withLock { last in last = nil }
      } catch {
        lastSnapshotError.withLock { last in last = error }
      }
    }
  }

  /// Returns when every snapshot asked for so far is written or has failed.
  func finishSnapshots() async {
    await withCheckedContinuation { continuation in
      snapshotQueue.async { continuation.resume() }
    }
  }

  private func publishNow(_ point: SnapshotPoint) throws {
    if writer.status.syncedSeq < point.revision { _ = try writer.synchronize() }
    let reader = try LogReader.open(path, fileSystem: fileSystem)
    let snapshot = Snapshot(
      revision: point.revision,
      time: point.time,
      log: reader.header.log,
      model: M.name,
      schema: M.schema,
      reducer: fingerprint,
      checksum: try reader.checksum(at: point.revision),
      state: point.state
    )
    try snapshots.publish(snapshot)
    try snapshots.prune(configuration.retention)
  }
}
