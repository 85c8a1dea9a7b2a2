extension TreeNode {
  /// Takes a leaf out of a tree.
  ///
  /// - Parameters:
  ///   - hash: The leaf's hash.
  ///   - offset: Its place among the leaves with that hash.
  /// - Returns: The leaf, whose ownership is passed on, or `nil` if there is none.
  @usableFromInline
  static func remove(_ root: inout TreeNode?, _ hash: UInt, at offset: Int) -> TreeSlot? {
    let taken: (leaf: TreeSlot, isEmpty: Bool)? = withHolder(of: &root) { holder in
      let leaf = remove(holder, hash, offset, TreeShape.top)
      return (leaf, TreeHandle(holder.pointee).header.pointee.count == 0)
    }
    if let taken, taken.isEmpty { root = nil }
    return taken?.leaf
  }

  /// The leaf must be there, which callers have looked up. Recursion ends with the digits of the hash.
  private static func remove(
    _ holder: UnsafeMutablePointer<TreeSlot>, _ hash: UInt, _ offset: Int, _ shift: Int
  ) -> TreeSlot {
    guard shift >= 0 else { return removeFromList(holder, offset) }
    let header = TreeHandle(holder.pointee).header.pointee
    let bucket = TreeShape.bucket(hash, shift)
    if header.leaves & bucket != 0 { return removeChild(holder, bucket) }
    let node = TreeHandle.unique(holder)
    let child = node.slots + header.index(bucket)
    let leaf = remove(child, hash, offset, shift - TreeShape.bits)
    let below = TreeHandle(child.pointee)
    if below.header.pointee.isSingleLeaf {
      // The recursion has made the child unique.
      child.pointee = below.slots[0]
      below.discard()
      node.header.pointee.leaves ^= bucket
      node.header.pointee.nodes ^= bucket
    }
    return leaf
  }

  private static func removeChild(_ holder: UnsafeMutablePointer<TreeSlot>, _ bucket: UInt16) -> TreeSlot {
    let old = TreeHandle(holder.pointee)
    let header = old.header.pointee
    let (index, count) = (header.index(bucket), header.count)
    let leaf = old.slots[index]
    if TreeReference.isUnique(holder, TreeNode.self) {
      (old.slots + index).update(from: old.slots + index + 1, count: count - index - 1)
      old.header.pointee.leaves ^= bucket
      if count == 1 { old.header.pointee.extent = 0 }
      return leaf
    }
    let new = TreeHandle.make(leaves: header.leaves ^ bucket, nodes: header.nodes, room: count - 1)
    moveOut(old, new, index, count)
    holder.pointee = new.object
    return leaf
  }

  private static func removeFromList(_ holder: UnsafeMutablePointer<TreeSlot>, _ index: Int) -> TreeSlot {
    let old = TreeHandle(holder.pointee)
    let count = old.header.pointee.count
    let leaf = old.slots[index]
    if TreeReference.isUnique(holder, TreeNode.self) {
      (old.slots + index).update(from: old.slots + index + 1, count: count - index - 1)
      old.header.pointee.extent -= 1
      return leaf
    }
    let new = TreeHandle.makeList(count: count - 1)
    moveOut(old, new, index, count)
    holder.pointee = new.object
    return leaf
  }

  /// Copies all children but one into a new node, and gives up the old one, which is shared; that child is retained for the caller.
  private static func moveOut(_ old: TreeHandle, _ new: TreeHandle, _ index: Int, _ count: Int) {
    new.slots.initialize(from: old.slots, count: index)
    (new.slots + index).initialize(from: old.slots + index + 1, count: count - index - 1)
    old.retainChildren(count)
    TreeReference.release(old.object)
  }
}
