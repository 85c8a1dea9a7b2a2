import TestSupport
import Testing
import TreeCollections

/// What is copied and what is not, counted in nodes.
@Suite struct SharingTests {
  private static let count = 20_000

  private func tree() -> TreeDictionary<Int, [Int]> {
    TreeDictionary(uniqueKeysWithValues: (0..<Self.count).map { ($0, [$0]) })
  }

  @Test func aChangeCopiesTheWayToTheKeyAndNothingElse() {
    let old = tree()
    let known = old.statistics
    for key in [0, 1, 4_711, Self.count - 1] {
      var new = old
      new[key] = [1]
      let statistics = new.statistics
      #expect(statistics.leaves.subtracting(known.leaves).count == 1)
      #expect(statistics.nodes.subtracting(known.nodes).count <= known.depth)
      new = old
      new[key] = nil
      #expect(new.statistics.leaves.isSubset(of: known.leaves))
      #expect(new.statistics.nodes.subtracting(known.nodes).count <= known.depth)
      new = old
      new[-key - 1] = [1]
      #expect(new.statistics.leaves.subtracting(known.leaves).count == 1)
      #expect(new.statistics.nodes.subtracting(known.nodes).count <= known.depth + 2)
    }
    #expect(old.statistics.nodes == known.nodes)
  }

  @Test func uniquelyHeldStorageIsChangedInPlace() {
    var tree = tree()
    let known = tree.statistics
    for key in stride(from: 0, to: Self.count, by: 97) {
      tree[key] = [1]
      tree[key]?.append(2)
      tree[key, default: []].append(3)
      tree.updateValue([4], forKey: key)
    }
    let statistics = tree.statistics
    #expect(statistics.nodes == known.nodes)
    #expect(statistics.leaves == known.leaves)
  }

  @Test func aSecondChangeCopiesNothingThatTheFirstHasCopied() {
    let old = tree()
    var new = old
    new[5] = [1]
    let known = new.statistics
    new[5] = [2]
    #expect(new.statistics.nodes == known.nodes)
    #expect(new.statistics.leaves == known.leaves)
    #expect(old[5] == [5])
  }

  @Test func aValueIsChangedWithoutACopyOfIt() {
    var tree = tree()
    tree[7] = Array(0..<1_000)
    tree[7]?.reserveCapacity(2_000)
    let address = tree[7]?.withUnsafeBufferPointer { $0.baseAddress }
    tree[7]?.append(1)
    tree[7, default: []].append(2)
    #expect(tree[7]?.withUnsafeBufferPointer { $0.baseAddress } == address)
    #expect(tree[7]?.count == 1_002)
  }

  @Test func nothingIsCopiedForAKeyThatIsNotThere() {
    let old = tree()
    var new = old
    #expect(new.removeValue(forKey: -1) == nil)
    new[-1] = nil
    new[-1]?.append(1)
    #expect(new.isTriviallyIdentical(to: old))
  }

  @Test func filteringSharesWhatItKeeps() {
    let old = tree()
    #expect(old.filter { _ in true }.isTriviallyIdentical(to: old))
    let new = old.filter { $0.key != 3 }
    #expect(new.count == Self.count - 1)
    #expect(new.statistics.violations == [])
    #expect(new.statistics.nodes.subtracting(old.statistics.nodes).count <= old.statistics.depth)
  }

  @Test func historyLeavesNoTrace() {
    var grown: TreeDictionary<Int, [Int]> = [:]
    for key in (0..<Self.count).reversed() { grown[key] = [key] }
    for key in Self.count..<2 * Self.count { grown[key] = [] }
    for key in Self.count..<2 * Self.count { grown[key] = nil }
    #expect(grown.statistics.violations == [])
    #expect(grown.statistics.nodes.count == tree().statistics.nodes.count)
    #expect(grown.elementsEqual(tree()) { $0 == $1 })
    #expect(grown == tree())
  }

  @Test(arguments: KeyShape.allCases)
  func depthIsBoundedWhateverTheHashesAre(shape: KeyShape) {
    var tree: TreeDictionary<Colliding, Int> = [:]
    for number in 0..<500 { tree[shape.key(number)] = number }
    let statistics = tree.statistics
    #expect(statistics.violations == [])
    #expect(statistics.depth <= UInt.bitWidth / 4 + 1)
    #expect((statistics.lists > 0) == (shape != .scattered && shape != .sharedSuffix))
    for number in 0..<500 { #expect(tree[shape.key(number)] == number) }
  }

  @Test func everyVersionIsReleased() {
    final class Witness {}
    weak var witness: Witness?
    do {
      let object = Witness()
      witness = object
      var tree: TreeDictionary<Int, Witness> = [:]
      var versions: [TreeDictionary<Int, Witness>] = []
      for key in 0..<300 {
        tree[key % 70] = object
        if key % 3 == 0 { tree[key % 50] = nil }
        if key % 5 == 0 { tree[key % 40]? = object }
        versions.append(tree)
      }
      var mapped = tree.mapValues { $0 }
      mapped.merge(versions[100]) { $1 }
      versions.append(mapped.filter { $0.key % 2 == 0 })
      #expect(TreeDictionary(uniqueKeysWithValues: versions[200].map { ($0.key, $0.value) }).count > 0)
    }
    #expect(witness == nil)
  }

  @Test func copiesInOtherTasksDoNotDisturbEachOther() async {
    let shared = tree()
    await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          var own = shared
          for key in stride(from: task, to: Self.count, by: 31) {
            own[key] = [task]
            own[-key - 1] = [task]
            own[key / 2]?.append(task)
          }
          return own.statistics.violations.count + own.changes(from: shared).removed.count
        }
      }
      for await failures in group { #expect(failures == 0) }
    }
    #expect(shared == tree())
  }
}
