import AnimalsData
import BenchmarkKit
import TreeCollections

extension Family {
  /// Updates of a uniquely held map, and updates with every version kept.
  @MainActor static func maps(_ data: DataSet, _ peers: Peers) -> Family {
    let (entries, count) = (data.sizes.manyEntities, data.sizes.updates)
    return Family(
      "map",
      [
        Contender(Name.map("update", entries, "Dictionary"), unit: "update", count: count, agreement: "map") {
          let story = MapStory(entries: entries, updates: count)
          var start: [String: Animal]? = Dictionary(uniqueKeysWithValues: story.entries)
          return {
            guard var map = start.take() else { throw HarnessError("a round is done once") }
            for animal in story.updates { map[animal.animalId] = animal }
            return RoundResult(hash: MapStory.weight(map.values))
          }
        },
        Contender(Name.map("update", entries, "TreeDictionary"), unit: "update", count: count, agreement: "map") {
          let story = MapStory(entries: entries, updates: count)
          var start: TreeDictionary<String, Animal>? = TreeDictionary(uniqueKeysWithValues: story.entries)
          return {
            guard var map = start.take() else { throw HarnessError("a round is done once") }
            for animal in story.updates { map[animal.animalId] = animal }
            return RoundResult(hash: MapStory.weight(map.values))
          }
        },
        Contender(
          Name.map("update and keep", entries, "TreeDictionary"), unit: "update", count: count,
          place: .ownProcess(cores: nil)
        ) {
          let story = MapStory(entries: entries, updates: count)
          let start = TreeDictionary(uniqueKeysWithValues: story.entries)
          return {
            var versions: [TreeDictionary<String, Animal>] = []
            versions.reserveCapacity(count)
            let before = ProcessMemory.residentMebibytes
            let clock = ContinuousClock()
            let begin = clock.now
            var map = start
            for animal in story.updates {
              map[animal.animalId] = animal
              versions.append(map)
            }
            let time = (clock.now - begin).nanoseconds
            let bytes = (ProcessMemory.residentMebibytes - before) * 1_048_576
            return RoundResult(
              hash: MapStory.weight(versions[versions.count - 1].values), nanoseconds: time,
              metrics: ["bytesPerVersion": bytes / Double(count)])
          }
        },
        peers.contender(
          Name.map("update and keep", entries, "swift-collections"), unit: "update", count: count,
          peer: "swift-collections", task: "keep"
        ) { ["\(entries)", "\(count)"] },
      ])
  }
}
