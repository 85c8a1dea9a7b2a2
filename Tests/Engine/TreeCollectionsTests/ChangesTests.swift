import TestSupport
import Testing
import TreeCollections

@Suite struct ChangesTests {
  @Test(arguments: KeyShape.allCases, [UInt64](1...8))
  func changesTurnOneVersionIntoAnother(shape: KeyShape, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let keys = Int.random(in: 1...200, using: &random)
    let old = tree(shape, keys, &random)
    // Half of the seeds compare versions that share nodes, half compare strangers.
    var new = seed.isMultiple(of: 2) ? old : tree(shape, keys, &random)
    for _ in 0..<Int.random(in: 0...30, using: &random) {
      let key = shape.key(Int.random(in: 0..<keys, using: &random))
      new[key] = Bool.random(using: &random) ? nil : Int.random(in: 0..<4, using: &random)
    }
    let changes = new.changes(from: old)
    let (before, after) = (Dictionary(old), Dictionary(new))
    let comment: Comment = "\(shape), seed \(seed)"
    #expect(Set(changes.inserted.map(\.key)) == Set(after.keys).subtracting(before.keys), comment)
    #expect(Set(changes.removed.map(\.key)) == Set(before.keys).subtracting(after.keys), comment)
    #expect(changes.inserted.allSatisfy { after[$0.key] == $0.value }, comment)
    #expect(changes.removed.allSatisfy { before[$0.key] == $0.value }, comment)
    #expect(changes.updated.allSatisfy { before[$0.key] == $0.old && after[$0.key] == $0.new }, comment)
    let updated = before.keys.filter { after[$0] != nil && after[$0] != before[$0] }
    #expect(Set(changes.updated.map(\.key)) == Set(updated), comment)
    #expect(
      changes.inserted.count + changes.removed.count + changes.updated.count
        == Set(changes.inserted.map(\.key)).union(changes.removed.map(\.key)).union(changes.updated.map(\.key)).count,
      comment)
    #expect(changes.isEmpty == (old == new), comment)
  }

  private func tree(
    _ shape: KeyShape, _ keys: Int, _ random: inout SeededGenerator
  ) -> TreeDictionary<Colliding, Int> {
    var tree: TreeDictionary<Colliding, Int> = [:]
    for number in 0..<keys where Bool.random(using: &random) {
      tree[shape.key(number)] = Int.random(in: 0..<4, using: &random)
    }
    return tree
  }

  @Test func whatVersionsShareIsNotLookedAt() {
    let old = TreeDictionary(uniqueKeysWithValues: (0..<100_000).map { ($0, $0) })
    var new = old
    #expect(new.changes(from: old).visited == 0)
    new[50_000] = 1
    new[200_000] = 2
    new[7] = nil
    let changes = new.changes(from: old)
    #expect(changes.inserted.map(\.value) == [2])
    #expect(changes.removed.map(\.value) == [7])
    #expect(changes.updated.map(\.new) == [1])
    // Three ways of at most seven nodes or leaves on either side, where 100 000 elements are.
    #expect(changes.visited <= 3 * 2 * 7 + 4)
    #expect(changes.visited >= 3 * 2)
  }

  @Test func aValueSetToWhatItWasIsNoChange() {
    let old: TreeDictionary = ["a": 1, "b": 2]
    var new = old
    new["a"] = 1
    #expect(!new.isTriviallyIdentical(to: old))
    #expect(new.changes(from: old).isEmpty)
    #expect(new == old)
  }

  @Test func valuesAreComparedAsTheCallerSays() {
    let old: TreeDictionary = ["a": 1.0, "b": 2.0]
    let new = old.mapValues { $0 + 0.25 }
    #expect(new.changes(from: old).updated.count == 2)
    #expect(new.changes(from: old) { $0.rounded() == $1.rounded() }.isEmpty)
  }
}
