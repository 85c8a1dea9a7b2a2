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
  /// Whether it is known what the fold begins with. A `@base` record may stand in lines that were not read yet.
  private var isBeginningKnown: Bool

  /// How many actions lie between two looks at the cancellation; a power of two.
  private static var cancellationInterval: Int { 1_024 }
  /// How many actions lie between two calls of the progress closure; a power of two.
  private static var progressInterval: Int { 4_096 }

  /// Begins a fold at a state.
  ///
  /// - Parameters:
  ///   - revision: The revision that `state` stands at.
  ///   - isBeginningKnown: Whether `state` is what stands at `revision`, and not only the model's initial state.
  ///   - target: The revision to end at; `nil` is the end of the log.
  init(
    from state: M.State, at revision: Int, isBeginningKnown: Bool = true, to target: Int?, of path: String,
    options: ReplayOptions
  ) {
    self.state = state
    self.revision = revision
    self.target = target
    self.path = path
    self.options = options
    self.report = ReplayReport()
    self.report.startRevision = revision
    self.lastAgreement = revision
    self.isBeginningKnown = isBeginningKnown
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
      // Reading may begin at the action that a snapshot stands at, for the sake of the digest behind it.
      if !record.isControl, record.seq <= report.startRevision { continue }
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
      guard isBeginningKnown, target == nil || target == revision else { throw error }
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
    isBeginningKnown = true
    report.actionsFolded += 1
  }

  /// Takes notice of a control record. Those that this version does not know are not its business.
  private mutating func observe(_ record: LogRecord) throws {
    switch record.type {
    case "@base" where record.seq == 0 && revision == 0:
      state = try decodeBase(M.self, from: record)
      isBeginningKnown = true
    case "@digest" where record.seq == revision:
      // It is written together with the beginning, behind it.
      isBeginningKnown = true
      if options.checksDigests { try check(record) }
    default:
      break
    }
  }

  private mutating func check(_ record: LogRecord) throws {
    let recorded = try DigestRecord(record)
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
