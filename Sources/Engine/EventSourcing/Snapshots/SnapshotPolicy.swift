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
