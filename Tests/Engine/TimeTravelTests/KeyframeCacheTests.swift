import TestSupport
import Testing
import TimeTravel

@Suite struct KeyframeCacheTests {
  @Test(arguments: 0..<8)
  func nearestKeptStateIsFound(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var cache = KeyframeCache<String>()
    var kept: Set<Int> = []
    for _ in 0..<300 {
      let revision = Int.random(in: 0..<500, using: &random)
      cache.insert("state \(revision)", at: revision)
      kept.insert(revision)
    }
    #expect(cache.count == kept.count)
    for revision in -1...500 {
      let nearest = kept.filter { other in other <= revision }.max()
      #expect(cache.nearest(atOrBefore: revision)?.revision == nearest, "seed \(seed)")
      #expect(cache.nearest(atOrBefore: revision)?.state == nearest.map { nearest in "state \(nearest)" })
      #expect(cache.state(at: revision) == (kept.contains(revision) ? "state \(revision)" : nil), "seed \(seed)")
    }
  }

  @Test func statesNearTheCursorAreKept() {
    var cache = KeyframeCache<Int>()
    for revision in 0...8_000 { cache.insert(revision, at: revision) }
    cache.trim(around: 4_000)
    for revision in 0...8_000 {
      let distance = abs(revision - 4_000)
      let isKept =
        distance <= 96 || distance <= 1_024 && revision.isMultiple(of: 16) || revision.isMultiple(of: 128)
      #expect((cache.state(at: revision) != nil) == isKept, "revision \(revision)")
    }
  }

  @Test func gapsDoubleInALongHistory() {
    var cache = KeyframeCache<Int>()
    cache.insert(0, at: 0)
    var revision = 0
    var most = 0
    while let next = cache.nextWanted(after: revision, to: 5_000_000), next <= 5_000_000 {
      cache.insert(next, at: next)
      revision = next
      most = max(most, cache.count)
    }
    cache.trim(around: 5_000_000)
    #expect(cache.coarseSpacing == 1_024)
    #expect(most <= KeyframeCache<Int>.limit)
    for revision in stride(from: 0, through: 4_990_000, by: 1_024) { #expect(cache.state(at: revision) != nil) }
  }

  /// The revisions that a move through a history keeps, and the cache after it.
  private static func moved(
    _ cache: KeyframeCache<Int>, to target: Int, isPrepared: Bool
  ) -> (kept: Int, cache: KeyframeCache<Int>) {
    var (cache, revision, kept) = (cache, 0, 0)
    cache.insert(0, at: 0)
    if isPrepared { cache.prepare(toMoveFrom: 0, to: target) }
    while let next = cache.nextWanted(after: revision, to: target), next <= target {
      cache.insert(next, at: next)
      kept += 1
      revision = next
    }
    cache.trim(around: target)
    return (kept, cache)
  }

  private static let frugal = KeyframeCache<Int>(coarseLimit: KeyframeCache<Int>.frugalCoarseLimit)

  @Test func frugalCacheKeepsFewerDistantStates() {
    let cache = Self.moved(Self.frugal, to: 1_000_000, isPrepared: true).cache
    // 15 far away, one in 16 of the last 1 024, the last 16, and two for each doubling of the distance in between.
    #expect(cache.coarseSpacing == 65_536 && cache.count <= 15 + 64 + 16 + 2 * 7)
    for distance in 0..<16 { #expect(cache.state(at: 1_000_000 - distance) != nil, "distance \(distance)") }
    for revision in stride(from: 0, to: 1_000_000, by: 65_536) { #expect(cache.state(at: revision) != nil) }
    var other = Self.frugal
    other.merge(cache)
    #expect(other.coarseSpacing == 65_536 && other.count == cache.count)
  }

  /// A search backward begins at states that are not much farther away than what was searched.
  @Test func distancesFromTheCursorDouble() {
    let cache = Self.moved(Self.frugal, to: 1_000_000, isPrepared: true).cache
    for distance in stride(from: 1_024, through: 131_072, by: 64) {
      let nearest = cache.nearest(atOrBefore: 1_000_000 - distance)?.revision ?? 0
      #expect(1_000_000 - nearest <= 2 * distance, "distance \(distance)")
    }
  }

  /// Each state that is kept makes the fold copy what it writes, also if it is discarded later.
  @Test(arguments: [5_000, 100_000, 1_000_000, 5_000_000])
  func preparedMovesKeepNothingInVain(target: Int) {
    let prepared = Self.moved(Self.frugal, to: target, isPrepared: true)
    #expect(prepared.cache.count == prepared.kept + 1, "and the beginning")
    // The states are those that are left otherwise.
    let other = Self.moved(Self.frugal, to: target, isPrepared: false)
    #expect(prepared.cache.coarseSpacing == other.cache.coarseSpacing && prepared.kept < other.kept)
    for revision in stride(from: 0, through: target, by: 16) {
      #expect((prepared.cache.state(at: revision) == nil) == (other.cache.state(at: revision) == nil), "\(revision)")
    }
  }

  @Test func longHistoriesHaveMoreFrugalStates() {
    let cache = Self.moved(Self.frugal, to: 4_000_000, isPrepared: true).cache
    #expect(cache.coarseSpacing == 65_536 && cache.count <= 62 + 64 + 16 + 2 * 7)
    #expect(Self.moved(Self.frugal, to: 40_000_000, isPrepared: true).cache.count <= 64 + 64 + 16 + 2 * 11)
  }

  @Test(arguments: [0, 1, 15, 16, 120, 128, 129, 256, 2_999, 5_000])
  func nextWantedRevisionsAreKept(start: Int) {
    var cache = KeyframeCache<Int>()
    var revision = start
    while let next = cache.nextWanted(after: revision, to: 5_000), next <= 5_000 {
      #expect(next > revision)
      cache.insert(next, at: next)
      revision = next
    }
    let wanted = cache.count
    cache.trim(around: 5_000)
    #expect(cache.count == wanted, "nothing was kept in vain")
    for revision in (start..<5_000).dropFirst() {
      let nearest = cache.nearest(atOrBefore: revision)?.revision ?? start
      #expect(revision - nearest < (revision > 5_000 - 1_024 + 16 ? 16 : 128), "revision \(revision)")
    }
  }

  /// The next write copies a large dictionary that is kept.
  @Test func fewHeavyStatesAreKept() {
    struct Heavy: Sendable {
      var table: [Int: Int]?
    }
    let state = Heavy(table: Dictionary(uniqueKeysWithValues: (0..<100_000).map { key in (key, key) }))
    var cache = KeyframeCache<Heavy>()
    var kept = 0
    var revision = 0
    cache.insert(state, at: 0)
    while let next = cache.nextWanted(after: revision, to: 1_000_000), next <= 1_000_000 {
      cache.insert(state, at: next)
      kept += 1
      revision = next
    }
    cache.trim(around: 1_000_000)
    #expect(cache.count <= 41 + 24, "4 Mi elements, and some near the cursor")
    #expect(kept < 400, "the gaps doubled on the way")
    for distance in [0, 1, 2, 4, 8, 1_024] {
      #expect(cache.state(at: 1_000_000 - distance) != nil, "distance \(distance)")
    }
    // A walk back folds few actions although few states are kept.
    var folded = 0
    for target in (999_000..<1_000_000).reversed() {
      guard var place = cache.nearest(atOrBefore: target)?.revision else { continue }
      while place < target {
        let next = min(target, cache.nextWanted(after: place, to: target) ?? target)
        folded += next - place
        cache.insert(state, at: next)
        place = next
      }
      cache.trim(around: target)
    }
    #expect(folded <= 10 * 1_000, "\(folded)")
    #expect(cache.count <= 41 + 24)
  }
}
