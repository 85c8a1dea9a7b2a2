import ActionLog
import Platform

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
  /// The estimate is measured when the log is opened, if the opening folds 1 000 actions or more, and while it is recorded: after a
  /// snapshot was written, the thread that wrote it loads an earlier one, or the state that the log begins with, and folds at most
  /// 4 672 actions after it. It stops after 10 ms, at the end of the 64 or 512 actions that it has begun. A new log is measured with
  /// its first snapshot, and each log again when it has twice as many actions as at the last measurement. No action waits for it,
  /// and closing begins none.
  public static var standard: SnapshotPolicy { .logGrowth().or(.openingTime()) }

  /// A snapshot when opening the log is estimated to take `limit`, and the log has grown by the size of the last snapshot and by
  /// at least `minimumBytes`.
  ///
  /// The estimate is the time to load the last snapshot and to fold the actions since. Both are measured as ``standard`` describes;
  /// before that, a megabyte is assumed to load in 10 ms, and an action to fold in 4 µs. Projections assume these numbers. Because of
  /// the growth, the bytes written for snapshots are at most as many as those written to the log.
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

  /// A snapshot when folding the actions since the last one is estimated to take `duration`.
  public static func replayDuration(_ duration: Duration) -> SnapshotPolicy {
    SnapshotPolicy { occasion in occasion.estimatedReplay >= duration }
  }

  /// A snapshot when either policy requests one.
  public func or(_ other: SnapshotPolicy) -> SnapshotPolicy {
    SnapshotPolicy { occasion in isDue(at: occasion) || other.isDue(at: occasion) }
  }
}

/// The input of a ``SnapshotPolicy``, updated while actions are recorded.
struct SnapshotBookkeeping: Sendable {
  private var actionsSinceSnapshot: Int
  private var logBytesSinceSnapshot: Int
  /// Whether this process recorded an action after the last digest.
  private(set) var needsDigest = false
  /// The size of the last encoded snapshot state; `nil` if there is none.
  var lastSnapshotBytes: Int?
  private var costs: OpeningCosts
  /// The first revision whose snapshot is an occasion to measure the costs again.
  private var nextMeasurement: Int

  /// The approximate size of a record without its type, data and metadata.
  static let envelopeBytes = 140
  /// The time that folding an action takes if too few were folded to measure it: decoding with `Codable` and a small reducer.
  private static let assumedReplayCost = Duration.microseconds(4)
  /// The number of actions that an opening folds from which the time is a measurement: it includes opening files.
  static let measurableActions = 1_000
  /// The time that loading a byte takes if too few were loaded to measure it: decoding with `Codable`.
  private static let assumedLoadCost = Duration.nanoseconds(10)

  /// Begins at the end of a replay.
  ///
  /// - Parameters:
  ///   - report: The replay.
  ///   - loading: The time before the first action was folded: the snapshot was loaded and examined.
  ///   - folding: The time from there to the end.
  ///   - lastSnapshotBytes: The size of the newest snapshot; `nil` if there is none.
  init(
    report: ReplayReport = ReplayReport(), loading: Duration = .zero, folding: Duration = .zero, lastSnapshotBytes: Int?
  ) {
    actionsSinceSnapshot = report.actionsFolded
    logBytesSinceSnapshot = report.actionsFolded == 0 ? 0 : report.bytesRead
    self.lastSnapshotBytes = lastSnapshotBytes
    costs = OpeningCosts(loading: loading, ofBytes: report.snapshotsLoaded > 0 ? lastSnapshotBytes : nil)
    let revision = report.startRevision + report.actionsFolded
    if report.actionsFolded >= Self.measurableActions {
      costs.replay = folding / report.actionsFolded
      nextMeasurement = 2 * revision
    } else {
      nextMeasurement = revision + OpeningCosts.fewestActions
    }
  }

  /// Counts an action that is about to be written.
  ///
  /// - Parameter bytes: The size of its type, data and metadata.
  mutating func count(bytes: Int) {
    needsDigest = true
    actionsSinceSnapshot += 1
    logBytesSinceSnapshot += Self.envelopeBytes + bytes
  }

  /// Counts actions that were folded.
  ///
  /// - Parameter lineBytes: The size of their lines.
  mutating func count(actions: Int, lineBytes: Int) {
    actionsSinceSnapshot += actions
    logBytesSinceSnapshot += lineBytes
  }

  /// Whether the costs have to be measured with the snapshot at a revision. If so, the next time is when the log has twice as many
  /// actions, because the costs can grow with the state.
  mutating func beginMeasurement(at revision: Int) -> Bool {
    guard revision >= nextMeasurement else { return false }
    nextMeasurement = 2 * revision
    return true
  }

  /// Replaces the costs that were measured.
  mutating func adopt(_ measured: OpeningCosts) {
    costs.replay = measured.replay ?? costs.replay
    costs.load = measured.load ?? costs.load
  }

  /// Returns to earlier counts. The costs stay: they may have been measured since.
  mutating func restoreCounts(of earlier: SnapshotBookkeeping) {
    let (costs, nextMeasurement) = (costs, nextMeasurement)
    self = earlier
    (self.costs, self.nextMeasurement) = (costs, nextMeasurement)
  }

  /// Records that a digest follows the last action.
  mutating func tookDigest() { needsDigest = false }

  /// Restarts the count after a snapshot.
  mutating func tookSnapshot(ofBytes count: Int) {
    restartCount()
    lastSnapshotBytes = count
  }

  /// Restarts the count. Called even if a snapshot could not be taken, so that it is not tried again after every action.
  mutating func restartCount() {
    actionsSinceSnapshot = 0
    logBytesSinceSnapshot = 0
  }

  /// Returns the input of a policy at a revision.
  func occasion<State>(
    at revision: Int, state: @escaping @Sendable () -> State
  ) -> SnapshotOccasion<State> {
    SnapshotOccasion(
      revision: revision,
      actionsSinceSnapshot: actionsSinceSnapshot,
      logBytesSinceSnapshot: logBytesSinceSnapshot,
      lastSnapshotBytes: lastSnapshotBytes,
      estimatedReplay: (costs.replay ?? Self.assumedReplayCost) * actionsSinceSnapshot,
      estimatedLoad: (costs.load ?? Self.assumedLoadCost) * (lastSnapshotBytes ?? 0),
      state: state
    )
  }
}

/// The durations from which the time of an opening is estimated.
struct OpeningCosts: Sendable {
  /// The time that folding one action takes; `nil` if it was not measured.
  var replay: Duration?
  /// The time that loading one byte of a snapshot takes; `nil` if it was not measured.
  var load: Duration?

  /// The size of a snapshot from which the time to load it is a measurement.
  private static let measurableBytes = 1 << 18
  /// The number of actions of a sample from which its time is a measurement.
  static let fewestActions = 64
  /// The numbers of actions of the samples. A slow model is measured with the first sample, which takes seconds only if an action
  /// takes 16 ms or more; a fast model, with the last one.
  fileprivate static let samples = [fewestActions, 512, 4_096]
  /// The duration of a sample that is long enough for the precision of the clock and of one measurement.
  fileprivate static let longEnough = Duration.milliseconds(10)

  /// Makes the costs of loading a snapshot.
  init(loading: Duration, ofBytes count: Int?) {
    let count = count ?? 0
    load = count >= Self.measurableBytes ? loading / count : nil
  }
}

extension History {
  /// Measures the costs of an opening on the caller's thread: loads a snapshot, or the state that the log begins with, and folds
  /// some of the actions after it.
  ///
  /// The clock is read twice for the snapshot and twice for each of at most three samples.
  ///
  /// - Parameters:
  ///   - revision: The last revision to fold. The snapshot is the newest one that enough actions follow up to here.
  ///   - uptime: The clock.
  /// - Throws: `LogError`, ``EventSourcingError``, as a replay.
  /// - Complexity: O(size of the snapshot).
  func measureOpening(through revision: Int, uptime: @escaping @Sendable () -> Duration) throws -> OpeningCosts {
    let history = try refreshed()
    let begin = uptime()
    let (loaded, position, sizeBytes) = try history.sampleStart(atOrBefore: revision - OpeningCosts.fewestActions)
    var costs = OpeningCosts(loading: uptime() - begin, ofBytes: sizeBytes)
    var (state, first) = (consume loaded, position)
    let foldBegin = Locked<Duration?>(nil)
    var options = ReplayOptions()
    options.decodesAhead = false
    options.isCancelled = { false }
    options.progress = { _ in foldBegin.withLock { foldBegin in foldBegin = foldBegin ?? uptime() } }
    for count in OpeningCosts.samples {
      let last = min(first + count, revision)
      guard last - first >= OpeningCosts.fewestActions else { break }
      foldBegin.withLock { foldBegin in foldBegin = nil }
      // The fold is the only owner of the state, as that of an opening.
      state = try history.advance(consume state, from: first, to: last, options: options).state
      let end = uptime()
      let duration = end - foldBegin.withLock { foldBegin in foldBegin ?? end }
      costs.replay = duration / (last - first)
      first = last
      if duration >= OpeningCosts.longEnough { break }
    }
    return costs
  }

  /// The newest snapshot at or before a revision, with its size, or the state that the log begins with.
  private func sampleStart(atOrBefore bound: Int) throws -> (state: M.State, revision: Int, sizeBytes: Int?) {
    let candidate = try snapshots?.revisions().last { revision in revision <= bound && revision >= firstRevision }
    if let candidate, let loaded = loadedSnapshot(at: candidate) {
      return (loaded.state, candidate, snapshots?.sizeBytes(at: candidate))
    }
    var options = ReplayOptions()
    options.usesSnapshots = false
    return (try replay(to: firstRevision, options: options).state, firstRevision, nil)
  }
}

/// A rule that decides which snapshots are kept after a new one was taken.
///
/// Deleting a snapshot costs time, never correctness: the fold of the actions is the same. But after a change of the reducer, only
/// snapshots of the older code hold the states that users saw, and can be frozen (``DivergencePolicy/freezeBase``). To keep that
/// option, keep ``all`` snapshots, or at least those taken before a new version.
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
  /// Returns the revisions whose snapshots are to be removed.
  ///
  /// - Parameter revisions: All revisions that have a snapshot, ascending.
  package func removed(from revisions: [Int]) -> [Int] {
    guard let newest = revisions.last else { return [] }
    let kept = kept(revisions)
    return revisions.filter { revision in revision != newest && !kept.contains(revision) }
  }
}
