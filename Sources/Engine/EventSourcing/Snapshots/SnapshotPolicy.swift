/// A rule that decides when a recorder takes a snapshot.
///
/// ```swift
/// let policy: SnapshotPolicy<AnimalsState> = .every(10_000).or(.logGrowth(factor: 4))
/// ```
public struct SnapshotPolicy<State: Sendable>: Sendable {
  private let isDue: @Sendable (SnapshotOccasion<State>) -> Bool

  /// Makes a custom policy.
  ///
  /// - Parameter isDue: Called after each recorded action, so it must be cheap.
  public init(_ isDue: @escaping @Sendable (SnapshotOccasion<State>) -> Bool) {
    self.isDue = isDue
  }

  /// Whether a snapshot is due.
  public func isDue(at occasion: SnapshotOccasion<State>) -> Bool {
    isDue(occasion)
  }
}

/// The input of a ``SnapshotPolicy``: the situation after an action.
public struct SnapshotOccasion<State: Sendable>: Sendable {
  /// The revision.
  public var revision: Int
  /// The number of actions since the last snapshot, or since the beginning.
  public var actionsSinceSnapshot: Int
  /// The number of bytes that the log has grown since the last snapshot, or since the beginning.
  public var logBytesSinceSnapshot: Int
  /// The size of the last snapshot's file; `nil` if there is none.
  public var lastSnapshotBytes: Int?
  /// The estimated duration of a replay of the actions since the last snapshot.
  public var estimatedReplay: Duration
  /// The estimated duration of loading the last snapshot; zero if there is none.
  public var estimatedLoad: Duration
  /// The state at the revision, computed on access.
  public var state: State { makeState() }

  private let makeState: @Sendable () -> State

  /// Makes an occasion.
  public init(
    revision: Int,
    actionsSinceSnapshot: Int,
    logBytesSinceSnapshot: Int,
    lastSnapshotBytes: Int?,
    estimatedReplay: Duration,
    estimatedLoad: Duration = .zero,
    state: @escaping @Sendable () -> State
  ) {
    self.revision = revision
    self.actionsSinceSnapshot = actionsSinceSnapshot
    self.logBytesSinceSnapshot = logBytesSinceSnapshot
    self.lastSnapshotBytes = lastSnapshotBytes
    self.estimatedReplay = estimatedReplay
    self.estimatedLoad = estimatedLoad
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

  /// ``logGrowth(factor:minimumBytes:)`` or ``openingTime(_:minimumBytes:)``, whichever is due first. This is the default of a
  /// recorder.
  ///
  /// An opening is estimated to load and fold for at most 250 ms, or, with a snapshot that takes longer to load, to fold at most as
  /// many bytes of the log as the snapshot has. The bytes written for snapshots are a quarter of those written to the log while
  /// openings are that fast, and at most as many as those written to the log, however slow the model is.
  ///
  /// The costs of the model are measured when the log is opened; see ``openingTime(_:minimumBytes:)``.
  public static var standard: SnapshotPolicy { .logGrowth().or(.openingTime()) }

  /// A snapshot when opening the log is estimated to take `limit`, and the log has grown by the size of the last snapshot and by
  /// at least `minimumBytes`.
  ///
  /// The estimate is the time to load the last snapshot and to fold the actions since. They are measured when the log is opened, if
  /// the opening loads a snapshot of 256 KiB or folds 1 000 actions. Otherwise, and for projections, a megabyte is assumed to load in
  /// 10 ms, and an action to fold in 4 µs. Because of the growth, the bytes written for snapshots are at most as many as those written
  /// to the log.
  public static func openingTime(_ limit: Duration = .milliseconds(250), minimumBytes: Int = 65_536) -> SnapshotPolicy {
    precondition(minimumBytes >= 1, "a log grows by at least one byte")
    return SnapshotPolicy { occasion in
      occasion.estimatedLoad + occasion.estimatedReplay >= limit
        && occasion.logBytesSinceSnapshot >= Swift.max(occasion.lastSnapshotBytes ?? 0, minimumBytes)
    }
  }

  /// A snapshot when the log has grown by `factor` times the size of the last one, and by at least `minimumBytes`.
  ///
  /// It bounds both costs: the bytes written for snapshots are at most 1/`factor` of the bytes written to the log, and the part of
  /// the log that an opening folds is at most `factor` times the size of the snapshot that it loads.
  public static func logGrowth(factor: Int = 4, minimumBytes: Int = 65_536) -> SnapshotPolicy {
    precondition(factor >= 1 && minimumBytes >= 1, "a log grows by at least one byte")
    return SnapshotPolicy { occasion in
      let (limit, isTooLarge) = (occasion.lastSnapshotBytes ?? 0).multipliedReportingOverflow(by: factor)
      return !isTooLarge && occasion.logBytesSinceSnapshot >= Swift.max(limit, minimumBytes)
    }
  }

  /// A snapshot when either policy requests one.
  public func or(_ other: SnapshotPolicy) -> SnapshotPolicy {
    SnapshotPolicy { occasion in isDue(at: occasion) || other.isDue(at: occasion) }
  }
}

/// The input of a ``SnapshotPolicy``, updated while actions are recorded.
struct SnapshotBookkeeping: Sendable {
  private var actionsSinceSnapshot = 0
  private var logBytesSinceSnapshot = 0
  /// Whether this process recorded an action after the last digest.
  private(set) var needsDigest = false
  /// The size of the last encoded snapshot state; `nil` if there is none.
  var lastSnapshotBytes: Int?
  /// The time that folding an action takes. Unless an opening has measured it: that of decoding with `Codable` and a small reducer.
  var replayCost = Duration.microseconds(4)
  /// The time that loading a byte takes. Unless an opening has measured it: that of decoding with `Codable`.
  private var loadCost = Duration.nanoseconds(10)

  /// The approximate size of a record without its type, data and metadata.
  static let envelopeBytes = 140
  /// The number of actions that an opening folds from which the time is a measurement: it includes opening files.
  static let measurableActions = 1_000
  /// The size of a snapshot from which the time to load it is a measurement.
  private static let measurableBytes = 1 << 18

  init(lastSnapshotBytes: Int?) { self.lastSnapshotBytes = lastSnapshotBytes }

  init(report: ReplayReport, loading: Duration, folding: Duration, last: (revision: Int, sizeBytes: Int?)?) {
    let count = report.actionsFolded
    // A snapshot may be newer than the log, whose last actions were lost.
    actionsSinceSnapshot = max(0, min(count, report.startRevision + count - (last?.revision ?? 0)))
    logBytesSinceSnapshot =
      count == 0 ? 0 : Int(Double(report.bytesRead) / Double(count) * Double(actionsSinceSnapshot))
    lastSnapshotBytes = last?.sizeBytes
    if count >= Self.measurableActions { replayCost = folding / count }
    if report.snapshotsLoaded > 0, let size = lastSnapshotBytes, size >= Self.measurableBytes {
      loadCost = loading / size
    }
  }

  mutating func count(bytes: Int) {
    needsDigest = true
    count(actions: 1, lineBytes: Self.envelopeBytes + bytes)
  }

  mutating func count(actions: Int, lineBytes: Int) {
    actionsSinceSnapshot += actions
    logBytesSinceSnapshot += lineBytes
  }

  mutating func tookDigest() { needsDigest = false }

  mutating func tookSnapshot(ofBytes count: Int) {
    restartCount()
    lastSnapshotBytes = count
  }

  /// Restarts the count. Called even if a snapshot could not be taken, so that it is not tried again after every action.
  mutating func restartCount() {
    actionsSinceSnapshot = 0
    logBytesSinceSnapshot = 0
  }

  func occasion<State>(
    at revision: Int, state: @escaping @Sendable () -> State
  ) -> SnapshotOccasion<State> {
    SnapshotOccasion(
      revision: revision,
      actionsSinceSnapshot: actionsSinceSnapshot,
      logBytesSinceSnapshot: logBytesSinceSnapshot,
      lastSnapshotBytes: lastSnapshotBytes,
      estimatedReplay: replayCost * actionsSinceSnapshot,
      estimatedLoad: loadCost * (lastSnapshotBytes ?? 0),
      state: state
    )
  }
}

/// A rule that decides which snapshots are kept after a new one was taken.
///
/// Deleting a snapshot costs time, never correctness: the fold of the actions is the same. But after a change of the reducer, only
/// snapshots of the older code hold the states that users saw, and can be frozen (``RecordingDivergencePolicy/freezeBase(into:)``).
/// To keep that option, keep ``all`` snapshots, or at least those taken before a new version.
public struct SnapshotRetention: Sendable {
  private let kept: @Sendable ([Int]) -> Set<Int>

  /// Makes a custom rule: `kept` receives all revisions, ascending, and returns those to keep. The newest is always kept.
  public init(_ kept: @escaping @Sendable ([Int]) -> Set<Int>) {
    self.kept = kept
  }

  /// Keeps every snapshot.
  public static var all: SnapshotRetention {
    SnapshotRetention { revisions in Set(revisions) }
  }

  /// Keeps the newest snapshots.
  ///
  /// - Parameter count: At least 1.
  public static func newest(_ count: Int) -> SnapshotRetention {
    precondition(count >= 1, "at least one snapshot is kept")
    return SnapshotRetention { revisions in Set(revisions.suffix(count)) }
  }

  /// Keeps the newest `dense` snapshots, and of the older ones about `perDoubling` for each doubling of their distance. This is the
  /// default.
  ///
  /// The number of kept snapshots grows with the logarithm of the log's length. A revision at distance *d* from the end is at most
  /// about *d* / `perDoubling` actions from a snapshot, so old revisions stay cheap to reach.
  public static func exponential(dense: Int = 4, perDoubling: Int = 4) -> SnapshotRetention {
    precondition(dense >= 1 && perDoubling >= 1, "at least one snapshot is kept")
    return SnapshotRetention { revisions in
      guard let newest = revisions.last else { return [] }
      var kept = Set(revisions.suffix(dense))
      var seen: Set<Int> = []
      // Oldest first, so that each bucket keeps the same snapshot while newer ones are added.
      for revision in revisions where newest > revision {
        let distance = newest - revision
        let doubling = Int.bitWidth - 1 - distance.leadingZeroBitCount
        let width = Swift.max(1, (1 << doubling) / perDoubling)
        // Buckets have fixed bounds, one set for each width.
        let (bucket, _) = (revision / width).multipliedReportingOverflow(by: Int.bitWidth)
        if seen.insert(bucket &+ doubling).inserted { kept.insert(revision) }
      }
      return kept
    }
  }
}

extension SnapshotRetention {
  package func removed(from revisions: [Int]) -> [Int] {
    guard let newest = revisions.last else { return [] }
    let kept = kept(revisions)
    return revisions.filter { revision in revision != newest && !kept.contains(revision) }
  }
}
