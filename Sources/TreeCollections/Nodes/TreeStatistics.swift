/// What a tree is made of, for tests and measurements.
package struct TreeStatistics: Sendable {
  /// The nodes, the root among them.
  package var nodes: Set<ObjectIdentifier> = []
  /// The leaves.
  package var leaves: Set<ObjectIdentifier> = []
  /// How many nodes are lists of leaves with equal hashes.
  package var lists = 0
  /// How many nodes lie above the deepest leaf.
  package var depth = 0
  /// What is wrong with the shape; empty unless there is an error in this module.
  package var violations: [String] = []
}

extension TreeNode {
  /// Walks over a tree and checks its shape.
  ///
  /// - Parameter hash: The hash of a leaf's key.
  static func describe(_ root: TreeNode?, into statistics: inout TreeStatistics, hash: (TreeSlot) -> UInt) {
    guard let root else { return }
    describe(Unmanaged.passUnretained(root).toOpaque(), TreeShape.top, 0, 1, &statistics, hash)
  }

  /// - Parameter prefix: The digits on the way to the node, where they stand in a hash.
  private static func describe(
    _ object: TreeSlot, _ shift: Int, _ prefix: UInt, _ depth: Int, _ statistics: inout TreeStatistics,
    _ hash: (TreeSlot) -> UInt
  ) {
    let node = TreeHandle(object)
    let header = node.header.pointee
    statistics.depth = max(statistics.depth, depth)
    statistics.nodes.insert(ObjectIdentifier(Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()))
    if header.count == 0 { statistics.violations.append("an empty node at depth \(depth)") }
    if depth > 1, header.isSingleLeaf { statistics.violations.append("a lonely leaf at depth \(depth)") }
    if header.leaves & header.nodes != 0 { statistics.violations.append("a bucket is leaf and node at depth \(depth)") }
    if header.isList != (shift < 0) { statistics.violations.append("a list or none at depth \(depth)") }
    if header.isList { statistics.lists += 1 }
    if !header.isList, header.count > Int(header.extent) {
      statistics.violations.append("more children than room at depth \(depth)")
    }
    var rest = header.occupied
    for index in 0..<header.count {
      let bucket = rest & (0 &- rest)
      rest ^= bucket
      let way = header.isList ? prefix : prefix | UInt(bucket.trailingZeroBitCount) << UInt(shift)
      let child = node.slots[index]
      if header.nodes & bucket != 0 {
        describe(child, shift - TreeShape.bits, way, depth + 1, &statistics, hash)
        continue
      }
      statistics.leaves.insert(ObjectIdentifier(Unmanaged<AnyObject>.fromOpaque(child).takeUnretainedValue()))
      let known = shift <= 0 ? UInt.max : UInt.max << UInt(shift)
      if hash(child) & known != way { statistics.violations.append("a leaf in a wrong bucket at depth \(depth)") }
    }
  }
}
