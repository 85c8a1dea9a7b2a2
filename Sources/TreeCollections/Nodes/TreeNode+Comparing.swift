extension TreeNode {
  /// Whether two leaves are alike in one respect: their keys or their values.
  @usableFromInline
  typealias LeafTest = (TreeSlot, TreeSlot) -> Bool

  /// Whether two trees hold equal keys with equal values.
  ///
  /// Shapes are canonical, so that the first difference of two nodes ends the comparison.
  @usableFromInline
  static func areEqual(_ old: TreeNode?, _ new: TreeNode?, keys: LeafTest, values: LeafTest) -> Bool {
    guard let old, let new else { return old == nil && new == nil }
    return areEqual(
      Unmanaged.passUnretained(old).toOpaque(), Unmanaged.passUnretained(new).toOpaque(), keys, values)
  }

  /// Recursion ends with the digits of the hash.
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

  /// The leaves of a list have no order.
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
