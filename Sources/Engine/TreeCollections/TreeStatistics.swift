/// The size and shape of a tree, for tests and benchmarks.
package struct TreeStatistics: Sendable {
  /// The nodes, including the root.
  package var nodes: Set<ObjectIdentifier> = []
  /// The leaves.
  package var leaves: Set<ObjectIdentifier> = []
  /// The number of collision lists.
  package var lists = 0
  /// The number of nodes on the path to the deepest leaf.
  package var depth = 0
  /// Violations of the shape invariants. Always empty unless this module has a bug.
  package var violations: [String] = []
}

extension TreeNode {
  /// Collects statistics and checks the shape of a tree.
  ///
  /// - Parameter hash: The hash of a leaf's key.
  static func describe(_ root: TreeNode?, into statistics: inout TreeStatistics, hash: (TreeSlot) -> UInt) {
    guard let root else { return }
    describe(Unmanaged.passUnretained(root).toOpaque(), TreeShape.top, 0, 1, &statistics, hash)
  }

  /// - Parameter prefix: The hash bits that lead to the node.
  private static func describe(
    _ object: TreeSlot, _ shift: Int, _ prefix: UInt, _ depth: Int, _ statistics: inout TreeStatistics,
    _ hash: (TreeSlot) -> UInt
  ) {
    let node = TreeHandle(object)
    let header = node.header.pointee
    statistics.depth = max(statistics.depth, depth)
    statistics.nodes.insert(ObjectIdentifier(Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()))
    if header.count == 0 { statistics.violations.append("an empty node at depth \(depth)") }
    if depth > 1, header.isSingleLeaf { statistics.violations.append("a node with a single leaf at depth \(depth)") }
    if header.leaves & header.nodes != 0 { statistics.violations.append("a bucket in both bitmaps at depth \(depth)") }
    if header.isList != (shift < 0) {
      statistics.violations.append("a collision list at the wrong level, depth \(depth)")
    }
    if header.isList { statistics.lists += 1 }
    if !header.isList, header.count > Int(header.extent) {
      statistics.violations.append("more children than capacity at depth \(depth)")
    }
    var rest = header.occupied
    for index in 0..<header.count {
      let bucket = rest & (0 &- rest)
      rest ^= bucket
      let path = header.isList ? prefix : prefix | UInt(bucket.trailingZeroBitCount) << UInt(shift)
      let child = node.slots[index]
      if header.nodes & bucket != 0 {
        describe(child, shift - TreeShape.bits, path, depth + 1, &statistics, hash)
        continue
      }
      statistics.leaves.insert(ObjectIdentifier(Unmanaged<AnyObject>.fromOpaque(child).takeUnretainedValue()))
      let known = shift <= 0 ? UInt.max : UInt.max << UInt(shift)
      if hash(child) & known != path { statistics.violations.append("a leaf in the wrong bucket at depth \(depth)") }
    }
  }
}

extension TreeDictionary {
  /// The size of the tree, and any violations of its shape invariants.
  ///
  /// - Complexity: O(*n*).
  package var statistics: TreeStatistics {
    var statistics = TreeStatistics()
    TreeNode.describe(root, into: &statistics) { Self.hash(Leaf($0).key) }
    if statistics.leaves.count != count {
      statistics.violations.append("\(statistics.leaves.count) leaves, but a count of \(count)")
    }
    return statistics
  }
}
