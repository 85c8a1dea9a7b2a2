import ActionLog

/// When a recorder takes a snapshot.
///
/// ```swift
/// let policy: SnapshotPolicy<AnimalsState> = .every(10_000).or(.logGrowth(factor: 4))
/// ```
public struct SnapshotPolicy<State: Sendable>: Sendable {
  private let isDue: @Sendable (SnapshotOccasion<State>) -> Bool

  /// A policy of the caller's own.
  ///
  /// - Parameter isDue: Called after each recorded action, so it should cost little.
  public init(_ isDue: @escaping @Sendable (SnapshotOccasion<State>) -> Bool) {
    self.isDue = isDue
  }

  /// Whether a snapshot should be taken.
  public func isDue(at occasion: SnapshotOccasion<State>) -> Bool {
    isDue(occasion)
  }
}

/// The moment after an action, as a ``SnapshotPolicy`` sees it.
public struct SnapshotOccasion<State: Sendable>: Sendable {
  /// The revision.
  public var revision: Int
  /// Actions since the last snapshot, or since the beginning.
  public var actionsSinceSnapshot: Int
  /// Bytes that the log has grown since the last snapshot, or since the beginning.
  public var logBytesSinceSnapshot: Int
  /// The size of the last snapshot's file; `nil` when there is none.
  public var lastSnapshotBytes: Int?
  /// How long a replay of the actions since the last snapshot would take, estimated.
  public var estimatedReplay: Duration
  /// The state at the revision. It is computed when asked for.
  public var state: State { makeState() }

  private let makeState: @Sendable () -> State

  /// Makes an occasion.
  public init(
    revision: Int,
    actionsSinceSnapshot: Int,
    logBytesSinceSnapshot: Int,
    lastSnapshotBytes: Int?,
    estimatedReplay: Duration,
    state: @escaping @Sendable () -> State
  ) {
    self.revision = revision
    self.actionsSinceSnapshot = actionsSinceSnapshot
    self.logBytesSinceSnapshot = logBytesSinceSnapshot
    self.lastSnapshotBytes = lastSnapshotBytes
    self.estimatedReplay = estimatedReplay
    self.makeState = state
  }
}

extension SnapshotPolicy {
  /// No snapshots: every opening folds the whole log.
  public static var never: SnapshotPolicy {
    SnapshotPolicy { _ in false }
  }

  /// A snapshot at every revision that is a multiple of `count`.
  ///
  /// - Parameter count: At least 1.
  public static func every(_ count: Int) -> SnapshotPolicy {
    precondition(count >= 1, "a snapshot policy counts at least one action")
    return SnapshotPolicy { occasion in occasion.revision % count == 0 }
  }

  /// A snapshot when the log has grown by `factor` times the size of the last one, and by `minimumBytes` at least.
  ///
  /// This bounds both costs: the bytes written for snapshots are at most 1/`factor` of those written for the log, and
  /// the log that an opening must fold is at most `factor` times the snapshot that it loads. It is the default.
  public static func logGrowth(factor: Int = 4, minimumBytes: Int = 65_536) -> SnapshotPolicy {
    precondition(factor >= 1 && minimumBytes >= 1, "a log grows by at least one byte")
    return SnapshotPolicy { occasion in
      let (limit, isTooLarge) = (occasion.lastSnapshotBytes ?? 0).multipliedReportingOverflow(by: factor)
      return !isTooLarge && occasion.logBytesSinceSnapshot >= Swift.max(limit, minimumBytes)
    }
  }

  /// A snapshot when folding the actions since the last one is estimated to take `duration`.
  public static func replayDuration(_ duration: Duration) -> SnapshotPolicy {
    SnapshotPolicy { occasion in occasion.estimatedReplay >= duration }
  }

  /// A snapshot when either policy asks for one.
  public func or(_ other: SnapshotPolicy) -> SnapshotPolicy {
    SnapshotPolicy { occasion in isDue(at: occasion) || other.isDue(at: occasion) }
  }
}

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
    restartCount()
    lastSnapshotBytes = count
  }

  /// Begins to count anew; also when a snapshot could not be taken, so that it is not tried again at every action.
  mutating func restartCount() {
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

/// Which snapshots are kept when a new one was taken.
///
/// Deleting a snapshot costs time, never correctness: the fold of the actions is the same. But after a change of the reducer only
/// snapshots of the older code hold what people saw, and can be frozen (``DivergencePolicy/freezeBase``): who wants to be able to
/// keeps ``all``, or at least those from before a new version.
public struct SnapshotRetention: Sendable {
  private let kept: @Sendable ([Int]) -> Set<Int>

  /// A rule of the caller's own: from all revisions, ascending, those to keep. The newest is kept in any case.
  public init(_ kept: @escaping @Sendable ([Int]) -> Set<Int>) {
    self.kept = kept
  }

  /// Keeps every snapshot.
  public static var all: SnapshotRetention {
    SnapshotRetention { revisions in Set(revisions) }
  }

  /// Keeps the newest ones.
  ///
  /// - Parameter count: At least 1.
  public static func newest(_ count: Int) -> SnapshotRetention {
    precondition(count >= 1, "at least one snapshot is kept")
    return SnapshotRetention { revisions in Set(revisions.suffix(count)) }
  }

  /// Keeps the newest `dense` snapshots, and of the older ones about `perDoubling` for each doubling of their distance.
  ///
  /// The number kept grows with the logarithm of the log's length, and a point at distance *d* from the end is at most
  /// about *d* / `perDoubling` actions from a snapshot, so old points stay cheap to reach. This is the default.
  public static func exponential(dense: Int = 4, perDoubling: Int = 4) -> SnapshotRetention {
    precondition(dense >= 1 && perDoubling >= 1, "at least one snapshot is kept")
    return SnapshotRetention { revisions in
      guard let newest = revisions.last else { return [] }
      var kept = Set(revisions.suffix(dense))
      var seen: Set<Int> = []
      // Oldest first: the member of a bucket that is kept stays the same while newer ones arrive behind it.
      for revision in revisions where newest > revision {
        let distance = newest - revision
        let doubling = Int.bitWidth - 1 - distance.leadingZeroBitCount
        let width = Swift.max(1, (1 << doubling) / perDoubling)
        // Buckets lie at fixed places on the axis of revisions, one set for each width.
        let (bucket, _) = (revision / width).multipliedReportingOverflow(by: Int.bitWidth)
        if seen.insert(bucket &+ doubling).inserted { kept.insert(revision) }
      }
      return kept
    }
  }
}

extension SnapshotRetention {
  /// The revisions whose snapshots go.
  ///
  /// - Parameter revisions: All revisions that have a snapshot, ascending.
  package func removed(from revisions: [Int]) -> [Int] {
    guard let newest = revisions.last else { return [] }
    let kept = kept(revisions)
    return revisions.filter { revision in revision != newest && !kept.contains(revision) }
  }
}
