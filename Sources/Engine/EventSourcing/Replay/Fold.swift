package import ActionLog
import JSONCoding

/// A fold of a model's reducer over a log, under way: the state so far and the work so far.
///
/// Only accepted actions are folded. A reducer that refuses one means that code and log disagree, which is an error
/// that names the revision, never a skip.
struct Fold<M: Model> {
  private(set) var state: M.State
  private(set) var revision: Int
  var report: ReplayReport

  private let decoder: RecordDecoder<M>
  private let options: ReplayOptions
  private let keeping: StateKeeping<M.State>?
  /// The next revision whose state is kept.
  private var nextKept: Int?
  private let target: Int?
  private var lastAgreement: Int
  private let visitor: StateVisitor<M.State>?
  /// From this revision on states are looked at.
  private let firstVisited: Int
  /// Whether the visitor has seen enough.
  private(set) var isEnough = false
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
  ///   - keeping: What is told of states on the way.
  ///   - visitor: What looks at every state on the way.
  init(
    from state: M.State, at revision: Int, isBeginningKnown: Bool = true, to target: Int?, decoder: RecordDecoder<M>,
    options: ReplayOptions, keeping: StateKeeping<M.State>?, visitor: StateVisitor<M.State>? = nil
  ) {
    self.state = state
    self.revision = revision
    self.target = target
    self.decoder = decoder
    self.options = options
    self.keeping = keeping
    self.nextKept = keeping?.next(revision)
    self.visitor = visitor
    self.firstVisited = visitor.map { visitor in max(revision, visitor.first ?? revision) } ?? .max
    self.report = ReplayReport()
    self.report.startRevision = revision
    self.lastAgreement = revision
    self.isBeginningKnown = isBeginningKnown
  }

  /// What the fold looks at.
  ///
  /// At revision 0 records behind it matter: `@base` stands there. Digests stand behind the action that they are taken after.
  var bounds: FoldBounds {
    FoldBounds(
      start: report.startRevision, target: target, readsPastTarget: options.checksDigests || target == 0)
  }

  /// Whether no record that is still to come can matter.
  private var isComplete: Bool {
    revision == target && !bounds.readsPastTarget
  }

  /// Folds records until the target, the end of the log, or damage beyond which nothing is asked for.
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
      report.damage = LogDamage(lastIntactRevision: revision, description: error.description)
    }
    report.bytesRead = pipeline.bytesRead
    return nil
  }

  /// Folds the records of a batch.
  ///
  /// - Returns: Whether later records are needed.
  private mutating func fold(_ batch: ActionBatch<M.Action>) throws -> Bool {
    var next = 0
    var exceptions = batch.exceptions[...]
    let records = batch.records
    for index in records.entries.indices {
      if isComplete { return false }
      let entry = records.entries[index]
      // Reading may begin at the action that a snapshot stands at, for the sake of the digest behind it.
      if !entry.isControl, entry.seq <= report.startRevision { continue }
      if let target, entry.isControl ? entry.seq > target : revision >= target { return false }
      if entry.isControl {
        try observe(records.record(at: index))
        continue
      }
      guard entry.seq == revision + 1 else { throw missing(before: entry.seq, records.path) }
      // Nearly every record is one action.
      var count = 1
      if let exception = exceptions.first, exception.record == index {
        exceptions.removeFirst()
        count = exception.count
        if exception.isOpaque { report.opaqueRecords += 1 }
      }
      guard next + count <= batch.actions.count else {
        throw batch.failure ?? missing(before: entry.seq, records.path)
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
        isEnough = true
        return false
      }
    }
    return true
  }

  /// Shows the visitor the first state.
  ///
  /// - Returns: Whether it wants more.
  private mutating func beginVisit() throws -> Bool {
    isEnough = try visitor?.begin(state, revision) == false
    return !isEnough
  }

  /// Shows the visitor the first state if no action behind it was folded.
  mutating func endVisit() throws {
    if revision == firstVisited, !isEnough { _ = try beginVisit() }
  }

  /// Counts an action that was folded.
  private mutating func advance() throws {
    revision += 1
    isBeginningKnown = true
    report.actionsFolded += 1
    if revision == nextKept, let keeping {
      keeping.keep(state, revision)
      nextKept = keeping.next(revision)
    }
    if report.actionsFolded & (Self.cancellationInterval - 1) == 0 { try pause() }
  }
}

extension Fold {
  private func missing(before seq: Int, _ path: String) -> EventSourcingError {
    EventSourcingError(
      .incompleteHistory,
      "action \(revision + 1) is missing: the next one in the log is \(seq)",
      path: path,
      advice: "Give the directory of the whole log."
    )
  }

  /// Takes notice of a control record. Those that this version does not know are not its business.
  private mutating func observe(_ record: LogRecord) throws {
    switch record.controlType {
    case .base where record.seq == 0 && revision == 0:
      state = try decodeBase(M.self, from: record, decoder.chain)
      isBeginningKnown = true
    case .digest where record.seq == revision:
      // It is written together with the beginning, behind it.
      isBeginningKnown = true
      if options.checksDigests { try check(record) }
    default:
      break
    }
  }

  private mutating func check(_ record: LogRecord) throws {
    let recorded = try DigestRecord(record)
    let computed = StateDigest(canonicalBytes: try decoder.states.canonicalBytes(of: state))
    let agrees = recorded.state == computed.hexadecimal
    // Under another schema the state had another shape: a digest of it that differs tells nothing of the reducer.
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

/// Calls a closure with the value at an address, which stays there: an element of an array is copied before it is passed on, and
/// its strings are counted up and down again (the benchmark `replay, direct, one core`).
///
/// It is for values that could not be copied, so that the compiler does not.
@inline(__always)
private func withBorrowed<Value: ~Copyable>(
  _ place: UnsafePointer<Value>, _ body: (borrowing Value) throws -> Void
) rethrows {
  try body(place.pointee)
}

/// What a replay is told that wants some of the states on the way.
package struct StateKeeping<State: Sendable> {
  /// The next revision that is wanted behind one, or `nil`.
  package var next: (Int) -> Int?
  /// Takes a state that is wanted. Whoever keeps it makes the fold copy what it writes next.
  package var keep: (State, Int) -> Void

  /// Wants the states that `next` names.
  package init(next: @escaping (Int) -> Int?, keep: @escaping (State, Int) -> Void) {
    self.next = next
    self.keep = keep
  }
}

/// Whoever looks at every state of a stretch of history while it is folded. Looking keeps nothing, so the fold goes on in place.
package struct StateVisitor<State: Sendable> {
  /// The revision to begin at; `nil` is where the fold begins.
  package var first: Int?
  /// Takes the state at the first revision. What it returns says whether to go on.
  package var begin: (_ state: State, _ revision: Int) throws -> Bool
  /// Takes each state behind it, with the batch and the index of the record that led to it. What it returns says whether to go on.
  package var visit: (_ state: State, _ batch: RecordBatch, _ index: Int) throws -> Bool

  /// Looks at every state from `first` on.
  ///
  /// - Parameters:
  ///   - first: The revision to begin at; `nil` is where the fold begins.
  ///   - begin: Takes the state at the first revision, and says whether to go on.
  ///   - visit: Takes each state behind it, with the place of its record, and says whether to go on.
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
