extension TreeDictionary {
  /// What the tree is made of, and whether its shape is as it should be.
  ///
  /// - Complexity: O(*n*).
  package var statistics: TreeStatistics {
    var statistics = TreeStatistics()
    TreeNode.describe(root, into: &statistics) { Self.hash(Leaf($0).key) }
    if statistics.leaves.count != count {
      statistics.violations.append("\(statistics.leaves.count) leaves, but a count of \(count)")
    }
    return statistics
  }
}
