/// The rows that exist at a moment of a workload, so that one can be picked in constant time.
///
/// The order of the array depends on the history alone, never on hashes, so picks are the same in every process.
struct LiveAnimals: Sendable {
  /// How many of the newest rows are the ones that people are busy with.
  private static let recentCount = 64

  private var rows: [Animal] = []
  private var places: [Animal.ID: Int] = [:]

  var count: Int { rows.count }

  var isEmpty: Bool { rows.isEmpty }

  subscript(id: Animal.ID) -> Animal? {
    places[id].map { place in rows[place] }
  }

  /// Inserts a row, or replaces the one with its id.
  mutating func put(_ animal: Animal) {
    if let place = places[animal.id] {
      rows[place] = animal
    } else {
      places[animal.id] = rows.count
      rows.append(animal)
    }
  }

  /// Removes a row by moving the last one into its place.
  mutating func remove(id: Animal.ID) {
    guard let place = places.removeValue(forKey: id) else { return }
    let last = rows.removeLast()
    if place < rows.count {
      rows[place] = last
      places[last.id] = place
    }
  }

  mutating func replaceAll(with animals: [Animal]) {
    rows = []
    places = [:]
    for animal in animals { put(animal) }
  }

  /// Half of the time one of the newest rows, half of the time any. There must be one.
  func pick(using generator: inout SplitMix64) -> Animal {
    let candidates = generator.chance(1, in: 2) ? Swift.min(rows.count, Self.recentCount) : rows.count
    return rows[rows.count - 1 - generator.next(below: candidates)]
  }
}
