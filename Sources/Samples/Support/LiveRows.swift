/// The rows that exist at a moment of a workload, so that one can be picked in constant time.
///
/// The order of the array depends on the history alone, never on hashes, so picks are the same in every process.
package struct LiveRows<Row: Identifiable & Sendable>: Sendable where Row.ID: Sendable {
  /// How many of the newest rows are the ones that people are busy with.
  private static var recentCount: Int { 64 }

  /// The rows: in the order in which they came, until one is removed.
  package private(set) var rows: [Row] = []
  private var places: [Row.ID: Int] = [:]

  /// Makes no rows.
  package init() {}

  /// How many rows there are.
  package var count: Int { rows.count }

  /// Whether there are none.
  package var isEmpty: Bool { rows.isEmpty }

  /// The row with an id.
  package subscript(id: Row.ID) -> Row? {
    places[id].map { place in rows[place] }
  }

  /// Inserts a row, or replaces the one with its id.
  ///
  /// - Complexity: O(1) amortised.
  package mutating func put(_ row: Row) {
    if let place = places[row.id] {
      rows[place] = row
    } else {
      places[row.id] = rows.count
      rows.append(row)
    }
  }

  /// Removes a row by moving the last one into its place.
  ///
  /// - Complexity: O(1).
  package mutating func remove(id: Row.ID) {
    guard let place = places.removeValue(forKey: id) else { return }
    let last = rows.removeLast()
    if place < rows.count {
      rows[place] = last
      places[last.id] = place
    }
  }

  /// Removes all rows.
  package mutating func removeAll() {
    rows = []
    places = [:]
  }

  /// One of the newest rows. There must be one.
  package func pickRecent(using generator: inout SplitMix64) -> Row {
    rows[rows.count - 1 - generator.next(below: Swift.min(rows.count, Self.recentCount))]
  }

  /// Half of the time one of the newest rows, half of the time any. There must be one.
  package func pick(using generator: inout SplitMix64) -> Row {
    if generator.chance(1, in: 2) { return pickRecent(using: &generator) }
    return rows[rows.count - 1 - generator.next(below: rows.count)]
  }
}
