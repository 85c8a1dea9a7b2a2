import Foundation

/// The first few of many elements that come one after the other.
///
/// A heap with the last of the kept elements at its root: a new element is compared with that one alone, and most are not
/// among the first few. (J. W. J. Williams, "Algorithm 232: Heapsort", 1964.)
struct LimitedHeap<Element> {
  private typealias Entry = (element: Element, position: Int)

  private let limit: Int
  private var entries: [Entry] = []
  private var offered = 0

  /// - Parameter limit: How many elements are kept, at least 1.
  init(limit: Int) {
    self.limit = limit
  }

  /// Keeps the element if it is among the first ones so far. Of equal elements the earlier one comes first.
  ///
  /// - Complexity: O(log(limit)); one comparison if the element is not kept.
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

  /// The kept elements, in order.
  ///
  /// - Complexity: O(limit · log(limit)).
  func sorted(by compare: (Element, Element) -> ComparisonResult) -> [Element] {
    entries.sorted { lhs, rhs in Self.comes(lhs, before: rhs, by: compare) }.map(\.element)
  }

  private mutating func sink(_ root: Int, by compare: (Element, Element) -> ComparisonResult) {
    var place = root
    while true {
      var last = place
      for child in [2 * place + 1, 2 * place + 2] where child < entries.count {
        if Self.comes(entries[last], before: entries[child], by: compare) { last = child }
      }
      if last == place { return }
      entries.swapAt(place, last)
      place = last
    }
  }

  private static func comes(
    _ lhs: Entry, before rhs: Entry, by compare: (Element, Element) -> ComparisonResult
  ) -> Bool {
    switch compare(lhs.element, rhs.element) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: lhs.position < rhs.position
    }
  }
}
