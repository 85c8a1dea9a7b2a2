public import Foundation

extension Sequence {
  /// The first elements in an order, without sorting all of them.
  ///
  /// The result is that of a stable sort, cut off: elements that compare as equal stand as they do in the sequence.
  ///
  /// - Parameters:
  ///   - count: How many elements at most; none when it is not positive.
  ///   - comparator: The order.
  /// - Returns: `count` elements, or all if there are fewer, in order.
  /// - Complexity: O(*n* log *k*) for *k* of *n* elements, and about one comparison for each element when they come in
  ///   random order; O(*k*) memory.
  public func min<Comparator: SortComparator>(
    count: Int, using comparator: Comparator
  ) -> [Element] where Comparator.Compared == Element {
    min(count: count, by: comparator.compare)
  }

  /// The first elements in an order of several criteria, without sorting all of them.
  ///
  /// The result is that of a stable sort, cut off: elements that compare as equal stand as they do in the sequence.
  ///
  /// - Parameters:
  ///   - count: How many elements at most; none when it is not positive.
  ///   - comparators: The criteria; each one decides where those before it do not.
  /// - Returns: `count` elements, or all if there are fewer, in order.
  /// - Complexity: As with one criterion.
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
    var heap = LimitedHeap<Element>(limit: count)
    for element in self { heap.offer(element, by: compare) }
    return heap.sorted(by: compare)
  }
}
