public import Foundation

extension Sequence {
  /// Returns the first elements in a sort order, without sorting all elements.
  ///
  /// The result is the prefix of a stable sort: equal elements keep their order.
  public func min<Comparator: SortComparator>(
    count: Int, using comparator: Comparator
  ) -> [Element] where Comparator.Compared == Element {
    min(count: count, by: comparator.compare)
  }

  /// Returns the first elements in a sort order of several criteria, without sorting all elements.
  ///
  /// The result is the prefix of a stable sort: equal elements keep their order.
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

  func min(count: Int, by compare: (Element, Element) -> ComparisonResult) -> [Element] {
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
