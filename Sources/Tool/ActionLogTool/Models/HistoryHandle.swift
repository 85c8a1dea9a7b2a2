import ActionLog
import ActionLogMaintenance
import EventSourcing
import ImmutableData
import JSONCoding
import TimeTravel

/// The type-erased interface of a history. All methods block.
protocol HistoryHandle: Sendable {
  var reader: LogReader { get }
  /// The name of the model, or of the projection and its model.
  var subject: String { get }
  var projection: ProjectionIdentity? { get }

  func rebuildSnapshots(time: LogTime, options: ReplayOptions) throws -> TakenSnapshot

  /// Returns the revision of the newest usable snapshot, and the newer ones that cannot be used.
  func newestSnapshotRevision(options: ReplayOptions) -> (revision: Int?, refusals: [SnapshotRefusal])

  /// The folder of files that later commands use.
  var derivedFiles: DerivedFiles? { get set }

  func rebuiltState(at revision: Int?, options: ReplayOptions) throws -> RebuiltState

  /// Folds the log twice and compares the folds with each other and with every digest and snapshot.
  func prove(at revision: Int?, against witness: (any ReplayWitness)?, options: ReplayOptions) throws -> ReplayProof

  func digests(at revisions: [Int], options: ReplayOptions) throws -> [StateDigest]

  func canonicalState(at revision: Int, options: ReplayOptions) throws -> [UInt8]

  func writeBugReport(
    of range: ClosedRange<Int>, to path: String, on target: any LogFileSystem, remark: String?,
    against witness: (any ReplayWitness)?, environment: LogEnvironment, options: ReplayOptions
  ) throws -> BugReport

  func compatibility(options: ReplayOptions) throws -> CompatibilityReport

  func freezeBase(into path: String, at revision: Int?, configuration: LogConfiguration) throws -> ReplayReport

  /// The segments that ``prune(before:reason:actor:archive:environment:)`` would remove. Checks the archive.
  func pruningPlan(before revision: Int, archive: String?) throws -> PruneReport

  func prune(
    before revision: Int, reason: String, actor: String?, archive: String?, environment: LogEnvironment
  ) throws -> PruneReport

  /// The actions that the program reads a record as, and whether its type is unknown and kept.
  func reading(of record: LogRecord) throws -> (actions: [ActionForm], isOpaque: Bool)

  func difference(from first: Int, to second: Int, options: ReplayOptions) throws -> StateDiff

  func excerpt(
    of range: ClosedRange<Int>, limits: ExcerptLimits, options: ReplayOptions,
    compared: ((_ done: Int, _ total: Int) throws -> Void)?
  ) throws -> HistoryExcerpt

  func writeSnapshot(at revision: Int?, time: LogTime, options: ReplayOptions) throws -> TakenSnapshot

  /// Creates a walk at a revision, which can move on any thread.
  func walk(at revision: Int) throws -> any WalkHandle

  func blame(_ pointer: JSONPointer, at revision: Int?, options: ReplayOptions) throws -> BlameAnswer

  func changes(
    of pointers: [JSONPointer], in range: ClosedRange<Int>, options: ReplayOptions,
    _ body: (ValueChange) throws -> Bool
  ) throws -> QuestionWork

  /// Visits the actions of a range that changed one of some values and after which a condition holds.
  func actions(
    where condition: Condition?, touching pointers: [JSONPointer], in range: ClosedRange<Int>, options: ReplayOptions,
    _ body: (LogRecord) throws -> Bool
  ) throws -> QuestionWork

  /// Answers the same question for the actions after a revision, as they are recorded.
  func follow(
    after revision: Int, where condition: Condition?, touching pointers: [JSONPointer], options: ReplayOptions
  ) throws -> any FollowedQuestionHandle

  func firstRevision(
    where condition: Condition, after revision: Int?, upTo last: Int?, options: ReplayOptions
  ) throws -> ConditionAnswer

  func lastRevision(
    where condition: Condition, before revision: Int?, downTo first: Int, options: ReplayOptions
  ) throws -> ConditionAnswer

  func bisect(_ condition: Condition, in range: ClosedRange<Int>?, options: ReplayOptions) throws -> BisectAnswer

  func minimizedRecords(_ condition: Condition, at revision: Int?, options: ReplayOptions) throws -> MinimizedRecords

  func states(in range: ClosedRange<Int>, options: ReplayOptions, _ body: @escaping ([UInt8]) throws -> Void) throws

  func redact(
    _ targets: [RedactionTarget], reason: String, meta: [UInt8]?, isDryRun: Bool, environment: LogEnvironment,
    options: ReplayOptions
  ) throws -> LogRedaction.Outcome

  /// The `@digest` record of the last state.
  func digestRecord(options: ReplayOptions) throws -> DigestRecord

  func replayTest(
    of range: ClosedRange<Int>, minimizedFor minimized: Condition?, expecting expected: Condition?,
    isTestable: Bool, options: ReplayOptions
  ) throws -> ReplayTest

  func whatIf(
    _ question: WhatIfQuestion, foldedBy other: RegisteredModel?, options: ReplayOptions
  ) throws -> WhatIfResult
}

extension HistoryHandle {
  /// Finds the first or the last revision of a range at which a condition holds.
  func revision(
    where condition: Condition, in range: ClosedRange<Int>, isLast: Bool, options: ReplayOptions
  ) throws -> ConditionAnswer {
    guard isLast else {
      return try firstRevision(
        where: condition, after: range.lowerBound == reader.firstRevision ? nil : range.lowerBound - 1,
        upTo: range.upperBound, options: options)
    }
    return try lastRevision(
      where: condition, before: range.upperBound == reader.extent().lastRevision ? nil : range.upperBound + 1,
      downTo: range.lowerBound, options: options)
  }
}

/// `History` has the other methods of the handle itself.
extension History: HistoryHandle {
  var subject: String { (projection.map { projection in "\(projection.name) of " } ?? "") + reader.header.model }
  var projection: ProjectionIdentity? { M.projection }

  func rebuildSnapshots(time: LogTime, options: ReplayOptions) throws -> TakenSnapshot {
    taken(try rebuildProjection(time: time, options: options))
  }

  private func taken(_ taken: (snapshot: Snapshot, sizeBytes: Int)) -> TakenSnapshot {
    let revision = taken.snapshot.revision
    return TakenSnapshot(
      revision: revision, path: snapshots?.path(at: revision) ?? path, sizeBytes: taken.sizeBytes)
  }

  func rebuiltState(at revision: Int?, options: ReplayOptions) throws -> RebuiltState {
    RebuiltState(try replay(to: revision, options: options))
  }

  func reading(of record: LogRecord) throws -> (actions: [ActionForm], isOpaque: Bool) {
    let read = try recordedAction(from: record)
    return (actions: try read.actions.map { action in try ActionCoding.encode(action) }, isOpaque: read.isOpaque)
  }

  func writeSnapshot(at revision: Int?, time: LogTime, options: ReplayOptions) throws -> TakenSnapshot {
    taken(try takeSnapshot(at: revision, time: time, options: options))
  }

  func walk(at revision: Int) throws -> any WalkHandle {
    try HistoryWalk(self, to: .revision(revision), isFrugal: true)
  }

  func states(in range: ClosedRange<Int>, options: ReplayOptions, _ body: @escaping ([UInt8]) throws -> Void) throws {
    let coder = StateCoder<M.State>()
    let visitor = StateVisitor<M.State>(
      from: range.lowerBound,
      begin: { state, _ in
        try body(try coder.canonicalBytes(of: state))
        return true
      },
      visit: { state, _, _ in
        try body(try coder.canonicalBytes(of: state))
        return true
      })
    _ = try fold(
      FoldRequest(at: range.lowerBound, to: range.upperBound, visitor: visitor), options: options)
  }

  func digestRecord(options: ReplayOptions) throws -> DigestRecord {
    let state = try state(options: options)
    return DigestRecord(state: try StateDigest(of: state).hexadecimal, reducer: try M.fingerprint())
  }

  func follow(
    after revision: Int, where condition: Condition?, touching pointers: [JSONPointer], options: ReplayOptions
  ) throws -> any FollowedQuestionHandle {
    try FollowedQuestion(self, after: revision, where: condition, touching: pointers, options: options)
  }

  func minimizedRecords(
    _ condition: Condition, at revision: Int?, options: ReplayOptions
  ) throws -> MinimizedRecords {
    let minimized = try minimize(condition, at: revision, options: options)
    return MinimizedRecords(
      records: minimized.actions.map(\.record), originalCount: minimized.originalCount,
      isMinimal: minimized.isMinimal, trials: minimized.trials, work: minimized.work)
  }

  func whatIf(
    _ question: WhatIfQuestion, foldedBy other: RegisteredModel?, options: ReplayOptions
  ) throws -> WhatIfResult {
    let (edits, last, environment) = (question.edits, question.last, question.environment)
    func answer<Other: Model>(foldedBy model: Other.Type) throws -> WhatIfResult {
      guard let target = question.target else {
        return WhatIfResult(try whatIf(edits, foldedBy: model, upTo: last, options: options))
      }
      return WhatIfResult(
        try branch(edits, to: target, foldedBy: model, upTo: last, environment: environment, options: options), target)
    }
    if let other { return try answer(foldedBy: other.type) }
    guard let target = question.target else {
      return WhatIfResult(try whatIf(edits, upTo: last, options: options))
    }
    return WhatIfResult(
      try branch(edits, to: target, upTo: last, environment: environment, options: options), target)
  }
}

// The answers of a history, without its model's type.

/// A rebuilt state, without its type. Most commands need only a value or the digest of a large state.
struct RebuiltState: Sendable {
  var revision: Int
  var report: ReplayReport

  private let state: any Codable & Sendable

  init<State: Codable & Sendable>(_ replayed: Replayed<State>) {
    (revision, report, state) = (replayed.revision, replayed.report, replayed.state)
  }

  var tree: StateTree { get throws { try StateTree(encoding: state) } }

  var digest: StateDigest { get throws { try StateDigest(of: state) } }

  func value(at pointer: JSONPointer) throws -> JSONValue {
    func find(_ state: some Encodable) throws -> JSONValue? { try StateProbe(pointer).value(in: state) }
    return try find(state) ?? tree.value(at: pointer)
  }
}

struct TakenSnapshot: Sendable {
  var revision: Int
  var path: String
  var sizeBytes: Int
}

/// The type-erased interface of a question about actions as they are recorded. Its method blocks.
protocol FollowedQuestionHandle {
  mutating func revisions(upTo last: Int) throws -> [Int]
}

extension FollowedQuestion: FollowedQuestionHandle {}

/// The answer of ``History/minimize(_:after:at:trialLimit:options:)``, without the model's type.
struct MinimizedRecords: Sendable {
  var records: [LogRecord]
  var originalCount: Int
  var isMinimal: Bool
  var trials: Int
  var work: QuestionWork
}
