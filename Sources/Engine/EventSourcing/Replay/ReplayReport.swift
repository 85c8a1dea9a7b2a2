public import ActionLog

/// A report of the work that a replay did.
public struct ReplayReport: Equatable, Sendable {
  /// The revision at which the fold began: the revision of the loaded snapshot, or 0.
  public var startRevision = 0
  /// The number of revisions that were folded. A record counts once, however many actions it decodes to.
  public var actionsFolded = 0
  /// The number of folded records that were kept because their type is unknown, and changed nothing: see
  /// ``UnknownTypePolicy/keep``.
  public var opaqueRecords = 0
  /// The number of folded records that a redaction excludes: they have their revisions and changed nothing.
  public var skippedActions = 0
  /// The number of snapshots that were loaded and used: 0 or 1 for each state.
  public var snapshotsLoaded = 0
  /// The snapshots that were not used, newest first; of a model without a ``Model/sourceFingerprint`` only the newest.
  public var snapshotsRefused: [SnapshotRefusal] = []
  /// The number of bytes read from the log's segments for the fold itself.
  public var bytesRead = 0
  /// The revision of the recorded state from which a frozen log continues: see `History.freezeBase(into:at:configuration:)`.
  public var frozenRevision: Int?
  /// The number of digests in the log that were compared with the fold.
  public var digestsChecked = 0
  /// The number of mismatching digests that were recorded under another schema. The state had another shape then, so they are no
  /// divergences.
  public var digestsOfOtherSchemas = 0
  /// The mismatches between digests in the log and the fold, in order.
  public var divergences: [Divergence] = []
  var lastAgreement: Int?
  /// Damage after the folded revisions.
  public var damage: LogDamage?

  package init() {}
}

/// Damage that ends the readable part of a log.
public struct LogDamage: Equatable, Sendable, CustomStringConvertible {
  /// The last intact revision.
  public var lastIntactRevision: Int
  /// The damage and its location, and what to do.
  public var text: MessageText

  package init(lastIntactRevision: Int, _ error: LogError) {
    self.lastIntactRevision = lastIntactRevision
    text = error.text
  }

  /// The text, for people.
  public var description: String { text.description }
}

/// A mismatch between a digest in the log and the folded state.
public struct Divergence: Equatable, Sendable, CustomStringConvertible {
  /// The revision of the digest. The cause is between the last matching digest and this revision.
  public var revision: Int
  /// The digest in the log.
  public var recorded: StateDigest
  /// The digest of the folded state.
  public var computed: StateDigest
  /// Whether the digest was written by code with another fingerprint than the present code.
  public var isByOtherReducer: Bool
  /// The last revision with a matching digest, or the revision at which the fold began.
  public var lastAgreement: Int

  /// The possible causes if the digest was recorded by code with the same fingerprint.
  static let causes =
    "The reducer was changed since, or depends on more than its arguments, or an action or a value of the state decodes to "
    + "another one than was encoded."

  /// The difference, and the likely reason.
  public var description: String {
    let reason =
      isByOtherReducer
      ? "the digest was written by other code"
      : "the same code folded to another state, so the reducer depends on more than its arguments, or was changed, or an action "
        + "decodes to another one than was recorded"
    return "state at revision \(revision) differs from the digest in the log "
      + "(last agreement at revision \(lastAgreement)): \(reason)"
  }
}

/// The progress of a replay.
public struct ReplayProgress: Equatable, Sendable {
  /// The last folded revision. A question that folds several ranges can report a lower one later.
  public var revision: Int
  /// The revision at which the replay ends, if it is known.
  public var target: Int?
  /// The number of actions folded so far, by all folds of a question. It never decreases.
  public var actionsFolded: Int
  /// The largest number of actions that will be folded, if it is known. A question may end earlier.
  public var actionsLimit: Int?
  /// The number of bytes read from the log's segments.
  public var bytesRead: Int
}

/// The options of a replay.
public struct ReplayOptions: Sendable {
  /// Whether snapshots may be used. Without them, the fold begins at revision 0.
  public var usesSnapshots = true
  /// Whether the digests in the log are compared with the fold. Each comparison encodes the state.
  public var checksDigests = false
  /// Whether a second thread reads and decodes ahead of a long fold, and whether ranges between snapshots are folded side by side
  /// where that answers a question sooner. States, answers and errors are the same either way.
  public var decodesAhead = true
  /// Called when the fold begins, with its first revision, and then about every 4 096 actions, by one folding
  /// thread at a time.
  public var progress: (@Sendable (ReplayProgress) -> Void)?
  /// Called about every 1 024 actions; `true` ends the replay with a `CancellationError`.
  public var isCancelled: @Sendable () -> Bool = { Task.isCancelled }
  /// Called on any thread with the refusal of each snapshot that cannot be used, perhaps more than once.
  package var refused: (@Sendable (SnapshotRefusal) -> Void)?
  /// Whether the digest at the last revision is compared with the fold, if code with the same fingerprint recorded it.
  var checksLastDigest = false
  /// Makes the executor of the second thread. Tests replace it to control the interleaving.
  package var makeExecutor: @Sendable () -> DecodingExecutor = { .thread() }
  /// The number of ranges to fold at a time: 1 for none side by side.
  package var foldLimit = ProcessorCount.forFolds
  /// The number of actions of the shortest range that is worth a thread and two snapshots.
  package var shortestRange = 4_096
  /// The number of actions in a block of an index of changes: folding and comparing so many takes about as long as starting a process.
  package var indexBlockLength = 4_096
  /// The number of actions that a question must otherwise fold for an index of changes to be made.
  package var minimumActionsToIndex = 1 << 17
  package var chunkBytes = RecordBatch.defaultChunkBytes

  /// The defaults: snapshots are used, digests are not checked, progress is not reported, and the task's cancellation ends the
  /// replay.
  public init() {}
}

extension ReplayOptions {
  /// Reports actions that are examined or read before as many are folded.
  package func reportExamined(_ count: Int, of limit: Int?) {
    progress?(
      ReplayProgress(
        revision: 0, target: nil, actionsFolded: count, actionsLimit: limit.map { limit in 2 * limit }, bytesRead: 0))
  }

  /// The options of the fold after an examination: its progress continues where that of the examination ended.
  func reporting(afterExamined count: Int) -> ReplayOptions {
    guard let progress else { return self }
    var options = self
    options.progress = { step in
      var step = step
      step.actionsFolded += count
      // The fold takes as many actions as the examination.
      step.actionsLimit = (step.actionsLimit ?? count) + count
      progress(step)
    }
    return options
  }
}

/// The replay by which a log was opened for recording. The rebuilt state is that of the store, and is not kept a second time.
public struct Restoration: Sendable {
  /// The revision of the rebuilt state: the last one of the log.
  public let revision: Int
  /// The report of the work.
  public let report: ReplayReport
}

/// A rebuilt state, with its revision and a report of the work.
public struct Replayed<State: Sendable>: Sendable {
  /// The state after ``revision`` actions.
  public var state: State
  /// The revision of the state.
  public var revision: Int
  /// The report of the work.
  public var report: ReplayReport

  package init(state: State, revision: Int, report: ReplayReport) {
    self.state = state
    self.revision = revision
    self.report = report
  }
}
