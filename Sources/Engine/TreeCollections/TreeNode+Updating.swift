/// The leaves that can match a key: those in the bucket of its hash.
///
/// There is more than one only if several keys have the same hash. The pointer is valid until the tree is modified.
@frozen
@usableFromInline
struct TreeCandidates {
  @usableFromInline let slots: UnsafeMutablePointer<TreeSlot>?
  @usableFromInline let count: Int

  @inline(__always)
  init(_ slots: UnsafeMutablePointer<TreeSlot>?, _ count: Int) {
    self.slots = slots
    self.count = count
  }

  @inline(__always)
  static var none: TreeCandidates { TreeCandidates(nil, 0) }
}

extension TreeNode {
  /// Returns the leaves that can match a key with the given hash.
  @usableFromInline
  static func find(_ root: TreeNode?, _ hash: UInt) -> TreeCandidates {
    guard let root else { return .none }
    var node = TreeHandle(Unmanaged.passUnretained(root).toOpaque())
    var shift = TreeShape.top
    while shift >= 0 {
      let header = node.header.pointee
      let bucket = TreeShape.bucket(hash, shift)
      if header.nodes & bucket != 0 {
        node = TreeHandle(node.slots[header.index(bucket, TreeShape.digit(hash, shift))])
        shift -= TreeShape.bits
      } else if header.leaves & bucket != 0 {
        return TreeCandidates(node.slots + header.index(bucket, TreeShape.digit(hash, shift)), 1)
      } else {
        return .none
      }
    }
    return TreeCandidates(node.slots, node.header.pointee.count)
  }

  /// Returns the leaves that can match a key, after copying every shared node on the path to them, so that the slots are writable.
  ///
  /// A node without a matching bucket is not copied.
  @usableFromInline
  static func findUnique(_ root: inout TreeNode?, _ hash: UInt) -> TreeCandidates {
    withHolder(of: &root) { root in
      var holder = root
      var shift = TreeShape.top
      while shift >= 0 {
        let header = TreeHandle(holder.pointee).header.pointee
        let bucket = TreeShape.bucket(hash, shift)
        guard header.occupied & bucket != 0 else { return .none }
        let node = TreeHandle.unique(holder)
        holder = node.slots + header.index(bucket, TreeShape.digit(hash, shift))
        if header.leaves & bucket != 0 { return TreeCandidates(holder, 1) }
        shift -= TreeShape.bits
      }
      let node = TreeHandle.unique(holder)
      return TreeCandidates(node.slots, node.header.pointee.count)
    } ?? .none
  }

  /// Calls `body` with a pointer to the root as a slot, or returns `nil` if the tree is empty.
  @inline(__always)
  static func withHolder<Result>(
    of root: inout TreeNode?, _ body: (UnsafeMutablePointer<TreeSlot>) -> Result
  ) -> Result? {
    guard root != nil else { return nil }
    return withUnsafeMutablePointer(to: &root) { pointer in
      // An optional reference that is not nil has the representation of a pointer.
      UnsafeMutableRawPointer(pointer).withMemoryRebound(to: TreeSlot.self, capacity: 1) { body($0) }
    }
  }
}

extension TreeNode {
  /// Inserts a leaf whose key is not in the tree.
  ///
  /// - Parameters:
  ///   - leaf: The leaf. The tree takes ownership.
  ///   - other: The hash of the leaf that already occupies the bucket, if any.
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

  /// Creates the smallest subtree with two leaves: one level for each further digit that their hashes share.
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

extension TreeNode {
  /// Removes a leaf, which the caller then owns; `nil` if the tree is empty.
  @usableFromInline
  static func remove(_ root: inout TreeNode?, _ hash: UInt, at offset: Int) -> TreeSlot? {
    let taken: (leaf: TreeSlot, isEmpty: Bool)? = withHolder(of: &root) { holder in
      let leaf = remove(holder, hash, offset, TreeShape.top)
      return (leaf, TreeHandle(holder.pointee).header.pointee.count == 0)
    }
    if let taken, taken.isEmpty { root = nil }
    return taken?.leaf
  }

  /// Removes a leaf that the caller has found in the tree. The recursion depth is bounded by the number of digits in a hash.
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

  /// Copies all children but one into a new node and releases the old, shared one. The removed child is retained for the caller.
  private static func moveOut(_ old: TreeHandle, _ new: TreeHandle, _ index: Int, _ count: Int) {
    new.slots.initialize(from: old.slots, count: index)
    (new.slots + index).initialize(from: old.slots + index + 1, count: count - index - 1)
    old.retainChildren(count)
    TreeReference.release(old.object)
  }
}
