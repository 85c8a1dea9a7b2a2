import ActionLog
import ImmutableData
import JSONCoding

/// What a ``RecordingStore`` and a ``LogStore`` share: the state, and the recording of actions before they are folded into it.
///
/// Its owner is an actor, so that decisions follow one another.
struct RecordingCore<M: Model>: Sendable {
  let session: RecordingSession<M>
  let registrar = StreamRegistrar<(oldState: M.State, action: M.Action)>()
  private(set) var state: M.State
  private(set) var lastTicket: LogTicket?
  private var commands = CommandWindow()

  init(_ session: RecordingSession<M>) {
    self.session = session
    state = session.takeRestoredState()
    registrar.accepted.beginRecording(by: session, after: session.restored.revision)
  }

  var revision: Int { session.writer.status.lastRevision }

  func close() async throws { try await session.close(at: .restored(state), revision) }
}

extension RecordingSession {
  /// Whether the log is open and has not failed.
  var isRecorded: Bool {
    let status = writer.status
    return !status.isClosed && status.failure == nil
  }

  /// Waits until a unit has reached a level.
  func receipt(for ticket: LogTicket, _ level: AwaitedDurability) async throws -> LogReceipt {
    switch level {
    case .written: LogReceipt(revision: ticket.revision, durability: .written)
    case .synced: try await writer.synced(through: ticket)
    }
  }

  /// Waits until a unit, or everything that was accepted, is in the log at the configured durability.
  func receipt(for ticket: LogTicket?) async throws -> LogReceipt {
    guard let ticket else { return try await writer.receipt() }
    return try await writer.receipt(for: ticket)
  }

  /// Waits until the device has a unit, or everything that was accepted.
  func sync(through ticket: LogTicket?) async throws -> LogReceipt {
    guard let ticket else { return try await writer.sync() }
    return try await writer.synced(through: ticket)
  }
}

// MARK: - Recording

extension RecordingCore {
  /// The actions of a decision, folded and encoded.
  private struct Decision {
    var forms: [ActionForm] = []
    var states: [M.State] = []
    var metas: [[UInt8]?] = []
  }

  /// Writes actions as one unit, folds them into the state, and notifies every stream. Otherwise changes nothing.
  mutating func record(_ actions: [M.Action], meta: RecordMeta?) throws -> LogTicket {
    let meta = RecordMeta.current.map { current in current.merging(meta) } ?? meta
    let decision = try decide(actions, meta)
    let bookkeeping = session.snapshotBookkeeping
    let ticket: LogTicket
    let snapshot: SnapshotPoint?
    do {
      (ticket, snapshot) = try write(actions, decision)
    } catch {
      session.snapshotBookkeeping = bookkeeping
      throw error
    }
    lastTicket = ticket
    for (action, next) in zip(actions, decision.states) {
      let oldState = state
      state = next
      registrar.yield((oldState: oldState, action: action))
    }
    commands.note(decision.metas, endingAt: ticket.revision, in: session)
    if let snapshot { session.publish(snapshot) }
    session.checkpoints?.noteRecorded(actions.count)
    return ticket
  }

  private mutating func decide(_ actions: [M.Action], _ meta: RecordMeta?) throws -> Decision {
    var decision = Decision()
    var next = state
    for action in actions {
      let form = try session.form(of: action)
      do {
        next = try M.reducer(next, action)
      } catch {
        try recordRefusal(of: action, form: form, error: error, meta: meta)
        throw error
      }
      try session.check(action, form)
      decision.forms.append(form)
      decision.states.append(next)
    }
    decision.metas = actions.map { action in session.meta(of: action, adding: meta) }
    return decision
  }

  private func write(_ actions: [M.Action], _ decision: Decision) throws -> (LogTicket, SnapshotPoint?) {
    let start = revision
    var drafts: [LogDraft] = []
    if actions.count > 1 { drafts.append(LogDraft(UnitRecord(actions: actions.count))) }
    var due = RecordingSession<M>.Due(revision: start, takesSnapshot: false, takesDigest: false)
    for index in actions.indices {
      drafts.append(LogDraft(decision.forms[index], meta: decision.metas[index]))
      let last = LastState<M>.restored(decision.states[index])
      due.merge(session.due(with: drafts[drafts.count - 1], at: start + index + 1, leadingTo: last))
    }
    // The end of a decision: a state between its actions is not one that a reader sees.
    let last = LastState<M>.restored(decision.states[actions.count - 1])
    let records = session.records(of: drafts.removeLast(), due, leadingTo: last)
    let ticket = try session.writer.writeNow(drafts + records.drafts)
    session.progress.advance()
    return (ticket, records.snapshot)
  }

  private mutating func recordRefusal(
    of action: M.Action, form: ActionForm, error: any Error, meta: RecordMeta?
  ) throws {
    guard let refusal = session.refusal(of: action, form: form, error: error, meta: meta) else { return }
    do {
      lastTicket = try session.writer.writeNow([refusal.draft])
    } catch {
      session.lose(refusal)
      throw error
    }
  }
}

// MARK: - Decisions

extension RecordingCore {
  /// Records the actions of a decision as one unit, if the log is at the expected revision and the command is a new one.
  ///
  /// - Returns: The ticket, or, for a command that was recorded before, its last revision.
  mutating func record(
    _ actions: [M.Action], expecting expected: Int?, command: String?, meta: RecordMeta?
  ) throws -> (ticket: LogTicket?, revision: Int) {
    var meta = meta
    if let command {
      if let recorded = try commands.revision(of: command, in: session) { return (nil, recorded) }
      meta = (meta ?? RecordMeta()).merging(RecordMeta(command: command))
    }
    if let expected, expected != revision {
      throw EventSourcingError(
        .conflict, "the decision expects revision \(expected), and the log is at \(revision)", path: session.path,
        revision: revision, intact: "Nothing was recorded.",
        advice: "Decide again with the present state, or give up.")
    }
    guard !actions.isEmpty else { return (nil, revision) }
    guard actions.count <= UnitRecord.limit else {
      throw LogError(
        .beyondLimit, "a decision has at most \(UnitRecord.limit) actions, not \(actions.count)", path: session.path,
        intact: "Nothing was recorded.", advice: "Record one action that stands for them.")
    }
    let ticket = try record(actions, meta: meta)
    return (ticket, ticket.revision)
  }
}

/// The commands of the last actions of a log, each with the last revision that it led to.
///
/// Nothing is read before the first command, so that a log without commands costs nothing.
private struct CommandWindow: Sendable {
  private var revisions: [String: Int] = [:]
  /// The commands in the order of their revisions.
  private var order: ArraySlice<(command: String, revision: Int)> = []
  private var isRead = false

  mutating func revision<M: Model>(of command: String, in session: RecordingSession<M>) throws -> Int? {
    guard !command.isEmpty else {
      throw LogError(.invalidArgument, "the identifier of a command is empty", path: session.path)
    }
    if !isRead { try read(session) }
    forget(through: session.writer.status.lastRevision - Self.length(session))
    return revisions[command]
  }

  /// Notes the commands of recorded actions by their metadata: wherever a command comes from, the next opening finds it there.
  mutating func note<M: Model>(_ metas: [[UInt8]?], endingAt last: Int, in session: RecordingSession<M>) {
    // Otherwise they are read with the others.
    guard isRead else { return }
    do throws(JSONError) {
      for (index, meta) in metas.enumerated() {
        guard let meta, let command = try RecordMeta.command(in: meta) else { continue }
        append(command, last - metas.count + 1 + index)
      }
    } catch {
      // The actions are recorded, so this is no failure of them. The window is read again.
      self = CommandWindow()
    }
    forget(through: last - Self.length(session))
  }

  private static func length<M: Model>(_ session: RecordingSession<M>) -> Int {
    max(0, session.configuration.commandWindow)
  }

  private mutating func append(_ command: String, _ revision: Int) {
    revisions[command] = revision
    order.append((command, revision))
  }

  private mutating func read<M: Model>(_ session: RecordingSession<M>) throws {
    let reader = try LogReader.open(at: session.path, fileSystem: session.fileSystem)
    let last = session.writer.status.lastRevision
    let first = max(last - Self.length(session), try reader.listing().firstRevision) + 1
    if first <= last {
      var records = try reader.records(from: first)
      while let record = try records.next(), record.revision <= last {
        if let command = try RecordMeta.command(of: record) { append(command, record.revision) }
      }
    }
    isRead = true
  }

  private mutating func forget(through revision: Int) {
    while let oldest = order.first, oldest.revision <= revision {
      if revisions[oldest.command] == oldest.revision { revisions[oldest.command] = nil }
      order.removeFirst()
    }
  }
}
