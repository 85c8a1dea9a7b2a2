package import Foundation

extension Sequence where Element: Identifiable, Element.ID: Comparable {
  /// Returns the elements sorted by a property; elements with equal values are in ascending order of their ids.
  ///
  /// Without the second criterion, the result would follow the order of a dictionary, which differs between processes.
  package func sorted(by property: KeyPath<Element, some Comparable>, order: SortOrder) -> [Element] {
    sorted { lhs, rhs in
      let (left, right) = (lhs[keyPath: property], rhs[keyPath: property])
      if left == right { return lhs.id < rhs.id }
      return order == .forward ? left < right : right < left
    }
  }
}
