/// The rows that exist at a moment of a workload, so that one can be picked in constant time.
///
/// The order of the array depends on the history alone, never on hashes, so picks are the same in every process.
struct LiveQuakes: Sendable {
  /// How many of the newest rows are the ones that people look at and feeds correct.
  private static let recentCount = 64

  private(set) var rows: [Quake] = []
  private var places: [Quake.ID: Int] = [:]

  var count: Int { rows.count }

  var isEmpty: Bool { rows.isEmpty }

  subscript(id: Quake.ID) -> Quake? {
    places[id].map { place in rows[place] }
  }

  /// Inserts a row, or replaces the one with its id.
  mutating func put(_ quake: Quake) {
    if let place = places[quake.id] {
      rows[place] = quake
    } else {
      places[quake.id] = rows.count
      rows.append(quake)
    }
  }

  /// Removes a row by moving the last one into its place.
  mutating func remove(id: Quake.ID) {
    guard let place = places.removeValue(forKey: id) else { return }
    let last = rows.removeLast()
    if place < rows.count {
      rows[place] = last
      places[last.id] = place
    }
  }

  mutating func removeAll() {
    rows = []
    places = [:]
  }

  /// One of the newest rows. There must be one.
  func pick(using generator: inout SplitMix64) -> Quake {
    rows[rows.count - 1 - generator.next(below: Swift.min(rows.count, Self.recentCount))]
  }
}
