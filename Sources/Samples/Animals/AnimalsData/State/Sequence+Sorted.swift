import Foundation

extension Sequence where Element: Identifiable, Element.ID: Comparable {
  /// The elements in the order of one of their properties; those that are equal in it, in ascending order of id.
  ///
  /// Without the second criterion the result would follow the order of a dictionary, which differs from process to
  /// process.
  ///
  /// - Complexity: O(n log n).
  func sorted(by property: KeyPath<Element, some Comparable>, order: SortOrder) -> [Element] {
    sorted { lhs, rhs in
      let (left, right) = (lhs[keyPath: property], rhs[keyPath: property])
      if left == right { return lhs.id < rhs.id }
      return order == .forward ? left < right : right < left
    }
  }
}
