import TestSupport
import Testing
import TreeCollections

/// Random operations on a tree and on a `Dictionary` side by side; versions kept on the way must never change.
@Suite struct RandomOperationsTests {
  typealias Tree = TreeDictionary<Colliding, [Int]>

  @Test(arguments: KeyShape.allCases, [UInt64](1...6))
  func theTreeBehavesAsADictionary(shape: KeyShape, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (tree, dictionary): (Tree, [Colliding: [Int]]) = ([:], [:])
    var versions: [(tree: Tree, dictionary: [Colliding: [Int]])] = []
    // Seeds differ in how many keys there are, so that trees grow, shrink and stay empty.
    let keys = [3, 20, 60, 150, 150, 300][Int(seed) - 1]
    for step in 0..<1_500 {
      let key = shape.key(Int.random(in: 0..<keys, using: &random))
      change(&tree, &dictionary, key, step, Int.random(in: 0..<100, using: &random))
      guard tree.count == dictionary.count, tree[key] == dictionary[key] else {
        Issue.record("\(shape), seed \(seed), step \(step): \(key)")
        return
      }
      if Int.random(in: 0..<20, using: &random) == 0 { versions.append((tree, dictionary)) }
      if Int.random(in: 0..<200, using: &random) == 0 { versions.removeAll() }
      if step % 100 == 99 { verify(tree, dictionary, "\(shape), seed \(seed), step \(step)") }
    }
    for version in versions { verify(version.tree, version.dictionary, "\(shape), seed \(seed), a version") }
  }

  private func change(
    _ tree: inout Tree, _ dictionary: inout [Colliding: [Int]], _ key: Colliding, _ step: Int, _ choice: Int
  ) {
    switch choice {
    case 0..<30:
      tree[key] = [step]
      dictionary[key] = [step]
    case 30..<45:
      #expect(tree.updateValue([step], forKey: key) == dictionary.updateValue([step], forKey: key))
    case 45..<60:
      #expect(tree.removeValue(forKey: key) == dictionary.removeValue(forKey: key))
    case 60..<65:
      tree[key] = nil
      dictionary[key] = nil
    case 65..<75:
      tree[key]?.append(step)
      dictionary[key]?.append(step)
    case 75..<85:
      tree[key, default: [1]].append(step)
      dictionary[key, default: [1]].append(step)
    case 85..<90:
      modify(&tree[key], step)
      modify(&dictionary[key], step)
    case 90..<95:
      guard let index = tree.index(forKey: key) else { return }
      #expect(tree.remove(at: index).key == key)
      dictionary[key] = nil
    case 95..<99:
      guard let first = tree.popFirst() else { return }
      #expect(dictionary.removeValue(forKey: first.key) == first.value)
    default:
      if step % 5 == 0 {
        tree.removeAll()
        dictionary.removeAll()
      }
    }
  }

  /// Puts a value in, takes it out, or changes it, through one `inout` reference.
  private func modify(_ value: inout [Int]?, _ step: Int) {
    switch step % 3 {
    case 0: value = nil
    case 1: value = [step, step]
    default: value?.append(step)
    }
  }

  private func verify(_ tree: Tree, _ dictionary: [Colliding: [Int]], _ place: Comment) {
    #expect(tree.statistics.violations == [], place)
    #expect(Dictionary(tree) == dictionary, place)
    #expect(tree == Tree(dictionary), place)
    #expect(tree.hashValue == Tree(dictionary).hashValue, place)
    #expect(tree.allSatisfy { dictionary[$0.key] == $0.value }, place)
    #expect(tree.map(\.key) == tree.indices.map { tree[$0].key }, place)
    #expect(tree.indices.elementsEqual(tree.indices.sorted()), place)
  }
}
