/// An iterator over the leaves of a tree, in hash order.
///
/// The cursor holds no references: its owner must keep the tree alive and unchanged.
@frozen
@usableFromInline
struct TreeCursor {
  /// An ancestor of the current run, with the children that remain to be visited.
  @usableFromInline
  struct Frame {
    var next: UnsafeMutablePointer<TreeSlot>
    var header: TreeNodeHeader
  }

  /// The next leaf, if there are any left in the run.
  @usableFromInline var next: UnsafeMutablePointer<TreeSlot>?
  /// The number of leaves left in the current run.
  @usableFromInline var run = 0
  /// The ancestors to resume after the run.
  @usableFromInline var frames: ContiguousArray<Frame> = []

  @usableFromInline
  init(_ root: TreeNode?) {
    guard let root else { return }
    let node = TreeHandle(Unmanaged.passUnretained(root).toOpaque())
    frames.append(Frame(next: node.slots, header: node.header.pointee))
    findRun()
  }

  /// The next leaf, or `nil` after the last one.
  @inlinable
  @inline(__always)
  mutating func advance() -> TreeSlot? {
    if run == 0 {
      findRun()
      if run == 0 { return nil }
    }
    run -= 1
    let leaf = next.unsafelyUnwrapped.pointee
    next = next.unsafelyUnwrapped + 1
    return leaf
  }

  /// Advances to the next run of adjacent leaves in a node.
  @usableFromInline
  mutating func findRun() {
    while let last = frames.indices.last {
      let frame = frames[last]
      let header = frame.header
      if header.isList {
        frames.removeLast()
        guard header.extent > 0 else { continue }
        return start(frame.next, Int(header.extent))
      }
      // Up to the first bucket with a node there are leaves only.
      let leavesFirst = header.nodes == 0 ? header.leaves : header.leaves & (header.nodes & (0 &- header.nodes) &- 1)
      if leavesFirst != 0 {
        let count = leavesFirst.nonzeroBitCount
        leave(last, header.leaves ^ leavesFirst, header.nodes, frame.next + count)
        return start(frame.next, count)
      }
      let child = TreeHandle(frame.next.pointee)
      leave(last, header.leaves, header.nodes & (header.nodes &- 1), frame.next + 1)
      // Loads the child's slots ahead of time. A node always has children, so this never skips one.
      guard TreeReference.fetch(child.slots, child.header.pointee.count) else { continue }
      frames.append(Frame(next: child.slots, header: child.header.pointee))
    }
  }

  private mutating func start(_ slots: UnsafeMutablePointer<TreeSlot>, _ count: Int) {
    next = slots
    run = count
  }

  /// Records the children of a node that remain to be visited, or drops the node if there are none.
  private mutating func leave(_ index: Int, _ leaves: UInt16, _ nodes: UInt16, _ next: UnsafeMutablePointer<TreeSlot>) {
    if leaves | nodes == 0 {
      frames.removeLast()
    } else {
      frames[index] = Frame(next: next, header: TreeNodeHeader(leaves: leaves, nodes: nodes, extent: 0))
    }
  }
}

extension TreeNode {
  /// Returns the first leaf at or after a position in hash order.
  @usableFromInline
  static func firstLeaf(_ root: TreeNode?, from hash: UInt, skipping offset: Int) -> (leaf: TreeSlot, offset: Int)? {
    guard let root else { return nil }
    return firstLeaf(Unmanaged.passUnretained(root).toOpaque(), hash, offset, TreeShape.top, isOnPath: true)
  }

  /// The recursion depth is bounded by the number of digits in a hash.
  private static func firstLeaf(
    _ object: TreeSlot, _ hash: UInt, _ offset: Int, _ shift: Int, isOnPath: Bool
  ) -> (leaf: TreeSlot, offset: Int)? {
    let node = TreeHandle(object)
    let header = node.header.pointee
    if shift < 0 {
      let first = isOnPath ? offset : 0
      return first < header.count ? (node.slots[first], first) : nil
    }
    let path = TreeShape.bucket(hash, shift)
    var rest = isOnPath ? header.occupied & ~(path &- 1) : header.occupied
    while rest != 0 {
      let bucket = rest & (0 &- rest)
      rest ^= bucket
      let child = node.slots[header.index(bucket)]
      let stays = isOnPath && bucket == path
      if header.leaves & bucket != 0 {
        if stays && offset > 0 { continue }
        return (child, 0)
      }
      if let found = firstLeaf(child, hash, offset, shift - TreeShape.bits, isOnPath: stays) { return found }
    }
    return nil
  }
}
