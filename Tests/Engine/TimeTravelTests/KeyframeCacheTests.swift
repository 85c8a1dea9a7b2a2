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

  @Test func frugalCacheKeepsFewerDistantStates() {
    var cache = KeyframeCache<Int>(coarseLimit: KeyframeCache<Int>.frugalCoarseLimit)
    cache.insert(0, at: 0)
    var revision = 0
    while let next = cache.nextWanted(after: revision, to: 1_000_000), next <= 1_000_000 {
      cache.insert(next, at: next)
      revision = next
    }
    cache.trim(around: 1_000_000)
    #expect(cache.coarseSpacing == 2_048 && cache.count <= 512 + 2 * 64 + 96)
    for distance in 0..<16 { #expect(cache.state(at: 1_000_000 - distance) != nil, "distance \(distance)") }
    for revision in stride(from: 0, to: 1_000_000, by: 2_048) { #expect(cache.state(at: revision) != nil) }
    var other = KeyframeCache<Int>(coarseLimit: KeyframeCache<Int>.frugalCoarseLimit)
    other.merge(cache)
    #expect(other.coarseSpacing == 2_048 && other.count == cache.count)
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
