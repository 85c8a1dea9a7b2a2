package import ActionLog
import JSONCoding

/// A fold of a model's reducer over a log, in progress: the state so far and a report of the work.
///
/// A reducer that refuses a recorded action disagrees with the log. That is an error that names the revision; the action is never
/// skipped.
struct Fold<M: Model> {
  private(set) var state: M.State
  private(set) var revision: Int
  var report: ReplayReport

  private let decoder: RecordDecoder<M>
  private let options: ReplayOptions
  private let checksDigests: Bool
  private let keeping: StateKeeping<M.State>?
  private var nextKept: Int?
  private let target: Int?
  private var lastAgreement: Int
  /// The newest digest, if only the one at the last revision is compared.
  private var lastDigest: LogRecord?
  private let visitor: StateVisitor<M.State>?
  private let firstVisited: Int
  private(set) var isStoppedByVisitor = false
  /// Whether the initial state is known. If not, a `@base` record may follow in lines that were not read yet.
  private var isBeginningKnown: Bool

  /// The number of actions between two checks for cancellation; a power of two.
  private static var cancellationInterval: Int { 1_024 }
  /// The number of actions between two calls of the progress closure; a power of two.
  private static var progressInterval: Int { 4_096 }

  /// Begins a fold at a state.
  ///
  /// - Parameter isBeginningKnown: Whether `state` is the state at `revision`; `false` if it is the model's initial state and the log
  ///   may have another.
  init(
    from state: M.State, at revision: Int, isBeginningKnown: Bool, _ request: borrowing FoldRequest<M.State>,
    decoder: RecordDecoder<M>, options: ReplayOptions, report: ReplayReport
  ) {
    self.state = state
    self.revision = revision
    self.target = request.target
    self.decoder = decoder
    self.options = options
    let (keeping, visitor) = (request.keeping, request.visitor)
    self.keeping = keeping
    self.nextKept = keeping?.next(revision)
    self.visitor = visitor
    self.firstVisited = visitor.map { visitor in max(revision, visitor.first ?? revision) } ?? .max
    self.report = report
    self.report.startRevision = revision
    self.lastAgreement = revision
    self.isBeginningKnown = isBeginningKnown
    // The digests in a log are those of the model's states.
    checksDigests = options.checksDigests && M.projection == nil
  }

  /// The records that the fold needs.
  ///
  /// At revision 0, later control records are needed for `@base`. A digest follows the action after which it was taken.
  var bounds: FoldBounds {
    FoldBounds(
      start: report.startRevision, target: target, readsPastTarget: checksDigests || target == 0)
  }

  private var isComplete: Bool {
    revision == target && !bounds.readsPastTarget
  }

  /// Folds records until the target, the end of the log, or damage after the last requested revision.
  mutating func run(_ pipeline: inout DecodingPipeline<M>) throws {
    defer { pipeline.stop() }
    reportProgress()
    while !isComplete, let batch = try nextBatch(&pipeline) {
      report.bytesRead = batch.bytesRead
      guard try fold(batch) else { return }
      pipeline.recycle(batch)
    }
  }

  /// Returns the next batch; `nil` at the end of the log, or at damage after the last requested revision.
  private mutating func nextBatch(
    _ pipeline: inout DecodingPipeline<M>
  ) throws(LogError) -> ActionBatch<M.Action>? {
    do throws(LogError) {
      if let batch = try pipeline.next() { return batch }
    } catch {
      // Damage is an error if a later revision is requested. Otherwise the fold ends at the last intact revision.
      guard error.code == .damaged, isBeginningKnown, target == nil || target == revision else { throw error }
      report.damage = LogDamage(lastIntactRevision: revision, error)
    }
    report.bytesRead = pipeline.bytesRead
    return nil
  }

  private mutating func fold(_ batch: ActionBatch<M.Action>) throws -> Bool {
    var next = 0
    let exceptions = batch.exceptions
    var nextException = 0
    let records = batch.records
    for index in records.entries.indices {
      if isComplete { return false }
      let entry = records.entries[index]
      // Reading may begin at the action of the snapshot's revision, to check the digest after it.
      if !entry.isControl, entry.revision <= report.startRevision { continue }
      if let target, entry.isControl ? entry.revision > target : revision >= target { return false }
      if entry.isControl {
        try observe(records.record(at: index))
        continue
      }
      guard entry.revision == revision + 1 else { throw missing(before: entry.revision, records.path) }
      // Nearly every record is one action.
      var count = 1
      if nextException < exceptions.count, exceptions[nextException].record == index {
        let exception = exceptions[nextException]
        nextException += 1
        count = exception.count
        if exception.isOpaque { report.opaqueRecords += 1 }
        if entry.isSkipped { report.skippedActions += 1 }
      }
      guard next + count <= batch.actions.count else {
        throw batch.failure ?? missing(before: entry.revision, records.path)
      }
      if revision == firstVisited, try !beginVisit() { return false }
      do {
        try batch.actions.withUnsafeBufferPointer { actions in
          guard let first = actions.baseAddress else { return }
          for place in next..<next + count {
            try withBorrowed(first + place) { action in try M.reduce(into: &state, action: action) }
          }
        }
      } catch {
        throw decoder.refused(error, RecordSite(records, at: index))
      }
      next += count
      try advance()
      if revision > firstVisited, let visitor, try !visitor.visit(state, records, index) {
        isStoppedByVisitor = true
        return false
      }
    }
    return true
  }

  private mutating func beginVisit() throws -> Bool {
    isStoppedByVisitor = try visitor?.begin(state, revision) == false
    return !isStoppedByVisitor
  }

  /// Passes the first state to the visitor if no later action was folded.
  mutating func endVisit() throws {
    if revision == firstVisited, !isStoppedByVisitor { _ = try beginVisit() }
  }

  private mutating func advance() throws {
    revision += 1
    isBeginningKnown = true
    report.actionsFolded += 1
    if revision == nextKept, let keeping {
      keeping.keep(state, revision)
      nextKept = keeping.next(revision)
    }
    if report.actionsFolded & (Self.cancellationInterval - 1) == 0 { try checkCancellation() }
  }
}

extension Fold {
  private func missing(before next: Int, _ path: String) -> EventSourcingError {
    EventSourcingError(
      .incompleteHistory,
      "action \(revision + 1) is missing: the next one in the log is \(next)",
      path: path,
      advice: "Give the directory of the log."
    )
  }

  /// Processes a control record. Ignores unknown control records.
  private mutating func observe(_ record: LogRecord) throws {
    switch record.controlType {
    case .base where record.revision == 0 && revision == 0:
      state = try InitialRecords<M>.decodeBase(record, decoder.chain)
      isBeginningKnown = true
    case .digest where record.revision == revision:
      // The first digest is written together with the initial state, after it.
      isBeginningKnown = true
      if checksDigests { try check(record) } else if options.checksLastDigest { lastDigest = record }
    default:
      break
    }
  }

  /// Compares the digest at the last revision if only that one is requested, this program has recorded it, and it knows all actions.
  ///
  /// The state of a snapshot there is the one that the digest was computed of.
  mutating func checkLastDigest() throws {
    guard let record = lastDigest, record.revision == revision, report.actionsFolded > 0, report.opaqueRecords == 0,
      M.projection == nil, try DigestRecord(record).reducer == M.fingerprint(unknownTypes: decoder.unknownTypes)
    else { return }
    try check(record)
  }

  private mutating func check(_ record: LogRecord) throws {
    let recorded = try DigestRecord(record)
    if recorded.isWithdrawn { return }
    let computed = StateDigest(canonicalBytes: try decoder.states.canonicalBytes(of: state))
    let agrees = recorded.state == computed.hexadecimal
    // Under another schema the state had another shape, so a mismatch is not a change of the reducer.
    guard agrees || record.schema == M.schema else {
      report.digestsOfOtherSchemas += 1
      return
    }
    report.digestsChecked += 1
    guard !agrees else {
      lastAgreement = revision
      report.lastAgreement = revision
      return
    }
    let divergence = Divergence(
      revision: revision,
      recorded: StateDigest(hexadecimal: recorded.state),
      computed: computed,
      isByOtherReducer: recorded.reducer != (try M.fingerprint(unknownTypes: decoder.unknownTypes)),
      lastAgreement: lastAgreement
    )
    report.divergences.append(divergence)
  }

  private func checkCancellation() throws {
    if options.isCancelled() { throw CancellationError() }
    if report.actionsFolded & (Self.progressInterval - 1) == 0 { reportProgress() }
  }

  private func reportProgress() {
    options.progress?(
      ReplayProgress(
        revision: revision, target: target, actionsFolded: report.actionsFolded,
        actionsLimit: target.map { target in target - report.startRevision }, bytesRead: report.bytesRead))
  }
}

/// Calls a closure with the value at an address, without copying it. An array's element would be copied before the call, and its
/// strings retained and released (benchmark `replay, direct, one core`).
///
/// `~Copyable` keeps the compiler from copying the value.
@inline(__always)
func withBorrowed<Value: ~Copyable>(
  _ place: UnsafePointer<Value>, _ body: (borrowing Value) throws -> Void
) rethrows {
  try body(place.pointee)
}

/// A part of a history to fold, and the receivers of its states.
package struct FoldRequest<State: Sendable> {
  /// The state to begin with; `nil` for the newest one of the history at or before ``revision``.
  ///
  /// It is taken, so that the fold is its only owner. A second one would make its first write copy the state.
  var state: State?
  /// The revision to begin at; `nil` is the end of the log.
  let revision: Int?
  /// The last revision of a snapshot with which to begin instead of ``state``; `nil` for none.
  let snapshotBound: Int?
  /// The revision to end at, unless the visitor stops before; `nil` is the end of the log.
  let target: Int?
  let keeping: StateKeeping<State>?
  let visitor: StateVisitor<State>?

  /// Requests a fold.
  ///
  /// - Parameters:
  ///   - state: The state to begin with; `nil` for the newest one of the history at or before `revision`: a snapshot, the base of a
  ///     pruned log, or the initial state.
  ///   - bound: A snapshot after a known `state`, up to this revision, is used instead of it; `nil` for none.
  package init(
    _ state: consuming State? = nil, at revision: Int?, orFromSnapshotAtOrBefore bound: Int? = nil, to target: Int?,
    keeping: StateKeeping<State>? = nil, visitor: StateVisitor<State>? = nil
  ) {
    self.state = state
    (self.revision, self.snapshotBound, self.target) = (revision, bound, target)
    (self.keeping, self.visitor) = (keeping, visitor)
  }
}

/// A request for some of the states of a fold.
package struct StateKeeping<State: Sendable> {
  /// Returns the next requested revision after a revision; `nil` if there is none.
  package var next: (Int) -> Int?
  /// Receives a requested state. Keeping it makes the fold copy the parts that it changes next.
  package var keep: (State, Int) -> Void

  package init(next: @escaping (Int) -> Int?, keep: @escaping (State, Int) -> Void) {
    self.next = next
    self.keep = keep
  }
}

/// A visitor of every state of a fold. The visitor does not keep the states, so the fold continues in place.
package struct StateVisitor<State: Sendable> {
  /// The first revision to visit; `nil` is the beginning of the fold.
  package var first: Int?
  /// Receives the state at the first revision. Returns whether to continue.
  package var begin: (_ state: State, _ revision: Int) throws -> Bool
  /// Receives each later state, with the batch and the index of the record that led to it. Returns whether to continue.
  package var visit: (_ state: State, _ batch: RecordBatch, _ index: Int) throws -> Bool

  /// Makes a visitor.
  ///
  /// - Parameters:
  ///   - first: The first revision to visit; `nil` is the beginning of the fold.
  package init(
    from first: Int? = nil,
    begin: @escaping (_ state: State, _ revision: Int) throws -> Bool,
    visit: @escaping (_ state: State, _ batch: RecordBatch, _ index: Int) throws -> Bool
  ) {
    self.first = first
    self.begin = begin
    self.visit = visit
  }
}
