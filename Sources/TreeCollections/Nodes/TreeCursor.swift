/// A walk over the leaves of a tree, in the order of their hashes.
///
/// Whoever walks keeps the tree alive and unchanged: the cursor holds no references of its own.
@frozen
@usableFromInline
struct TreeCursor {
  /// A node that is left for one of its children.
  @usableFromInline
  struct Frame {
    var next: UnsafeMutablePointer<TreeSlot>
    var header: TreeNodeHeader
  }

  /// The next leaf, if there are any left in the run.
  @usableFromInline var next: UnsafeMutablePointer<TreeSlot>?
  /// How many leaves follow each other here.
  @usableFromInline var run = 0
  /// Where to go on after the run: the nodes around it.
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

  /// Finds the next leaves that stand beside each other in a node.
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
      // A node that is there holds something.
      guard TreeReference.fetch(child.slots, child.header.pointee.count) else { continue }
      frames.append(Frame(next: child.slots, header: child.header.pointee))
    }
  }

  private mutating func start(_ slots: UnsafeMutablePointer<TreeSlot>, _ count: Int) {
    next = slots
    run = count
  }

  /// Notes what is left of a node, or forgets it if that is nothing.
  private mutating func leave(_ index: Int, _ leaves: UInt16, _ nodes: UInt16, _ next: UnsafeMutablePointer<TreeSlot>) {
    if leaves | nodes == 0 {
      frames.removeLast()
    } else {
      frames[index] = Frame(next: next, header: TreeNodeHeader(leaves: leaves, nodes: nodes, extent: 0))
    }
  }
}

extension TreeNode {
  /// Finds the first leaf at or behind a place in the order of hashes.
  ///
  /// - Parameters:
  ///   - hash: Where to begin.
  ///   - offset: How many of the leaves with this very hash to skip; 0 skips none, and 1 skips one that is alone.
  /// - Returns: The leaf and its place among those with its hash, or `nil` if there is none.
  @usableFromInline
  static func firstLeaf(_ root: TreeNode?, from hash: UInt, skipping offset: Int) -> (leaf: TreeSlot, offset: Int)? {
    guard let root else { return nil }
    return firstLeaf(Unmanaged.passUnretained(root).toOpaque(), hash, offset, TreeShape.top, isOnPath: true)
  }

  /// Recursion ends with the digits of the hash.
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
