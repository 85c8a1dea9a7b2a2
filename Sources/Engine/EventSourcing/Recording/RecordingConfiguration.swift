public import ActionLog

/// How a ``Recorder`` or a ``RecordingStore`` records.
public struct RecordingConfiguration<M: Model>: Sendable {
  /// How the log is written: durability, size of segments, what to do with a torn tail.
  public var log: LogConfiguration
  /// When snapshots are taken. They are written in the background, one after the other; where they fall due faster than that, as
  /// many wait as take 64 MiB together, and the older ones of more are left out.
  public var snapshots: SnapshotPolicy<M.State>
  /// Which snapshots are kept.
  public var retention: SnapshotRetention
  /// When the digest of the state is written into the log, besides revision 0.
  public var digests: DigestPolicy
  /// What is said of every action.
  public var meta: RecordMeta
  /// What is said of an action in addition.
  public var metaOfAction: (@Sendable (M.Action) -> RecordMeta?)?
  /// How many refused actions are recorded.
  public var refusals: RefusalPolicy
  /// What to do when the log's digests show that this code folds another state. To compare them, opening folds the whole
  /// log and encodes the state for each.
  public var onDivergence: RecordingDivergencePolicy
  /// Told of every change of a recorder's status, in order and one at a time, on whatever thread. It must not block.
  public var onStatusChange: (@Sendable (RecorderStatus.Phase) -> Void)?
  /// Told what a person should hear of, though recording goes on: see ``RecordingNotice``. On whatever thread; it must not block.
  public var onNotice: (@Sendable (RecordingNotice) -> Void)?

  /// Makes a configuration; what is not named has its default.
  public init(
    log: LogConfiguration = LogConfiguration(),
    snapshots: SnapshotPolicy<M.State> = .logGrowth(),
    retention: SnapshotRetention = .exponential(),
    digests: DigestPolicy = .withSnapshots,
    meta: RecordMeta = RecordMeta(),
    metaOfAction: (@Sendable (M.Action) -> RecordMeta?)? = nil,
    refusals: RefusalPolicy = RefusalPolicy(),
    onDivergence: RecordingDivergencePolicy = .useFold,
    onStatusChange: (@Sendable (RecorderStatus.Phase) -> Void)? = nil,
    onNotice: (@Sendable (RecordingNotice) -> Void)? = nil
  ) {
    self.log = log
    self.snapshots = snapshots
    self.retention = retention
    self.digests = digests
    self.meta = meta
    self.metaOfAction = metaOfAction
    self.refusals = refusals
    self.onDivergence = onDivergence
    self.onStatusChange = onStatusChange
    self.onNotice = onNotice
  }
}

/// When the digest of the state is written into the log, besides revision 0, where it always is.
///
/// A digest costs an encoding of the whole state and lets every later replay prove itself up to this revision. Unless the policy is
/// ``onlyAtStart``, closing writes one, too, if actions were recorded after the last: so a change of the reducer shows for the last
/// actions as well.
public enum DigestPolicy: Sendable, Equatable {
  /// Only at revision 0.
  case onlyAtStart
  /// At the revisions of snapshots, whose encoding is used for both.
  case withSnapshots
  /// At every revision that is a multiple of the number, which is at least 1, and with snapshots.
  case every(Int)

  /// Whether a digest is due at a revision.
  func isDue(at revision: Int, withSnapshot takesSnapshot: Bool) -> Bool {
    switch self {
    case .onlyAtStart: false
    case .withSnapshots: takesSnapshot
    case .every(let count): takesSnapshot || (count >= 1 && revision % count == 0)
    }
  }
}

/// How many refused actions are recorded: `limit` in every `window`; further ones are only counted, and the count is
/// written with the next one that is recorded.
///
/// A front end that dispatches a refused action in a loop would otherwise fill the disk.
public struct RefusalPolicy: Sendable, Equatable {
  /// The number recorded in each window; 0 records none.
  public var limit: Int
  /// The length of a window.
  public var window: Duration

  /// Makes a policy.
  public init(limit: Int = 100, window: Duration = .seconds(60)) {
    self.limit = limit
    self.window = window
  }
}

/// What a recorder does when the log's digests show that its state is not what this code folds: the reducer was changed.
public enum RecordingDivergencePolicy: Sendable, Equatable {
  /// Go on with the folded state, as the code of now sees the past. The default; no digest is compared for it.
  case useFold
  /// Refuse to open: ``EventSourcingError/Code/divergence``. Opening folds the whole log, without snapshots, to find out.
  case fail
  /// Go on with the state that people saw, in a new log at this path that names the old one as its parent.
  ///
  /// Opening folds the whole log, without snapshots, to find out. Where the log at the path exists and was made so,
  /// recording goes on there: the configuration can stay as it is, and the old log is not written to any more. To freeze once
  /// more, after another change, open the new log with a path for the next one.
  ///
  /// Where actions behind the newest snapshot of then give another state than a digest in the log names, what people saw at the
  /// end is not left, and opening is refused: ``EventSourcingError/Code/divergence``. See
  /// ``History/freezeBase(into:at:configuration:)``.
  case freezeBase(into: String)
}

/// What a recorder tells besides its status: nothing that keeps it from recording, and nothing that should be kept from the person
/// whose log it is.
public enum RecordingNotice: Sendable {
  /// The writer before was cut off within a line, and opening moved what it left of that out of the log.
  ///
  /// - Parameters:
  ///   - recovered: How much, and the file that keeps it.
  ///   - log: The path of the log.
  case tornTailCut(_ recovered: LogOpening.Recovered, log: String)
  /// A snapshot or digest could not be taken, or a snapshot not be removed. It is told once for each opening of the log, and
  /// tried again with each snapshot that falls due; ``RecorderStatus/snapshotError`` has the last one.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - log: The path of the log, which is not affected: only the next opening takes longer.
  case snapshotFailed(_ error: any Error, log: String)
  /// A detached store has accepted an action, which is not recorded: the recorder was closed, or listens to another store. It is
  /// sent once for each time that a store is detached, on the thread of the dispatch or of the recorder.
  ///
  /// - Parameter log: The path of the log, which lacks the action.
  case actionNotRecorded(log: String)
}
