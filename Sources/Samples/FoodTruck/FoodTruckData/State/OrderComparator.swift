import Foundation

/// Compares orders by several criteria, one after the other, and at last by their ids, so that the result never depends
/// on the order of a table.
struct OrderComparator: SortComparator {
  private let comparators: [KeyPathComparator<Order>]
  /// The direction as a whole. The ids of orders that are equal in everything else ascend all the same.
  var order = SortOrder.forward

  init(_ comparators: some Sequence<KeyPathComparator<Order>>) {
    self.comparators = Array(comparators)
  }

  func compare(_ lhs: Order, _ rhs: Order) -> ComparisonResult {
    for comparator in comparators {
      switch (comparator.compare(lhs, rhs), order) {
      case (.orderedSame, _): continue
      case (let result, .forward): return result
      case (.orderedAscending, .reverse): return .orderedDescending
      case (.orderedDescending, .reverse): return .orderedAscending
      }
    }
    if lhs.id == rhs.id { return .orderedSame }
    return lhs.id < rhs.id ? .orderedAscending : .orderedDescending
  }
}
