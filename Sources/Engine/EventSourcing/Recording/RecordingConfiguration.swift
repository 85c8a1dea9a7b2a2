public import ActionLog

/// The configuration of a ``Recorder``, a ``RecordingStore`` or a ``LogStore``.
public struct RecordingConfiguration<M: Model>: Sendable {
  /// The configuration of the log: durability, size of segments, handling of a torn tail.
  public var log: LogConfiguration
  /// The policy for taking snapshots. They are written in the background, one at a time. If they become due faster than they are written,
  /// up to 64 MiB of states wait, and older ones beyond that are dropped.
  public var snapshots: SnapshotPolicy<M.State>
  /// The rule for keeping snapshots.
  public var retention: SnapshotRetention
  /// When the digest of the state is written into the log, in addition to revision 0.
  public var digests: DigestPolicy
  /// When a checkpoint of the log is stored.
  public var checkpoints: CheckpointPolicy
  /// Metadata added to every action.
  public var meta: RecordMeta
  /// Returns additional metadata for an action.
  public var metaOfAction: (@Sendable (M.Action) -> RecordMeta?)?
  /// The limit on the recording of refused actions.
  public var refusals: RefusalPolicy
  /// The number of the last actions among which a ``LogStore`` looks for a command that it receives again; 10 000 by default.
  public var commandWindow: Int
  /// The reaction to digests that do not match the fold. To compare all of them, opening folds the whole log and encodes the state
  /// for each digest.
  public var onDivergence: RecordingDivergencePolicy
  /// Called after every change of a recorder's status, in order and one at a time, on any thread. It must not block.
  public var onStatusChange: (@Sendable (RecorderStatus.Phase) -> Void)?
  /// Called with conditions to show to the user: see ``RecordingNotice``. Called on any thread; it must not block. `nil`, the
  /// default, writes a line for each notice to standard error; `{ _ in }` ignores them.
  public var onNotice: (@Sendable (RecordingNotice) -> Void)?

  /// Makes a configuration. Every argument has a default.
  public init(
    log: LogConfiguration = LogConfiguration(),
    snapshots: SnapshotPolicy<M.State> = .standard,
    retention: SnapshotRetention = .exponential(),
    digests: DigestPolicy = .withSnapshots,
    checkpoints: CheckpointPolicy = .never,
    meta: RecordMeta = RecordMeta(),
    metaOfAction: (@Sendable (M.Action) -> RecordMeta?)? = nil,
    refusals: RefusalPolicy = RefusalPolicy(),
    commandWindow: Int = 10_000,
    onDivergence: RecordingDivergencePolicy = .useFold,
    onStatusChange: (@Sendable (RecorderStatus.Phase) -> Void)? = nil,
    onNotice: (@Sendable (RecordingNotice) -> Void)? = nil
  ) {
    self.log = log
    self.snapshots = snapshots
    self.retention = retention
    self.digests = digests
    self.checkpoints = checkpoints
    self.meta = meta
    self.metaOfAction = metaOfAction
    self.refusals = refusals
    self.commandWindow = commandWindow
    self.onDivergence = onDivergence
    self.onStatusChange = onStatusChange
    self.onNotice = onNotice
  }
}

/// When the digest of the state is written into the log, in addition to revision 0.
///
/// A digest takes an encoding of the whole state and lets every later replay verify itself up to this revision. Unless the policy
/// is ``onlyAtStart``, closing writes a digest as well if actions were recorded after the last one, so that a change of the reducer
/// is detected for the last actions, too.
public enum DigestPolicy: Sendable, Equatable {
  /// Only at revision 0.
  case onlyAtStart
  /// At the revisions of snapshots. One encoding of the state serves both.
  case withSnapshots
  /// At every revision that is a multiple of the number, which is at least 1, and with snapshots.
  case every(Int)

  func isDue(at revision: Int, withSnapshot takesSnapshot: Bool) -> Bool {
    switch self {
    case .onlyAtStart: false
    case .withSnapshots: takesSnapshot
    case .every(let count): takesSnapshot || (count >= 1 && revision % count == 0)
    }
  }
}

/// A limit on the recording of refused actions: `limit` in every `window`. Further ones are only counted, and the count is written
/// with the next one that is recorded.
///
/// Without a limit, a front end that dispatches a refused action in a loop would fill the disk.
public struct RefusalPolicy: Sendable, Equatable {
  /// The number to record in each window; 0 records none.
  public var limit: Int
  /// The length of a window.
  public var window: Duration

  /// Makes a policy.
  public init(limit: Int = 100, window: Duration = .seconds(60)) {
    self.limit = limit
    self.window = window
  }
}

/// The reaction of a recorder to digests that do not match the fold: the reducer was changed.
public enum RecordingDivergencePolicy: Sendable, Equatable {
  /// Continue with the folded state, as the present code computes it. This is the default. Only the digest of the last revision is
  /// compared, if code with the same fingerprint recorded it: ``RecordingNotice/digestMismatch(_:log:)``.
  case useFold
  /// Refuse to open with ``EventSourcingError/Code/divergence``. To find out, opening folds the whole log without snapshots.
  case fail
  /// Continue with the recorded state, in a new log at this path that names the old one as its parent.
  ///
  /// To find out, opening folds the whole log without snapshots. If the log at the path exists and was made this way, recording
  /// continues there: the configuration can stay the same, and the old log is no longer written. To freeze again after another
  /// change, open the new log with a path for the next one.
  ///
  /// If the actions after the newest snapshot of the old code fold to a state that does not match a digest in the log, the recorded
  /// state at the end is lost, and opening throws ``EventSourcingError/Code/divergence``. See
  /// `History.freezeBase(into:at:configuration:)`.
  case freezeBase(into: String)
}

extension RecordingConfiguration {
  func notify(_ notice: RecordingNotice) {
    if let onNotice { onNotice(notice) } else { SystemCall.writeToStandardError("warning: \(notice)") }
  }
}

/// A condition that the owner of the log should know. Unless ``RecordingConfiguration/onNotice`` takes them, notices go to standard
/// error.
public enum RecordingNotice: Sendable {
  /// The previous writer was interrupted within a line, and opening moved the incomplete line out of the log.
  case tornTailCut(_ recovered: LogOpening.Recovered, log: String)
  /// The state at the last revision differs from its digest, which code with the same fingerprint has recorded. Recording continues
  /// with the rebuilt state.
  case digestMismatch(_ divergence: Divergence, log: String)
  /// A snapshot or digest could not be taken, or a snapshot could not be removed. The notice is sent once for each opening of the
  /// log. Each due snapshot is another attempt; ``RecorderStatus/snapshotError`` has the last error.
  case snapshotFailed(_ error: any Error, log: String)
  /// A checkpoint could not be stored. The notice is sent again only after a success. ``RecorderStatus/checkpointError`` has the last
  /// error.
  ///
  /// An error with the code `damaged` means that the log does not lead to its last checkpoint: lines were changed by others.
  case checkpointFailed(_ error: any Error, log: String)
  /// The recorder stopped, for instance because the disk is full: ``RecorderStatus/Phase/stopped(_:)``. Its store accepts actions,
  /// which are kept until ``Recorder/resume()``. The notice is sent again only after an action was recorded.
  case recordingStopped(_ error: any Error, log: String)
  /// The recorder failed: ``RecorderStatus/Phase/failed(_:)``. Its store refuses all later actions.
  case recordingFailed(_ error: any Error, lost: Int, log: String)
  /// An action that a store had accepted is not recorded: the recorder was abandoned. The notice is sent once.
  case actionNotRecorded(log: String)
  /// The removal of a log of a ``LogSet`` was interrupted, and opening the set could not finish it: its data are still at the path. The
  /// next opening tries again.
  case removalUnfinished(_ error: any Error, log: String)
}

extension RecordingNotice: CustomStringConvertible {
  /// The condition and its consequences in one line.
  public var description: String { text.description }

  /// The condition and its consequences, with references to the operations that help.
  public var text: MessageText {
    switch self {
    case .tornTailCut(let recovered, let log):
      "the last writer was interrupted: moved \(Self.count(recovered.bytes, "byte")) of an incomplete line to "
        + "\(log)/\(recovered.file)"
    case .digestMismatch(let divergence, let log):
      "the state of \(log) at revision \(divergence.revision) differs from its digest, which was recorded by code with the same "
        + "fingerprint. \(Divergence.causes) \(.operation("replay", .path(log), .option("verify"))) finds the revision."
    case .snapshotFailed(let error, let log):
      .sentences(
        "no snapshot of \(log) can be written: \(Self.headline(error)). The log is not affected, but opening it takes longer.",
        (error as? any DescribedError)?.advice)
    case .checkpointFailed(let error, let log):
      "no checkpoint of \(log) can be stored: \(Self.headline(error)). Recording continues."
    case .recordingStopped(let error, let log):
      "recording to \(log) has stopped: \(Self.headline(error)). Actions are accepted and kept in memory until it is resumed."
    case .recordingFailed(let error, let lost, let log):
      .sentences(
        "recording to \(log) has failed: \(Self.headline(error)).",
        lost == 0 ? nil : "The log lacks \(Self.count(lost, "accepted action")).",
        "All further actions are refused.", (error as? any DescribedError)?.advice)
    case .actionNotRecorded(let log):
      "recording to \(log) was abandoned: an action that was accepted is not recorded"
    case .removalUnfinished(let error, let log):
      "the data of a log that was removed are still in \(log): \(Self.headline(error)). Remove them, or open the set again."
    }
  }

  private static func headline(_ error: any Error) -> String {
    (error as? any DescribedError)?.headline ?? "\(error)"
  }

  private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
