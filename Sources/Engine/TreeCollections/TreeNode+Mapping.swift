extension TreeNode {
  /// Returns a tree with each leaf transformed or dropped.
  ///
  /// A subtree whose leaves all stay the same objects is shared with the result.
  ///
  /// - Parameter transform: Returns an owned leaf with the same key, or `nil` to drop the leaf.
  @usableFromInline
  static func compactMap(_ root: TreeNode?, _ transform: (TreeSlot) throws -> TreeSlot?) rethrows -> TreeNode? {
    guard let root else { return nil }
    let object = Unmanaged.passUnretained(root).toOpaque()
    guard let node = try compactMap(object, transform) else { return nil }
    return Unmanaged<TreeNode>.fromOpaque(node).takeRetainedValue()
  }

  /// The recursion depth is bounded by the number of digits in a hash.
  ///
  /// - Returns: An owned node, possibly with a single leaf, or `nil` if every leaf was dropped.
  private static func compactMap(
    _ object: TreeSlot, _ transform: (TreeSlot) throws -> TreeSlot?
  ) rethrows -> TreeSlot? {
    let old = TreeHandle(object)
    let header = old.header.pointee
    var children: ContiguousArray<TreeSlot> = []
    children.reserveCapacity(header.count)
    do {
      if header.isList {
        for index in 0..<header.count {
          if let leaf = try transform(old.slots[index]) { children.append(leaf) }
        }
        return finish(old, children)
      }
      var (leaves, nodes, rest): (UInt16, UInt16, UInt16) = (0, 0, header.occupied)
      for index in 0..<header.count {
        let bucket = rest & (0 &- rest)
        rest ^= bucket
        if header.leaves & bucket != 0 {
          guard let leaf = try transform(old.slots[index]) else { continue }
          children.append(leaf)
          leaves |= bucket
        } else {
          guard let child = try compactMap(old.slots[index], transform) else { continue }
          let below = TreeHandle(child)
          if below.header.pointee.isSingleLeaf {
            children.append(below.slots[0])
            TreeReference.retain(below.slots[0])
            TreeReference.release(child)
            leaves |= bucket
          } else {
            children.append(child)
            nodes |= bucket
          }
        }
      }
      return finish(old, children, leaves, nodes)
    } catch {
      for child in children { TreeReference.release(child) }
      throw error
    }
  }

  private static func finish(
    _ old: TreeHandle, _ children: ContiguousArray<TreeSlot>, _ leaves: UInt16 = 0, _ nodes: UInt16 = 0
  ) -> TreeSlot? {
    if children.isEmpty { return nil }
    if let same = keep(old, children) { return same }
    let node =
      old.header.pointee.isList
      ? TreeHandle.makeList(count: children.count)
      : TreeHandle.make(leaves: leaves, nodes: nodes, room: children.count)
    for (index, child) in children.enumerated() { (node.slots + index).initialize(to: child) }
    return node.object
  }

  /// Returns the old node if its children are unchanged. It owns them already, so the new references are released.
  private static func keep(_ old: TreeHandle, _ children: ContiguousArray<TreeSlot>) -> TreeSlot? {
    guard children.count == old.header.pointee.count else { return nil }
    for (index, child) in children.enumerated() where child != old.slots[index] { return nil }
    for child in children { TreeReference.release(child) }
    TreeReference.retain(old.object)
    return old.object
  }
}

/// The size and shape of a tree, for tests and benchmarks.
package struct TreeStatistics: Sendable {
  package var nodes: Set<ObjectIdentifier> = []
  package var leaves: Set<ObjectIdentifier> = []
  package var lists = 0
  /// The number of nodes on the path to the deepest leaf.
  package var depth = 0
  /// Violations of the shape invariants. Always empty unless this module has a bug.
  package var violations: [String] = []
}

extension TreeNode {
  /// Collects statistics and checks the shape of a tree.
  static func describe(_ root: TreeNode?, into statistics: inout TreeStatistics, hash: (TreeSlot) -> UInt) {
    guard let root else { return }
    describe(Unmanaged.passUnretained(root).toOpaque(), TreeShape.top, 0, 1, &statistics, hash)
  }

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
  package var statistics: TreeStatistics {
    var statistics = TreeStatistics()
    TreeNode.describe(root, into: &statistics) { Self.hash(Leaf($0).key) }
    if statistics.leaves.count != count {
      statistics.violations.append("\(statistics.leaves.count) leaves, but a count of \(count)")
    }
    return statistics
  }
}
