/// What two trees do not share, leaf by leaf. The trees must outlive it.
@usableFromInline
struct TreeDifference {
  /// Leaves of the new tree whose keys the old one does not have.
  @usableFromInline var inserted: [TreeSlot] = []
  /// Leaves of the old tree whose keys the new one does not have.
  @usableFromInline var removed: [TreeSlot] = []
  /// Leaves with equal keys and different values.
  @usableFromInline var updated: [(old: TreeSlot, new: TreeSlot)] = []
  /// How many nodes and leaves were looked at, on both sides; what is shared counts as nothing.
  @usableFromInline var visited = 0

  /// Compares two trees.
  ///
  /// - Complexity: O(*d*) in the nodes and leaves that the trees do not share.
  @usableFromInline
  init(from old: TreeNode?, to new: TreeNode?, keys: TreeNode.LeafTest, values: TreeNode.LeafTest) {
    switch (old, new) {
    case (nil, nil): break
    case (let old?, nil): collect(Unmanaged.passUnretained(old).toOpaque(), TreeShape.top, into: \.removed)
    case (nil, let new?): collect(Unmanaged.passUnretained(new).toOpaque(), TreeShape.top, into: \.inserted)
    case (let old?, let new?):
      compareNodes(
        Unmanaged.passUnretained(old).toOpaque(), Unmanaged.passUnretained(new).toOpaque(), TreeShape.top, keys, values)
    }
  }
}

extension TreeDifference {
  /// Recursion ends with the digits of the hash.
  private mutating func compareNodes(
    _ old: TreeSlot, _ new: TreeSlot, _ shift: Int, _ keys: TreeNode.LeafTest, _ values: TreeNode.LeafTest
  ) {
    if old == new { return }
    visited += 2
    let (left, right) = (TreeHandle(old), TreeHandle(new))
    let (header, other) = (left.header.pointee, right.header.pointee)
    guard shift >= 0 else {
      return compareLeaves(
        Array(UnsafeBufferPointer(start: left.slots, count: header.count)),
        Array(UnsafeBufferPointer(start: right.slots, count: other.count)), keys, values)
    }
    var rest = header.occupied | other.occupied
    while rest != 0 {
      let bucket = rest & (0 &- rest)
      rest ^= bucket
      let below = shift - TreeShape.bits
      let oldChild = header.occupied & bucket == 0 ? nil : left.slots[header.index(bucket)]
      let newChild = other.occupied & bucket == 0 ? nil : right.slots[other.index(bucket)]
      if oldChild == newChild { continue }
      if let oldChild, let newChild, header.nodes & other.nodes & bucket != 0 {
        compareNodes(oldChild, newChild, below, keys, values)
        continue
      }
      if let oldChild, let newChild, header.leaves & other.leaves & bucket != 0 {
        visited += 2
        compareLeaf(oldChild, newChild, keys, values)
        continue
      }
      compareLeaves(
        leaves(oldChild, isNode: header.nodes & bucket != 0, below),
        leaves(newChild, isNode: other.nodes & bucket != 0, below), keys, values)
    }
  }

  private mutating func compareLeaf(
    _ old: TreeSlot, _ new: TreeSlot, _ keys: TreeNode.LeafTest, _ values: TreeNode.LeafTest
  ) {
    if !keys(old, new) {
      removed.append(old)
      inserted.append(new)
    } else if !values(old, new) {
      updated.append((old, new))
    }
  }

  /// Matches a few leaves on one side with those on the other. Where there are many on both sides, their hashes are equal.
  private mutating func compareLeaves(
    _ old: [TreeSlot], _ new: [TreeSlot], _ keys: TreeNode.LeafTest, _ values: TreeNode.LeafTest
  ) {
    var unmatched = new
    for leaf in old {
      guard let match = unmatched.firstIndex(where: { leaf == $0 || keys(leaf, $0) }) else {
        removed.append(leaf)
        continue
      }
      let other = unmatched.remove(at: match)
      if leaf != other, !values(leaf, other) { updated.append((leaf, other)) }
    }
    inserted += unmatched
  }

  /// The leaves of a child.
  private mutating func leaves(_ child: TreeSlot?, isNode: Bool, _ shift: Int) -> [TreeSlot] {
    guard let child else { return [] }
    guard isNode else {
      visited += 1
      return [child]
    }
    var part = TreeDifference()
    part.collect(child, shift, into: \.inserted)
    visited += part.visited
    return part.inserted
  }

  private init() {}

  /// Adds all leaves below a node. Recursion ends with the digits of the hash.
  private mutating func collect(
    _ object: TreeSlot, _ shift: Int, into list: WritableKeyPath<TreeDifference, [TreeSlot]>
  ) {
    let node = TreeHandle(object)
    let header = node.header.pointee
    visited += 1
    var rest = header.occupied
    for index in 0..<header.count {
      let bucket = rest & (0 &- rest)
      rest ^= bucket
      if header.nodes & bucket != 0 {
        collect(node.slots[index], shift - TreeShape.bits, into: list)
      } else {
        visited += 1
        self[keyPath: list].append(node.slots[index])
      }
    }
  }
}
