/// The leaves that differ between two trees. Both trees must outlive this value.
@usableFromInline
struct TreeDifference {
  /// Leaves of the new tree whose keys the old one does not have.
  @usableFromInline var inserted: [TreeSlot] = []
  /// Leaves of the old tree whose keys the new one does not have.
  @usableFromInline var removed: [TreeSlot] = []
  /// Leaves with equal keys and different values.
  @usableFromInline var updated: [(old: TreeSlot, new: TreeSlot)] = []
  /// The number of nodes and leaves inspected in both trees. Shared nodes are skipped and not counted.
  @usableFromInline var visited = 0

  /// Compares two trees.
  ///
  /// - Complexity: O(*d*), where *d* is the number of nodes and leaves that the trees do not share.
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
  /// The recursion depth is bounded by the number of digits in a hash.
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

  /// Pairs leaves with equal keys. If both lists have several leaves, all of them have the same hash.
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

  /// Returns all leaves of a child, which may be a leaf itself.
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

  /// Appends all leaves below a node to `list`. The recursion depth is bounded by the number of digits in a hash.
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

extension TreeNode {
  /// A predicate that compares the keys, or the values, of two leaves.
  @usableFromInline
  typealias LeafTest = (TreeSlot, TreeSlot) -> Bool

  /// Whether two trees contain equal keys with equal values.
  ///
  /// Tree shapes are canonical, so the comparison stops at the first pair of nodes with different shapes.
  @usableFromInline
  static func areEqual(_ old: TreeNode?, _ new: TreeNode?, keys: LeafTest, values: LeafTest) -> Bool {
    guard let old, let new else { return old == nil && new == nil }
    return areEqual(
      Unmanaged.passUnretained(old).toOpaque(), Unmanaged.passUnretained(new).toOpaque(), keys, values)
  }

  /// The recursion depth is bounded by the number of digits in a hash.
  private static func areEqual(_ old: TreeSlot, _ new: TreeSlot, _ keys: LeafTest, _ values: LeafTest) -> Bool {
    if old == new { return true }
    let (left, right) = (TreeHandle(old), TreeHandle(new))
    let (header, other) = (left.header.pointee, right.header.pointee)
    guard header.leaves == other.leaves, header.nodes == other.nodes, header.count == other.count else { return false }
    if header.isList { return areListsEqual(left, right, keys, values) }
    var rest = header.occupied
    for index in 0..<header.count {
      let bucket = rest & (0 &- rest)
      rest ^= bucket
      let (oldChild, newChild) = (left.slots[index], right.slots[index])
      if oldChild == newChild { continue }
      if header.leaves & bucket != 0 {
        guard keys(oldChild, newChild), values(oldChild, newChild) else { return false }
      } else {
        guard areEqual(oldChild, newChild, keys, values) else { return false }
      }
    }
    return true
  }

  /// Compares two collision lists, whose leaves are in no particular order.
  private static func areListsEqual(
    _ old: TreeHandle, _ new: TreeHandle, _ keys: LeafTest, _ values: LeafTest
  ) -> Bool {
    let count = new.header.pointee.count
    for index in 0..<old.header.pointee.count {
      let leaf = old.slots[index]
      guard let match = (0..<count).first(where: { leaf == new.slots[$0] || keys(leaf, new.slots[$0]) }) else {
        return false
      }
      guard leaf == new.slots[match] || values(leaf, new.slots[match]) else { return false }
    }
    return true
  }
}
