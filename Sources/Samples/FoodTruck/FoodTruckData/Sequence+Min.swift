public import Foundation

extension Sequence {
  /// Returns the first elements in a sort order, without sorting all elements.
  ///
  /// The result is the prefix of a stable sort: equal elements keep their order.
  ///
  /// - Parameters:
  ///   - count: The maximum number of elements. If it is not positive, the result is empty.
  ///   - comparator: The sort criterion.
  /// - Returns: `count` elements, or all if there are fewer, sorted.
  /// - Complexity: O(*n* log *k*) comparisons for *k* of *n* elements, about one per element if they are in random order;
  ///   O(*k*) memory.
  public func min<Comparator: SortComparator>(
    count: Int, using comparator: Comparator
  ) -> [Element] where Comparator.Compared == Element {
    min(count: count, by: comparator.compare)
  }

  /// Returns the first elements in a sort order of several criteria, without sorting all elements.
  ///
  /// The result is the prefix of a stable sort: equal elements keep their order.
  ///
  /// - Parameters:
  ///   - count: The maximum number of elements. If it is not positive, the result is empty.
  ///   - comparators: The sort criteria, in descending precedence.
  /// - Returns: `count` elements, or all if there are fewer, sorted.
  /// - Complexity: The same as with one criterion.
  public func min<Comparators: Sequence>(
    count: Int, using comparators: Comparators
  ) -> [Element] where Comparators.Element: SortComparator, Comparators.Element.Compared == Element {
    let comparators = Array(comparators)
    return min(count: count) { lhs, rhs in
      for comparator in comparators {
        let result = comparator.compare(lhs, rhs)
        if result != .orderedSame { return result }
      }
      return .orderedSame
    }
  }

  private func min(count: Int, by compare: (Element, Element) -> ComparisonResult) -> [Element] {
    guard count > 0 else { return [] }
    var first: [Element] = []
    for element in self {
      if first.count == count {
        guard compare(element, first[count - 1]) == .orderedAscending else { continue }
        first.removeLast()
      }
      // The place after all elements that are not greater.
      var (low, high) = (0, first.count)
      while low < high {
        let middle = (low + high) / 2
        if compare(element, first[middle]) == .orderedAscending { high = middle } else { low = middle + 1 }
      }
      first.insert(element, at: low)
    }
    return first
  }
}
