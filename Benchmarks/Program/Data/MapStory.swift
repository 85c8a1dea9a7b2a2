import AnimalsData

/// Uniformly random updates of a map's entries. The peer for swift-collections performs the same updates.
struct MapStory {
  /// The entries before any update.
  var entries: [(String, Animal)]
  /// New values for entries that are there.
  var updates: [Animal]

  /// Draws a story. The keys are long strings with memory of their own, as identifiers are; the other texts are short, so
  /// that what a version costs is what the map costs.
  init(entries count: Int, updates: Int) {
    var generator = SplitMix(seed: 1)
    let ids = (0..<count).map { index in UpdateStory.animal(index, name: "").id }
    func animal(_ id: String, _ version: Int) -> Animal {
      Animal(animalId: id, name: "v\(version)", diet: .omnivorous, categoryId: "Bird")
    }
    entries = ids.map { id in (id, animal(id, 0)) }
    self.updates = (0..<updates).map { version in animal(ids[Int(generator.next() % UInt64(count))], version + 1) }
  }

  /// A number that tells results apart and does not depend on the order of entries.
  static func weight(_ values: some Sequence<Animal>) -> UInt64 {
    values.reduce(0) { sum, animal in sum &+ UInt64(animal.name.utf8.count) }
  }
}
