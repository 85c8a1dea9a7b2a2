import EventSourcing
import Testing

@Suite struct SnapshotPolicyTests {
  private func occasion(
    revision: Int = 100, actions: Int = 100, bytes: Int = 0, last: Int? = nil, replay: Duration = .zero,
    load: Duration = .zero, state: Int = 0
  ) -> SnapshotOccasion<Int> {
    SnapshotOccasion(
      revision: revision, actionsSinceSnapshot: actions, logBytesSinceSnapshot: bytes, lastSnapshotBytes: last,
      estimatedReplay: replay, estimatedLoad: load
    ) { state }
  }

  @Test func everyCountsRevisions() {
    let policy = SnapshotPolicy<Int>.every(50)
    #expect(policy.isDue(at: occasion(revision: 100)))
    #expect(!policy.isDue(at: occasion(revision: 101)))
  }

  @Test func logGrowthComparesTheLogWithTheLastSnapshot() {
    let policy = SnapshotPolicy<Int>.logGrowth(factor: 4, minimumBytes: 1_000)
    #expect(!policy.isDue(at: occasion(bytes: 999)))
    #expect(policy.isDue(at: occasion(bytes: 1_000)))
    #expect(!policy.isDue(at: occasion(bytes: 3_999, last: 1_000)))
    #expect(policy.isDue(at: occasion(bytes: 4_000, last: 1_000)))
    #expect(!policy.isDue(at: occasion(bytes: .max, last: .max)), "an overflow is not due, and does not trap")
  }

  @Test func openingTimeIsLoadAndReplay() {
    let policy = SnapshotPolicy<Int>.openingTime(.milliseconds(250), minimumBytes: 1_000)
    #expect(
      !policy.isDue(at: occasion(bytes: 5_000, last: 5_000, replay: .milliseconds(149), load: .milliseconds(100))))
    #expect(policy.isDue(at: occasion(bytes: 5_000, last: 5_000, replay: .milliseconds(150), load: .milliseconds(100))))
    // Whatever an opening takes, snapshots take at most as many bytes as the log.
    #expect(!policy.isDue(at: occasion(bytes: 4_999, last: 5_000, replay: .seconds(1), load: .seconds(1))))
    #expect(!policy.isDue(at: occasion(bytes: 999, replay: .seconds(1))))
  }

  /// An action of 200 bytes folds in 4 µs, a byte of a snapshot loads in 10 ns.
  @Test(arguments: [(20_000, 400), (1_000_000, 20_000), (5_000_000, 50_000), (30_000_000, 150_000)])
  func standardPolicyBoundsOpeningAndWriting(snapshotBytes: Int, actions: Int) {
    let policy = SnapshotPolicy<Int>.standard
    func occasion(_ actions: Int) -> SnapshotOccasion<Int> {
      self.occasion(
        actions: actions, bytes: 200 * actions, last: snapshotBytes, replay: .microseconds(4) * actions,
        load: .nanoseconds(10) * snapshotBytes)
    }
    let due = occasion(actions)
    #expect(policy.isDue(at: due) && !policy.isDue(at: occasion(actions - 1)))
    let opening = due.estimatedLoad + due.estimatedReplay
    #expect(opening <= .milliseconds(250) || due.logBytesSinceSnapshot == snapshotBytes)
    #expect(due.logBytesSinceSnapshot >= snapshotBytes)
  }

  @Test func aPredicateSeesTheState() {
    let policy = SnapshotPolicy<Int> { occasion in occasion.state == 7 }
    #expect(policy.isDue(at: occasion(state: 7)))
    #expect(!policy.isDue(at: occasion(state: 8)))
  }

  @Test func orIsDueWhenEitherIs() {
    let policy = SnapshotPolicy<Int>.every(50).or(.openingTime(.seconds(1), minimumBytes: 1))
    #expect(policy.isDue(at: occasion(revision: 50)))
    #expect(policy.isDue(at: occasion(revision: 51, bytes: 1, replay: .seconds(1))))
    #expect(!policy.isDue(at: occasion(revision: 51)))
    #expect(!SnapshotPolicy<Int>.never.isDue(at: occasion()))
  }
}

@Suite struct SnapshotRetentionTests {
  /// Takes a snapshot every `interval` revisions and prunes after each, as a recorder does.
  private func kept(_ retention: SnapshotRetention, interval: Int, count: Int) -> [Int] {
    var revisions: [Int] = []
    for index in 1...count {
      revisions.append(index * interval)
      let removed = Set(retention.removed(from: revisions))
      revisions.removeAll { revision in removed.contains(revision) }
    }
    return revisions
  }

  @Test func theNewestIsAlwaysKept() {
    #expect(SnapshotRetention { _ in [] }.removed(from: [1, 2, 3]) == [1, 2])
    #expect(SnapshotRetention.all.removed(from: [1, 2, 3]).isEmpty)
    #expect(SnapshotRetention.newest(2).removed(from: [1, 2, 3]) == [1])
    #expect(SnapshotRetention.newest(1).removed(from: []).isEmpty)
  }

  @Test func exponentialRetentionKeepsFewAndCloseOnes() throws {
    let kept = kept(.exponential(), interval: 1_000, count: 1_000)
    #expect(kept.last == 1_000_000)
    #expect(kept.count < 60, "grows with the logarithm: \(kept.count)")
    // The distance from the nearest snapshot at or before a revision is at most half of its distance from the end, plus one
    // interval.
    for point in stride(from: 5_000, through: 1_000_000, by: 997) {
      let nearest = try #require(kept.last { revision in revision <= point } ?? (point < 300_000 ? 0 : nil))
      #expect(point - nearest <= max(2_000, (1_000_000 - nearest) / 2), "point \(point), nearest \(nearest)")
    }
  }
}
