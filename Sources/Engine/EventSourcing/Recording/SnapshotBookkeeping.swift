import ActionLog

/// What a ``SnapshotPolicy`` is asked about, kept up while actions are recorded.
struct SnapshotBookkeeping: Sendable {
  private var actionsSinceSnapshot: Int
  private var logBytesSinceSnapshot: Int
  /// Whether an action was recorded after the last digest, by this process.
  private(set) var needsDigest = false
  /// The size of the last snapshot's state; of one that is being encoded it is not known yet.
  var lastSnapshotBytes: Int?
  /// What folding one action costs.
  private let replayCost: Duration

  /// What the envelope of a record takes besides its type, data and meta data, about.
  private static let envelopeBytes = 140
  /// What folding an action costs when this log cannot tell: decoding through `Codable` and a small reducer.
  private static let assumedReplayCost = Duration.microseconds(4)
  /// From how many folded actions on their time is taken as a measurement.
  private static let measurableActions = 1_000

  /// Begins where a replay ended.
  init(report: ReplayReport, duration: Duration, lastSnapshotBytes: Int?) {
    actionsSinceSnapshot = report.actionsFolded
    logBytesSinceSnapshot = report.actionsFolded == 0 ? 0 : report.bytesRead
    self.lastSnapshotBytes = lastSnapshotBytes
    replayCost =
      report.actionsFolded >= Self.measurableActions ? duration / report.actionsFolded : Self.assumedReplayCost
  }

  /// Counts an action that is about to be written.
  ///
  /// - Parameter bytes: Those of its type, its data and its meta data.
  mutating func count(bytes: Int) {
    needsDigest = true
    actionsSinceSnapshot += 1
    logBytesSinceSnapshot += Self.envelopeBytes + bytes
  }

  /// Notes that a digest follows the last action.
  mutating func tookDigest() { needsDigest = false }

  /// Begins to count anew after a snapshot.
  mutating func tookSnapshot(ofBytes count: Int) {
    beginAnew()
    lastSnapshotBytes = count
  }

  /// Begins to count anew; also when a snapshot could not be taken, so that it is not tried again at every action.
  mutating func beginAnew() {
    actionsSinceSnapshot = 0
    logBytesSinceSnapshot = 0
  }

  /// What a policy sees at a revision.
  func occasion<State>(
    at revision: Int, state: @escaping @Sendable () -> State
  ) -> SnapshotOccasion<State> {
    SnapshotOccasion(
      revision: revision,
      actionsSinceSnapshot: actionsSinceSnapshot,
      logBytesSinceSnapshot: logBytesSinceSnapshot,
      lastSnapshotBytes: lastSnapshotBytes,
      estimatedReplay: replayCost * actionsSinceSnapshot,
      state: state
    )
  }
}
