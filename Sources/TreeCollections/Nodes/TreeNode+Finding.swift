/// The leaves that may hold a key: those in the bucket of its hash.
///
/// There is more than one only if several keys have equal hashes. The pointer is valid until the tree changes.
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
  /// Finds the leaves that may hold a key.
  ///
  /// - Complexity: O(1): no more levels than a hash has digits, and as a rule as many as the logarithm of the count.
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

  /// Finds the leaves that may hold a key, and copies every shared node on the way, so that the slots may be written.
  ///
  /// Copies nothing in the node that has no such leaf.
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

  /// Gives the place of the root as the slot that it is, or returns `nil` if there is none.
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
