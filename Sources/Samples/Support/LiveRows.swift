package import Platform

/// The current rows of a workload, from which one can be picked in constant time.
///
/// The order of the array depends on the operations and never on hash values, so picks are the same in every process.
package struct LiveRows<Row: Identifiable & Sendable>: Sendable where Row.ID: Sendable {
  /// The number of newest rows that are picked more often.
  private static var recentCount: Int { 64 }

  /// The rows in the order of insertion, until one is removed.
  package private(set) var rows: [Row] = []
  private var positions: [Row.ID: Int] = [:]

  /// Creates an empty collection.
  package init() {}

  package var count: Int { rows.count }

  package var isEmpty: Bool { rows.isEmpty }

  /// The row with an id.
  package subscript(id: Row.ID) -> Row? {
    positions[id].map { position in rows[position] }
  }

  /// Inserts a row, or replaces the row with the same id.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func put(_ row: Row) {
    if let position = positions[row.id] {
      rows[position] = row
    } else {
      positions[row.id] = rows.count
      rows.append(row)
    }
  }

  /// Removes a row by moving the last row to its position.
  ///
  /// - Complexity: O(1).
  package mutating func remove(id: Row.ID) {
    guard let position = positions.removeValue(forKey: id) else { return }
    let last = rows.removeLast()
    if position < rows.count {
      rows[position] = last
      positions[last.id] = position
    }
  }

  /// Removes all rows.
  package mutating func removeAll() {
    rows = []
    positions = [:]
  }

  /// Picks one of the newest rows. The collection must not be empty.
  package func pickRecent(using generator: inout SplitMix64) -> Row {
    rows[rows.count - 1 - generator.next(below: Swift.min(rows.count, Self.recentCount))]
  }

  /// Picks one of the newest rows in half of the cases, and any row otherwise. The collection must not be empty.
  package func pick(using generator: inout SplitMix64) -> Row {
    if generator.chance(1, in: 2) { return pickRecent(using: &generator) }
    return rows[rows.count - 1 - generator.next(below: rows.count)]
  }
}
