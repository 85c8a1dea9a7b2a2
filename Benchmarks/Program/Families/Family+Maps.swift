import AnimalsData
import BenchmarkKit

extension Family {
  /// Updates of a map that nothing else holds, and updates of which every version is kept.
  @MainActor static func maps(_ data: DataSet, _ peers: Peers) -> Family {
    let (entries, updates) = (data.sizes.manyEntities, data.sizes.updates)
    return Family(
      "map",
      [
        Contender(Name.map("update", entries, "Dictionary"), unit: "update", count: updates, agreement: "map") {
          let (start, story) = try mapStory(data)
          return {
            var map = start
            for animal in story { map[animal.id] = animal }
            return RoundResult(hash: map.values.reduce(0) { sum, animal in sum &+ UInt64(animal.name.utf8.count) })
          }
        },
        Contender(Name.map("update", entries, "TreeDictionary"), unit: "update", count: updates, agreement: "map") {
          throw Missing("not built yet")
        },
        Contender(Name.map("update and keep", entries, "TreeDictionary"), unit: "update", count: updates) {
          throw Missing("not built yet")
        },
      ])
  }

  /// A dictionary of animals, and new values for animals in it.
  @MainActor static func mapStory(_ data: DataSet) throws -> (start: [Animal.ID: Animal], updates: [Animal]) {
    let story = try UpdateStory(data, entities: data.sizes.manyEntities, updates: 2 * data.sizes.updates)
    let updates = story.actions.compactMap { action in
      if case .data(.persistentSession(.didUpdateAnimal(_, .success(let animal)))) = action { animal } else { nil }
    }
    return (DictionaryAnimals(story.state).animals, updates)
  }
}
