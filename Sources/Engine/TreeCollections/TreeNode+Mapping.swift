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
        return finishList(old, children)
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
    _ old: TreeHandle, _ children: ContiguousArray<TreeSlot>, _ leaves: UInt16, _ nodes: UInt16
  ) -> TreeSlot? {
    if children.isEmpty { return nil }
    if let same = keep(old, children) { return same }
    let node = TreeHandle.make(leaves: leaves, nodes: nodes, room: children.count)
    for (index, child) in children.enumerated() { (node.slots + index).initialize(to: child) }
    return node.object
  }

  private static func finishList(_ old: TreeHandle, _ leaves: ContiguousArray<TreeSlot>) -> TreeSlot? {
    if leaves.isEmpty { return nil }
    if let same = keep(old, leaves) { return same }
    let list = TreeHandle.makeList(count: leaves.count)
    for (index, leaf) in leaves.enumerated() { (list.slots + index).initialize(to: leaf) }
    return list.object
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
