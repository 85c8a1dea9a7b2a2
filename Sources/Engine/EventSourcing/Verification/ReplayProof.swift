import ActionLog
import JSONCoding
import Platform

/// The result of folding a log twice and comparing all digests and snapshots: see `History.prove(at:against:options:)`.
public struct ReplayProof: Sendable {
  /// The last folded revision.
  public var revision: Int
  /// The digest of the state at ``revision``.
  public var digest: StateDigest
  /// The number of digests in the log that were compared with the fold.
  public var digestsChecked: Int
  /// The number of mismatching digests that were recorded under another schema: see ``ReplayReport/digestsOfOtherSchemas``.
  package var digestsOfOtherSchemas: Int
  /// The number of snapshots that were compared with the fold, whatever code took them.
  public var snapshotsChecked: Int
  /// The snapshots that belong to another log, model, schema or past, or cannot be read.
  package var snapshotsSkipped: [SnapshotRefusal]
  /// The location of the second fold.
  public var witness: String
  /// The number of revisions at which the two folds were compared.
  package var statesCompared: Int
  /// The differences: at most one for each ``ReplayDisagreement/Kind``, the first of its kind.
  public var disagreements: [ReplayDisagreement]
  /// Damage after ``revision``.
  public var damage: LogDamage?
  /// The number of actions folded, by both folds together.
  public var actionsFolded: Int
  /// The number of actions that a redaction excludes from replays: they have a revision and change nothing.
  package var skippedActions: Int

  /// Whether everything matches, and the log is not damaged.
  public var isProven: Bool { disagreements.isEmpty && damage == nil }
}

/// A difference between the fold and a second fold, a digest or a snapshot.
public struct ReplayDisagreement: Equatable, Sendable, CustomStringConvertible {
  /// The other side of a comparison.
  public enum Kind: String, Sendable, CaseIterable {
    /// A second fold of the same log: the reducer depends on more than its arguments.
    case secondFold
    /// A digest in the log.
    case digest
    /// A snapshot of the log.
    case snapshot
  }

  /// The other side of the comparison.
  public var kind: Kind
  /// The last revision that is known to match.
  public var lastAgreement: Int
  /// The first revision that is known to differ. If it follows ``lastAgreement``, its action causes the difference.
  public var revision: Int
  /// The first difference between the states at ``revision``, the fold's value first. `nil` if only the digest of the other state
  /// is known, or if the two do not differ each time.
  public var difference: StateDifference?
  /// Whether the digest or snapshot was written by other code.
  public var isByOtherCode: Bool

  /// The difference, its location and the likely cause.
  public var description: String {
    let range = revision == lastAgreement + 1 ? "revision \(revision)" : "revisions \(lastAgreement + 1)…\(revision)"
    let head =
      switch kind {
      case .secondFold: "two folds differ from \(range) on"
      case .digest: "the fold differs from the digest in the log from \(range) on"
      case .snapshot: "the fold differs from the snapshot at revision \(revision)"
      }
    let place = difference.map { difference in
      ": \(difference.pointer.description.isEmpty ? "the whole state" : difference.pointer.description) is "
        + "\(Self.text(difference.first)), \(kind == .secondFold ? "then" : "recorded") \(Self.text(difference.second))"
    }
    return head + (place ?? "") + ". " + cause
  }

  private var cause: String {
    switch kind {
    case .secondFold:
      "The reducer depends on more than its arguments: a clock, a random value, the order of a Set or Dictionary."
    case .digest, .snapshot:
      isByOtherCode
        ? "It was written by other code: the reducer was changed since." : Divergence.causes
    }
  }

  private static func text(_ value: JSONValue?) -> String {
    guard let value else { return "missing" }
    let text = value.description
    // Shortened to fit a line; ``difference`` has the complete value.
    return text.count <= 80 ? text : text.prefix(79) + "…"
  }
}

extension History {
  /// Folds the log twice and compares both folds with each other, with every digest in the log, and with every snapshot.
  ///
  /// The first difference between two folds is found by narrowing: digests are compared at 64 revisions, then at 64 revisions
  /// between the last match and the first mismatch, until these are neighbors. In a log of more than 64 actions, a difference that
  /// appears and disappears between two of the first 64 revisions is missed.
  ///
  /// With several processors both folds run at the same time; with one, the witness folds after the first fold. If the log is pruned, or
  /// pruned segments are put back, between the two folds, they are repeated.
  ///
  /// - Parameters:
  ///   - revision: The last revision to fold; `nil` is the end.
  ///   - witness: The second fold; `nil` folds in this process, which cannot detect a dependency on the order of a `Set`.
  ///   - options: Progress and cancellation. A snapshot is used only if the fold up to it leads to its state: the ranges between
  ///     snapshots are folded side by side.
  /// - Returns: The matches and differences. A difference is not an error.
  /// - Throws: As `state(at:options:)`; the errors of the witness.
  /// - Complexity: Two folds of the log, each divided among the processors if there are snapshots, and O(log(length)) more if they
  ///   differ; O(size of the state) for each digest. The digests of 64 large states can cost more than the folds.
  public func prove(
    at revision: Int? = nil, against witness: (any ReplayWitness)? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> ReplayProof {
    var history = self
    for _ in 1..<ReplayProofWork<M>.attemptLimit {
      let beginning = try reader.beginning()
      let outcome = Result { try history.proof(at: revision, against: witness, options) }
      if case .success(let proof) = outcome, proof.isProven { return proof }
      // Two folds of different beginnings say nothing about the reducer.
      guard try reader.beginning() != beginning else { return try outcome.get() }
      history = try refreshed()
    }
    return try history.proof(at: revision, against: witness, options)
  }

  private func proof(
    at revision: Int?, against witness: (any ReplayWitness)?, _ options: ReplayOptions
  ) throws -> ReplayProof {
    var work = ReplayProofWork(history: self, witness: witness, options: options)
    return try work.run(to: revision)
  }
}

/// A snapshot to compare the fold with. Its state, which may be large, is read again if there is a difference.
struct ComparedSnapshot {
  var revision: Int
  var digest: StateDigest
  var reducer: String
}

/// The work of one proof.
struct ReplayProofWork<M: Model> {
  let history: History<M>
  /// The second fold; `nil` for one in this process.
  private let otherWitness: (any ReplayWitness)?
  let options: ReplayOptions

  private var witness: any ReplayWitness { otherWitness ?? SameProcessWitness(history, options) }
  private var actionsFolded = 0
  private var statesCompared = 0

  /// The number of states to compare in a pass. Four passes find one action among ten million.
  static var gridPoints: Int { 64 }
  /// The number of attempts to narrow a difference, in which two random values can be equal by chance, and to fold twice without a
  /// pruning between the folds.
  static var attemptLimit: Int { 8 }

  init(history: History<M>, witness: (any ReplayWitness)?, options: ReplayOptions) {
    (self.history, otherWitness, self.options) = (history, witness, options)
  }

  mutating func run(to revision: Int?) throws -> ReplayProof {
    let last = try revision ?? history.lastRevision()
    var skipped: [SnapshotRefusal] = []
    let snapshots = try comparableSnapshots(through: last, skipped: &skipped)
    let grid = Self.grid(from: history.firstRevision - 1, to: last)
    let points = Set(grid).union(snapshots.map(\.revision)).sorted()
    var checking = options
    checking.checksDigests = true
    let ((digests, report), theirs) = try bothFolds(points, grid, checking)
    actionsFolded += last
    let computed = Dictionary(uniqueKeysWithValues: zip(points, digests))
    var disagreements: [ReplayDisagreement] = []
    if let found = try secondFold(grid, computed, theirs) { disagreements.append(found) }
    if let found = try digestDisagreement(report, snapshots) { disagreements.append(found) }
    if let found = try snapshotDisagreement(snapshots, computed) { disagreements.append(found) }
    return ReplayProof(
      revision: last, digest: computed[last] ?? digests[digests.count - 1], digestsChecked: report.digestsChecked,
      digestsOfOtherSchemas: report.digestsOfOtherSchemas, snapshotsChecked: snapshots.count,
      snapshotsSkipped: skipped, witness: witness.place, statesCompared: statesCompared,
      disagreements: disagreements,
      damage: try revision == nil ? history.damage(after: last) : nil, actionsFolded: actionsFolded,
      skippedActions: report.skippedActions)
  }

  /// Returns at most ``gridPoints`` revisions above `lower`, evenly spaced, the last of them `upper`.
  static func grid(from lower: Int, to upper: Int) -> [Int] {
    let count = upper - lower
    guard count > gridPoints else { return Array(lower + 1...upper) }
    // This order of operations cannot overflow: the quotient is at least 1, and the remainder is spread over the first points.
    let (step, rest) = count.quotientAndRemainder(dividingBy: gridPoints)
    return (1...gridPoints).map { point in lower + step * point + min(point, rest) }
  }
}

// MARK: - Two folds

extension ReplayProofWork {
  private enum Folded: Sendable {
    case ours(DigestedFold)
    case theirs([StateDigest])
  }

  private func bothFolds(
    _ points: [Int], _ grid: [Int], _ checking: ReplayOptions
  ) throws -> (ours: DigestedFold, theirs: [StateDigest]?) {
    guard options.foldLimit > 1, options.decodesAhead else {
      return (try history.fold(takingDigestsAt: points, options: checking), nil)
    }
    var (ours, theirs) = (DigestedFold?.none, [StateDigest]?.none)
    let ending = OrderedJobs<Folded>.run(2, width: 2, isCancelled: options.isCancelled) {
      [history, options, otherWitness] number, output in
      var half = number == 0 ? checking : options
      half.foldLimit = options.foldLimit / 2
      half.isCancelled = { [asked = options.isCancelled] in output.isStopped || asked() }
      if number == 0 {
        try output.pass(.ours(history.fold(takingDigestsAt: points, options: half)))
      } else {
        try output.pass(.theirs((otherWitness ?? SameProcessWitness(history, half)).digests(at: grid)))
      }
    } consume: { folded in
      switch folded {
      case .ours(let fold): ours = fold
      case .theirs(let digests): theirs = digests
      }
      return true
    }
    switch ending {
    case .failed(let error): throw error
    case .complete, .noThread: return (try ours ?? history.fold(takingDigestsAt: points, options: checking), theirs)
    }
  }

  private mutating func secondFold(
    _ grid: [Int], _ computed: [Int: StateDigest], _ theirs: [StateDigest]?
  ) throws -> ReplayDisagreement? {
    let theirs = try checked(theirs ?? witness.digests(at: grid), at: grid)
    guard let index = grid.indices.first(where: { index in computed[grid[index]] != theirs[index] }) else { return nil }
    var lower = index == 0 ? history.firstRevision - 1 : grid[index - 1]
    var upper = grid[index]
    var attempts = 0
    while upper - lower > 1, attempts < Self.attemptLimit {
      let points = Self.grid(from: lower, to: upper)
      let ours = try self.ours(at: points)
      let theirs = try self.theirs(at: points)
      guard let index = points.indices.first(where: { index in ours[index] != theirs[index] }) else {
        attempts += 1
        continue
      }
      if index > 0 { lower = points[index - 1] }
      upper = points[index]
    }
    return ReplayDisagreement(
      kind: .secondFold, lastAgreement: lower, revision: upper, difference: try difference(at: upper),
      isByOtherCode: false)
  }

  private mutating func difference(at revision: Int) throws -> StateDifference? {
    for _ in 0..<Self.attemptLimit {
      let ours = try history.canonicalState(at: revision, options: options)
      let theirs = try witness.canonicalState(at: revision)
      actionsFolded += 2 * revision
      if let difference = try StateDifference(between: ours, theirs) { return difference }
    }
    return nil
  }

  private mutating func ours(at revisions: [Int]) throws -> [StateDigest] {
    actionsFolded += revisions.last ?? 0
    return try history.digests(at: revisions, options: options)
  }

  private mutating func theirs(at revisions: [Int]) throws -> [StateDigest] {
    try checked(witness.digests(at: revisions), at: revisions)
  }

  private mutating func checked(_ digests: [StateDigest], at revisions: [Int]) throws -> [StateDigest] {
    actionsFolded += revisions.last ?? 0
    statesCompared += revisions.count
    guard digests.count == revisions.count else {
      throw EventSourcingError(
        .divergence, "the second fold gave \(digests.count) digests where \(revisions.count) were asked for",
        path: history.path)
    }
    return digests
  }
}

// MARK: - Digests and snapshots

extension ReplayProofWork {
  private func comparableSnapshots(
    through last: Int, skipped: inout [SnapshotRefusal]
  ) throws -> [ComparedSnapshot] {
    guard let store = history.snapshots else { return [] }
    var snapshots: [ComparedSnapshot] = []
    for revision in try store.revisions() where revision >= history.firstRevision && revision <= last {
      do throws(SnapshotRefusal) {
        let snapshot = try store.read(at: revision)
        try history.checkBelonging(of: snapshot)
        snapshots.append(
          ComparedSnapshot(
            revision: revision, digest: StateDigest(canonicalBytes: snapshot.state), reducer: snapshot.reducer))
      } catch {
        skipped.append(error)
      }
    }
    return snapshots
  }

  /// Returns the first mismatching digest. A snapshot with that digest provides the recorded value.
  private mutating func digestDisagreement(
    _ report: ReplayReport, _ snapshots: [ComparedSnapshot]
  ) throws -> ReplayDisagreement? {
    guard let first = report.divergences.first else { return nil }
    var difference: StateDifference?
    let recorded = snapshots.first { snapshot in snapshot.revision == first.revision }
    if let recorded, recorded.digest == first.recorded {
      difference = try self.difference(from: recorded)
    }
    return ReplayDisagreement(
      kind: .digest, lastAgreement: first.lastAgreement, revision: first.revision, difference: difference,
      isByOtherCode: first.isByOtherReducer)
  }

  private mutating func snapshotDisagreement(
    _ snapshots: [ComparedSnapshot], _ computed: [Int: StateDigest]
  ) throws -> ReplayDisagreement? {
    var lastAgreement = 0
    for snapshot in snapshots {
      if snapshot.digest == computed[snapshot.revision] {
        lastAgreement = snapshot.revision
        continue
      }
      return ReplayDisagreement(
        kind: .snapshot, lastAgreement: min(lastAgreement, snapshot.revision - 1), revision: snapshot.revision,
        difference: try difference(from: snapshot),
        isByOtherCode: snapshot.reducer != (try history.identity.text()))
    }
    return nil
  }

  private mutating func difference(from compared: ComparedSnapshot) throws -> StateDifference? {
    guard let store = history.snapshots else { return nil }
    let recorded: Snapshot
    do throws(SnapshotRefusal) { recorded = try store.read(at: compared.revision) } catch {
      // A writer has removed it, so only the two digests are known.
      return nil
    }
    actionsFolded += compared.revision
    return try StateDifference(
      between: try history.canonicalState(at: compared.revision, options: options), recorded.state)
  }
}

extension History {
  fileprivate func damage(after last: Int) throws -> LogDamage? {
    var batches = try reader.batches(from: max(last, 1))
    do throws(LogError) {
      while let batch = try batches.nextBatch() { batches.recycle(batch) }
      return nil
    } catch {
      guard error.code == .damaged else { throw error }
      return LogDamage(lastIntactRevision: last, error.reading(from: firstRevision + 1))
    }
  }
}
