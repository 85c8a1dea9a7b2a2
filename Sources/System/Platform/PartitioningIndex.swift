extension RandomAccessCollection {
  /// The first index from which on a condition holds, by binary search; `endIndex` if it holds nowhere.
  ///
  /// The condition is false for the first elements, and true for all others. Otherwise, it holds at the returned index, but not before it.
  ///
  /// - Complexity: O(log *n*).
  @inlinable package func partitioningIndex<Failure: Error>(
    where condition: (Element) throws(Failure) -> Bool
  ) throws(Failure) -> Index {
    var low = startIndex
    var count = count
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if try condition(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
