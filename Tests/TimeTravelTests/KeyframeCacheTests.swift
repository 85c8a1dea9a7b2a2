import TestSupport
import Testing
import TimeTravel

@Suite struct KeyframeCacheTests {
  @Test(arguments: 0..<8)
  func theNearestKeptStateIsFound(seed: UInt64) {
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

  @Test func nearTheCursorEveryStateIsKeptAndOneOfSixtyFourFurtherAway() {
    var cache = KeyframeCache<Int>()
    for revision in 0...2_000 { cache.insert(revision, at: revision) }
    cache.trim(around: 1_000)
    for revision in 0...2_000 {
      let isKept = abs(revision - 1_000) <= 128 || revision.isMultiple(of: 64)
      #expect((cache.state(at: revision) != nil) == isKept, "revision \(revision)")
    }
  }

  @Test func beyondTheLimitTheFurthestStatesGo() {
    var cache = KeyframeCache<Int>()
    for revision in stride(from: 0, through: 200_000, by: 64) { cache.insert(revision, at: revision) }
    cache.trim(around: 50_048)
    #expect(cache.count == KeyframeCache<Int>.limit)
    let reach = KeyframeCache<Int>.limit / 2 * 64
    #expect(cache.state(at: 50_048 - reach + 64) != nil && cache.state(at: 50_048 + reach - 64) != nil)
    #expect(cache.state(at: 50_048 - reach - 64) == nil && cache.state(at: 50_048 + reach + 64) == nil)
  }
}
