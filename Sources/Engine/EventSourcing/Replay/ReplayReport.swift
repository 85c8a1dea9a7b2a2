import ActionLog

/// What a replay did: the work that it took, counted.
public struct ReplayReport: Equatable, Sendable {
  /// The revision that the fold began at: that of the snapshot that was loaded, or 0.
  public var startRevision = 0
  /// Revisions that were folded: records of actions, whatever upcasters made of them.
  public var actionsFolded = 0
  /// Records of unknown types among them that were kept, and changed nothing: see ``UnknownTypePolicy/keep``.
  public var opaqueRecords = 0
  /// Snapshots that were loaded and used: 0 or 1 for each state.
  public var snapshotsLoaded = 0
  /// Snapshots that were looked at and not used, newest first.
  public var snapshotsRefused: [SnapshotRefusal] = []
  /// Actions that were folded to find out whether the code that runs took a snapshot; with ``Model/sourceFingerprint`` always 0.
  public var actionsExamined = 0
  /// Bytes read from the log's segments for the fold itself.
  public var bytesRead = 0
  /// The revision whose state is known to be what people saw, and was gone on from: see ``DivergencePolicy/freezeBase``.
  public var frozenRevision: Int?
  /// Digests in the log that were compared with the fold.
  public var digestsChecked = 0
  /// Digests that were recorded under another schema and differ: the state had another shape then, so they tell nothing.
  public var digestsOfOtherSchemas = 0
  /// Digests that differed from the fold, in order.
  public var divergences: [Divergence] = []
  /// The newest revision at which a digest agreed with the fold.
  var lastAgreement: Int?
  /// Damage that the log holds beyond the revisions that were folded.
  public var damage: LogDamage?

  /// A report of nothing done.
  public init() {}
}

/// Damage that ends the readable part of a log.
public struct LogDamage: Equatable, Sendable, CustomStringConvertible {
  /// The last intact revision.
  public var lastIntactRevision: Int
  /// What was found and where, in words.
  public var description: String

  /// Describes damage.
  public init(lastIntactRevision: Int, description: String) {
    self.lastIntactRevision = lastIntactRevision
    self.description = description
  }
}

/// A digest in the log that is not the digest of the state that the fold gives.
public struct Divergence: Equatable, Sendable, CustomStringConvertible {
  /// The revision at which the two differ. The cause lies between the last digest that agreed and here.
  public var revision: Int
  /// The digest in the log.
  public var recorded: StateDigest
  /// The digest of the folded state.
  public var computed: StateDigest
  /// Whether the digest was written by code with another fingerprint than that which folds now.
  public var isByOtherReducer: Bool
  /// The last revision at which a digest agreed, or that the fold began at.
  public var lastAgreement: Int

  /// Makes a divergence from its parts.
  public init(
    revision: Int, recorded: StateDigest, computed: StateDigest, isByOtherReducer: Bool, lastAgreement: Int
  ) {
    self.revision = revision
    self.recorded = recorded
    self.computed = computed
    self.isByOtherReducer = isByOtherReducer
    self.lastAgreement = lastAgreement
  }

  /// What differs, and what the likely reason is.
  public var description: String {
    let reason =
      isByOtherReducer
      ? "the digest was written by other code"
      : "the same code gave another state, so the reducer depends on more than its arguments, or was changed"
    return "state at revision \(revision) differs from the digest in the log "
      + "(last agreement at revision \(lastAgreement)): \(reason)"
  }
}

/// What to do when a digest differs.
public enum DivergencePolicy: Sendable {
  /// Go on with the folded state and report the difference: a corrected reducer must not lock people out of their log.
  case useFold
  /// Throw ``EventSourcingError/Code/divergence``.
  case fail
  /// Go on from the newest state that is the one that a digest in the log names: what people saw stays, and the actions behind it
  /// are folded by the code that runs. It is that of a snapshot, or the fold's, where a digest behind those agrees with it.
  ///
  /// Digests are compared, and the whole log is folded to find out, whatever ``ReplayOptions`` say of digests and snapshots.
  /// Without such a state it is as ``fail``. ``ReplayReport/divergences`` are then the digests behind that state that differ:
  /// there people saw something else, and ``History/freezeBase(into:at:configuration:)`` refuses to make a log of it.
  case freezeBase
}

/// How far a replay has come.
public struct ReplayProgress: Equatable, Sendable {
  /// The revision reached. A question that folds several ranges can reach a lower one later.
  public var revision: Int
  /// The revision at which the replay ends, where it is known.
  public var target: Int?
  /// The actions folded so far, by all folds of a question. It never decreases.
  public var actionsFolded: Int
  /// The most actions that can be folded, where that is known. A question can end with fewer.
  public var actionsLimit: Int?
  /// Bytes read from the log's segments.
  public var bytesRead: Int
}

/// How a replay is done.
public struct ReplayOptions: Sendable {
  /// Whether snapshots may be used. Without them the fold begins at revision 0.
  public var usesSnapshots = true
  /// Whether the digests in the log are compared with the fold. It costs an encoding of the state for each.
  public var checksDigests = false
  /// What to do when one differs.
  public var onDivergence = DivergencePolicy.useFold
  /// Whether a second thread reads and decodes ahead of the fold when there is much to fold. State, report and errors are
  /// the same either way.
  public var decodesAhead = true
  /// Called as the fold begins, with the revision that it begins at, and then about every 4 096 actions; on the thread that folds.
  public var progress: (@Sendable (ReplayProgress) -> Void)?
  /// Asked about every 1 024 actions; `true` ends the replay with a `CancellationError`.
  public var isCancelled: @Sendable () -> Bool = { Task.isCancelled }
  /// Makes what runs the second thread's work: a test's way to run it when it wants.
  package var makeExecutor: @Sendable () -> DecodingExecutor = { .thread() }
  /// How much is read at a time.
  package var chunkBytes = RecordBatchIterator.defaultChunkBytes

  /// The defaults: snapshots are used, digests are not checked, no progress is told, the task's cancellation counts.
  public init() {}
}

/// A state that was rebuilt, with its revision and the work that it took.
public struct Replayed<State: Sendable>: Sendable {
  /// The state after ``revision`` actions.
  public var state: State
  /// The revision.
  public var revision: Int
  /// The work that it took.
  public var report: ReplayReport

  /// Makes a result from its parts.
  public init(state: State, revision: Int, report: ReplayReport) {
    self.state = state
    self.revision = revision
    self.report = report
  }
}
