extension TreeNode {
  /// Makes a tree of what a closure makes of each leaf.
  ///
  /// A part in which every leaf stays the same object is shared with this tree.
  ///
  /// - Parameter transform: Returns an owned leaf with the same key, or `nil` to leave it out.
  @usableFromInline
  static func compactMap(_ root: TreeNode?, _ transform: (TreeSlot) throws -> TreeSlot?) rethrows -> TreeNode? {
    guard let root else { return nil }
    let object = Unmanaged.passUnretained(root).toOpaque()
    guard let node = try compactMap(object, transform) else { return nil }
    return Unmanaged<TreeNode>.fromOpaque(node).takeRetainedValue()
  }

  /// Recursion ends with the digits of the hash.
  ///
  /// - Returns: An owned node, which may have a single leaf, or `nil` if nothing is left.
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

  /// The old node, if its children are the same objects; then it owns them already.
  private static func keep(_ old: TreeHandle, _ children: ContiguousArray<TreeSlot>) -> TreeSlot? {
    guard children.count == old.header.pointee.count else { return nil }
    for (index, child) in children.enumerated() where child != old.slots[index] { return nil }
    for child in children { TreeReference.release(child) }
    TreeReference.retain(old.object)
    return old.object
  }
}
