extension TreeDictionary: Equatable where Value: Equatable {
  /// Whether two dictionaries hold equal keys with equal values.
  ///
  /// - Complexity: O(1) for copies of one dictionary, otherwise O(*d*) in the parts that they do not share.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    if left.isTriviallyIdentical(to: right) { return true }
    guard left.count == right.count else { return false }
    return TreeNode.areEqual(
      left.root, right.root, keys: { Leaf($0).has(Leaf($1).key) },
      values: { Leaf($0).value.pointee == Leaf($1).value.pointee })
  }
}

extension TreeDictionary: Hashable where Value: Hashable {
  /// Feeds the elements to a hasher, in a way that does not depend on their order.
  ///
  /// - Complexity: O(*n*).
  @inlinable
  public func hash(into hasher: inout Hasher) {
    var total = 0
    for (key, value) in self {
      var element = hasher
      element.combine(key)
      element.combine(value)
      total ^= element.finalize()
    }
    hasher.combine(total)
  }
}
