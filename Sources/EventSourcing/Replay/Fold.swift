import ActionLog
import JSONCoding

/// A fold of a model's reducer over a log, under way: the state so far and the work so far.
///
/// Only accepted actions are folded. A reducer that refuses one means that code and log disagree, which is an error
/// that names the revision, never a skip.
struct Fold<M: Model> {
  private(set) var state: M.State
  private(set) var revision: Int
  var report: ReplayReport

  private let path: String
  private let options: ReplayOptions
  private let target: Int?
  private var lastAgreement: Int

  /// How many actions lie between two looks at the cancellation; a power of two.
  private static var cancellationInterval: Int { 1_024 }
  /// How many actions lie between two calls of the progress closure; a power of two.
  private static var progressInterval: Int { 4_096 }

  /// Begins a fold at a state.
  ///
  /// - Parameters:
  ///   - revision: The revision that `state` stands at.
  ///   - target: The revision to end at; `nil` is the end of the log.
  init(from state: M.State, at revision: Int, to target: Int?, of path: String, options: ReplayOptions) {
    self.state = state
    self.revision = revision
    self.target = target
    self.path = path
    self.options = options
    self.report = ReplayReport()
    self.report.startRevision = revision
    self.lastAgreement = revision
  }

  /// Whether no record that is still to come can matter.
  ///
  /// At revision 0 one can: `@base` stands there. Digests stand behind the action that they are taken after.
  private var isComplete: Bool {
    revision == target && revision > 0 && !options.checksDigests
  }

  /// Folds records until the target, the end of the log, or damage beyond which nothing is asked for.
  mutating func run(_ records: inout LogRecordIterator) throws {
    defer { report.bytesRead = records.bytesRead }
    while !isComplete, let record = try nextRecord(&records) {
      if let target, record.isControl ? record.seq > target : revision >= target { return }
      if record.isControl {
        try observe(record)
      } else {
        try apply(record)
        report.bytesRead = records.bytesRead
        try pause()
      }
    }
  }

  /// The next record, or `nil` at the end of what can be read.
  ///
  /// Damage is an error when a revision behind it was asked for. Otherwise everything up to it is what can be had.
  private mutating func nextRecord(_ records: inout LogRecordIterator) throws(LogError) -> LogRecord? {
    do throws(LogError) {
      return try records.next()
    } catch  where error.code == .damaged {
      guard target == nil || target == revision else { throw error }
      report.damage = LogDamage(lastIntactRevision: revision, description: error.description)
      return nil
    }
  }
}

extension Fold {
  private mutating func apply(_ record: LogRecord) throws {
    guard record.seq == revision + 1 else {
      throw EventSourcingError(
        .incompleteHistory,
        "action \(revision + 1) is missing: the next one in the log is \(record.seq)",
        path: record.place.path,
        advice: "Give the directory of the whole log."
      )
    }
    let action = try decodeAction(M.self, from: record)
    do {
      try M.reduce(into: &state, action: action)
    } catch {
      throw EventSourcingError(
        .refusedInReplay,
        "the reducer refused an action that was accepted when it was recorded (\(record.type))",
        path: record.place.path,
        seq: record.seq,
        advice:
          "Revisions 0…\(record.seq - 1) can be read. The reducer of '\(M.name)' has become stricter than it was; "
          + "let it accept the action again.",
        underlying: error
      )
    }
    revision = record.seq
    report.actionsFolded += 1
  }

  /// Takes notice of a control record. Those that this version does not know are not its business.
  private mutating func observe(_ record: LogRecord) throws {
    switch record.type {
    case "@base" where record.seq == 0 && revision == 0 && report.actionsFolded == 0:
      state = try decodeBase(record)
    case "@digest" where options.checksDigests && record.seq == revision:
      try check(record)
    case "@open", "@segment":
      try checkSchema(record)
    default:
      break
    }
  }

  private func decodeBase(_ record: LogRecord) throws(EventSourcingError) -> M.State {
    do {
      return try StrictJSONDecoder().decode(BaseRecord<M.State>.self, from: record.data).state
    } catch {
      throw EventSourcingError(
        .undecodableState,
        "the state that the log begins with does not decode as a state of '\(M.name)'",
        path: record.place.path,
        seq: 0,
        underlying: error
      )
    }
  }

  private func checkSchema(_ record: LogRecord) throws {
    let schema = try StrictJSONDecoder().decode(SchemaRecord.self, from: record.data).schema
    guard schema > M.schema else { return }
    throw LogError(
      .schemaTooNew,
      "the log was written by schema \(schema) of '\(M.name)', this program has schema \(M.schema)",
      path: record.place.path,
      seq: record.seq,
      advice: "Revisions 0…\(revision) can be read. Use the program that wrote the log, or a newer one."
    )
  }

  private mutating func check(_ record: LogRecord) throws {
    let recorded = try StrictJSONDecoder().decode(DigestRecord.self, from: record.data)
    let computed = try StateDigest(of: state)
    report.digestsChecked += 1
    guard recorded.state != computed.hexadecimal else {
      lastAgreement = revision
      return
    }
    let divergence = Divergence(
      revision: revision,
      recorded: StateDigest(hexadecimal: recorded.state),
      computed: computed,
      isByOtherReducer: recorded.reducer != (try M.fingerprint()),
      lastAgreement: lastAgreement
    )
    report.divergences.append(divergence)
    guard options.onDivergence == .fail else { return }
    throw EventSourcingError(
      .divergence,
      divergence.description,
      path: record.place.path,
      seq: revision,
      advice: "Compare the revisions \(lastAgreement)…\(revision); the log itself is intact."
    )
  }

  /// Looks at the cancellation and tells of the progress, each now and then.
  private func pause() throws {
    if report.actionsFolded & (Self.cancellationInterval - 1) == 0, options.isCancelled() {
      throw CancellationError()
    }
    if report.actionsFolded & (Self.progressInterval - 1) == 0 {
      options.progress?(ReplayProgress(revision: revision, target: target, bytesRead: report.bytesRead))
    }
  }
}

/// The part of a `@base` record's data that a replay needs.
struct BaseRecord<State: Codable>: Codable {
  var state: State
}

/// The part of an `@open` or `@segment` record's data that a replay needs.
private struct SchemaRecord: Decodable {
  var schema: Int
}

/// The data of a `@digest` record.
struct DigestRecord: Codable {
  /// The digest of the state: 64 hexadecimal digits.
  var state: String
  /// The fingerprint of the code that folded it.
  var reducer: String
}

/// The action of a record, with an error that says what can still be read.
func decodeAction<M: Model>(_ model: M.Type, from record: LogRecord) throws(EventSourcingError) -> M.Action {
  do {
    return try ActionCoding.decode(M.Action.self, type: record.type, data: record.data)
  } catch {
    throw EventSourcingError(
      .undecodableAction,
      "'\(record.type)' does not decode as an action of '\(M.name)'",
      path: record.place.path,
      seq: record.seq,
      advice: "Revisions 0…\(record.seq - 1) can be read. "
        + "The log was written with other actions than this program has.",
      underlying: error
    )
  }
}
