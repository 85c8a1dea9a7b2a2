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
