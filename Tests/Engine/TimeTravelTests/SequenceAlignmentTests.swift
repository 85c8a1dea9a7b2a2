import TestSupport
import Testing
import TimeTravel

@Suite struct SequenceAlignmentTests {
  @Test(arguments: Seeds.batches)
  func shortSequencesNeedTheFewestEdits(batch: UInt64) {
    for seed in Seeds.batch(batch, of: 2000) {
      var random = SeededGenerator(seed: seed)
      let symbols = Int.random(in: 1...6, using: &random)
      let (old, new) = (Self.sequence(symbols, &random), Self.sequence(symbols, &random))
      let gaps = SequenceAlignment(old: old, new: new).gaps
      Self.expectValid(gaps, old, new, seed: seed)
      let kept = old.count - gaps.reduce(0) { sum, gap in sum + gap.old.count }
      #expect(kept == Self.longestCommonSubsequence(old, new), "seed \(seed)")
    }
  }

  @Test(arguments: [1, 2] as [UInt64])
  func differentLongSequencesTakeBoundedWork(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let old = (0..<8_000).map { _ in Int.random(in: 0..<30_000, using: &random) }
    let new = (0..<8_000).map { _ in Int.random(in: 0..<30_000, using: &random) }
    let alignment = SequenceAlignment(old: old, new: new)
    Self.expectValid(alignment.gaps, old, new, seed: seed)
    // Without limits the search grows with the square of the thousands of edits.
    #expect(alignment.work <= 10_000_000, "seed \(seed)")
  }

  @Test func disjointSequencesAreOneGap() {
    let alignment = SequenceAlignment(old: Array(0..<5_000), new: Array(5_000..<9_000))
    #expect(alignment.gaps == [SequenceAlignment.Gap(old: 0..<5_000, new: 0..<4_000)])
  }

  private static func sequence(_ symbols: Int, _ random: inout SeededGenerator) -> [Int] {
    (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0..<symbols, using: &random) }
  }

  private static func expectValid(_ gaps: [SequenceAlignment.Gap], _ old: [Int], _ new: [Int], seed: UInt64) {
    var (oldNext, newNext) = (0, 0)
    var isValid = true
    for gap in gaps + [SequenceAlignment.Gap(old: old.count..<old.count, new: new.count..<new.count)] {
      isValid = isValid && oldNext <= gap.old.lowerBound && newNext <= gap.new.lowerBound
      isValid = isValid && old[oldNext..<gap.old.lowerBound] == new[newNext..<gap.new.lowerBound]
      (oldNext, newNext) = (gap.old.upperBound, gap.new.upperBound)
    }
    #expect(isValid, "seed \(seed)")
    #expect(gaps.allSatisfy { gap in !gap.old.isEmpty || !gap.new.isEmpty }, "seed \(seed)")
  }

  private static func longestCommonSubsequence(_ old: [Int], _ new: [Int]) -> Int {
    var last = [Int](repeating: 0, count: new.count + 1)
    for one in old {
      var row = [0]
      for (column, two) in new.enumerated() {
        row.append(one == two ? last[column] + 1 : max(last[column + 1], row[column]))
      }
      last = row
    }
    return last[new.count]
  }
}
