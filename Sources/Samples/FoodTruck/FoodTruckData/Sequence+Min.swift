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
  /// - Complexity: O(*n* log *k*) for *k* of *n* elements, with about one comparison per element if they are in random
  ///   order; O(*k*) memory.
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
    var heap = LimitedHeap<Element>(limit: count)
    for element in self { heap.offer(element, by: compare) }
    return heap.sorted(by: compare)
  }
}

/// Collects the first of many elements in a sort order.
///
/// It is a heap whose root is the last of the kept elements. A new element is compared with the root, and most elements
/// are then dropped. (J. W. J. Williams, "Algorithm 232: Heapsort", 1964.)
struct LimitedHeap<Element> {
  private typealias Entry = (element: Element, position: Int)

  private let limit: Int
  private var entries: [Entry] = []
  private var offered = 0

  /// - Parameter limit: The maximum number of kept elements, at least 1.
  init(limit: Int) {
    self.limit = limit
  }

  /// Keeps the element if it is among the first so far. An earlier element precedes a later equal one.
  ///
  /// - Complexity: O(log *k*) for the limit *k*; one comparison if the element is dropped.
  mutating func offer(_ element: Element, by compare: (Element, Element) -> ComparisonResult) {
    let entry = (element: element, position: offered)
    offered += 1
    if entries.count < limit {
      entries.append(entry)
      if entries.count == limit {
        for root in stride(from: limit / 2 - 1, through: 0, by: -1) { sink(root, by: compare) }
      }
    } else if compare(element, entries[0].element) == .orderedAscending {
      entries[0] = entry
      sink(0, by: compare)
    }
  }

  /// Returns the kept elements, sorted.
  ///
  /// - Complexity: O(*k* log *k*) for the limit *k*.
  func sorted(by compare: (Element, Element) -> ComparisonResult) -> [Element] {
    entries.sorted { lhs, rhs in Self.isOrdered(lhs, before: rhs, by: compare) }.map(\.element)
  }

  private mutating func sink(_ root: Int, by compare: (Element, Element) -> ComparisonResult) {
    var parent = root
    while true {
      var last = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
        if Self.isOrdered(entries[last], before: entries[child], by: compare) { last = child }
      }
      if last == parent { return }
      entries.swapAt(parent, last)
      parent = last
    }
  }

  private static func isOrdered(
    _ lhs: Entry, before rhs: Entry, by compare: (Element, Element) -> ComparisonResult
  ) -> Bool {
    switch compare(lhs.element, rhs.element) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: lhs.position < rhs.position
    }
  }
}
