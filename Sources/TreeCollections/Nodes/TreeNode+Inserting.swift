extension TreeNode {
  /// Puts a leaf into a tree that does not hold its key.
  ///
  /// - Parameters:
  ///   - leaf: The leaf, whose ownership is taken.
  ///   - other: The hash of the leaf that is alone in the bucket, if there is one.
  @usableFromInline
  static func insert(_ root: inout TreeNode?, _ leaf: TreeSlot, _ hash: UInt, besides other: UInt) {
    let isDone: Void? = withHolder(of: &root) { root in
      var holder = root
      var shift = TreeShape.top
      while shift >= 0 {
        let header = TreeHandle(holder.pointee).header.pointee
        let bucket = TreeShape.bucket(hash, shift)
        guard header.occupied & bucket != 0 else { return insertChild(holder, leaf, bucket) }
        let node = TreeHandle.unique(holder)
        holder = node.slots + header.index(bucket)
        shift -= TreeShape.bits
        guard header.nodes & bucket == 0 else { continue }
        holder.pointee = split(leaf, hash, holder.pointee, other, shift)
        node.header.pointee.leaves ^= bucket
        node.header.pointee.nodes ^= bucket
        return
      }
      appendToList(holder, leaf)
    }
    if isDone == nil { root = makeRoot(leaf, hash) }
  }

  private static func makeRoot(_ leaf: TreeSlot, _ hash: UInt) -> TreeNode {
    let node = TreeHandle.make(leaves: TreeShape.bucket(hash, TreeShape.top), nodes: 0, room: 1)
    node.slots.initialize(to: leaf)
    return Unmanaged<TreeNode>.fromOpaque(node.object).takeRetainedValue()
  }

  /// Puts a leaf into a free bucket of the node in a slot.
  private static func insertChild(_ holder: UnsafeMutablePointer<TreeSlot>, _ leaf: TreeSlot, _ bucket: UInt16) {
    let old = TreeHandle(holder.pointee)
    let header = old.header.pointee
    let (index, count) = (header.index(bucket), header.count)
    let isUnique = TreeReference.isUnique(holder, TreeNode.self)
    if isUnique, count < Int(header.extent) {
      (old.slots + index + 1).update(from: old.slots + index, count: count - index)
      old.slots[index] = leaf
      old.header.pointee.leaves |= bucket
      return
    }
    let new = TreeHandle.make(leaves: header.leaves | bucket, nodes: header.nodes, room: count + 1)
    new.slots.initialize(from: old.slots, count: index)
    (new.slots + index).initialize(to: leaf)
    (new.slots + index + 1).initialize(from: old.slots + index, count: count - index)
    holder.pointee = new.object
    if isUnique {
      old.discard()
    } else {
      old.retainChildren(count)
      TreeReference.release(old.object)
    }
  }

  private static func appendToList(_ holder: UnsafeMutablePointer<TreeSlot>, _ leaf: TreeSlot) {
    let old = TreeHandle(holder.pointee)
    let count = old.header.pointee.count
    let new = TreeHandle.makeList(count: count + 1)
    new.slots.initialize(from: old.slots, count: count)
    (new.slots + count).initialize(to: leaf)
    if TreeReference.isUnique(holder, TreeNode.self) {
      old.discard()
    } else {
      old.retainChildren(count)
      TreeReference.release(old.object)
    }
    holder.pointee = new.object
  }

  /// Makes the smallest node that holds two leaves: a chain for the digits that their hashes share.
  private static func split(
    _ leaf: TreeSlot, _ hash: UInt, _ other: TreeSlot, _ otherHash: UInt, _ shift: Int
  ) -> TreeSlot {
    guard shift >= 0 else {
      let list = TreeHandle.makeList(count: 2)
      list.slots.initialize(to: other)
      (list.slots + 1).initialize(to: leaf)
      return list.object
    }
    let (bucket, otherBucket) = (TreeShape.bucket(hash, shift), TreeShape.bucket(otherHash, shift))
    if bucket == otherBucket {
      let node = TreeHandle.make(leaves: 0, nodes: bucket, room: 1)
      node.slots.initialize(to: split(leaf, hash, other, otherHash, shift - TreeShape.bits))
      return node.object
    }
    let node = TreeHandle.make(leaves: bucket | otherBucket, nodes: 0, room: 2)
    node.slots.initialize(to: bucket < otherBucket ? leaf : other)
    (node.slots + 1).initialize(to: bucket < otherBucket ? other : leaf)
    return node.object
  }
}
