import FoodTruckData
import Foundation
import Platform
import TestSupport
import Testing

/// Compares numbers and counts the comparisons.
private struct CountingComparator: SortComparator {
  final class Count: Sendable {
    let value = Locked(0)
  }

  let count = Count()
  var order = SortOrder.forward

  func compare(_ lhs: Int, _ rhs: Int) -> ComparisonResult {
    count.value.withLock { value in value += 1 }
    if lhs == rhs { return .orderedSame }
    return (lhs < rhs) == (order == .forward) ? .orderedAscending : .orderedDescending
  }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.order == rhs.order }
  func hash(into hasher: inout Hasher) { hasher.combine(order) }
}

/// A row with a key that is not unique.
private struct Row: Hashable, Sendable {
  var key: Int
  var other: Int
  var position: Int
}

@Suite struct SequenceMinTests {
  @Test(arguments: 0..<200 as Range<UInt64>)
  func isThePrefixOfAStableSort(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let rows = (0..<Int.random(in: 0...60, using: &generator)).map { position in
      Row(
        key: Int.random(in: 0..<6, using: &generator), other: Int.random(in: 0..<4, using: &generator),
        position: position)
    }
    let one = KeyPathComparator(\Row.key, order: Bool.random(using: &generator) ? .forward : .reverse)
    let two = [one, KeyPathComparator(\Row.other, order: Bool.random(using: &generator) ? .forward : .reverse)]
    // The position is the last criterion, as in a stable sort.
    let last = KeyPathComparator(\Row.position)
    for count in [-1, 0, 1, 2, 5, rows.count, rows.count + 1, Int.max] {
      let prefix = max(0, count)
      #expect(
        rows.min(count: count, using: one) == Array(rows.sorted(using: [one, last]).prefix(prefix)), "seed \(seed)")
      #expect(
        rows.min(count: count, using: two) == Array(rows.sorted(using: two + [last]).prefix(prefix)), "seed \(seed)")
    }
    #expect(rows.min(count: 3, using: [] as [KeyPathComparator<Row>]) == Array(rows.prefix(3)), "seed \(seed)")
  }

  @Test(arguments: [.forward, .reverse] as [SortOrder])
  func mostElementsAreComparedOnce(order: SortOrder) {
    let total = 10_000
    var generator = SeededGenerator(seed: 7)
    let numbers = (0..<total).map { number in number }.shuffled(using: &generator)
    let first = CountingComparator(order: order)
    let sorting = CountingComparator(order: order)
    let result = numbers.min(count: 5, using: first)
    #expect(result == Array(numbers.sorted(using: sorting).prefix(5)))
    let (few, all) = (first.count.value.withLock(\.self), sorting.count.value.withLock(\.self))
    #expect(few < total + total / 20, "\(few) comparisons")
    #expect(all > 10 * few, "\(all) comparisons to sort")
  }

  /// Descending numbers are the worst case: each one is among the first so far.
  @Test(arguments: [1, 2, 5, 64])
  func worstCaseIsLogarithmic(count: Int) {
    let total = 4_096
    let comparator = CountingComparator()
    #expect((0..<total).reversed().min(count: count, using: comparator) == Array(0..<count))
    let levels = Int.bitWidth - count.leadingZeroBitCount
    #expect(comparator.count.value.withLock(\.self) <= total * (1 + 2 * levels))
  }
}
