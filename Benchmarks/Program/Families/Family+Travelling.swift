import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import TimeTravel

extension Family {
  /// Going to places in the long log.
  @MainActor static func travelling(_ data: DataSet) -> Family {
    let seeks = data.sizes.seeks
    return Family(
      "travel",
      [
        Contender(Name.find, unit: "search", count: seeks) {
          let reader = try LogReader.open(try data.log(data.sizes.logActions))
          let places = data.places(seeks)
          return {
            var hash: UInt64 = 0
            let times = try Stopwatch.times(seeks) { index in hash &+= UInt64(try reader.record(at: places[index]).crc)
            }
            return RoundResult(hash: hash, metrics: times.percentiles)
          }
        },
        neighbours(data),
      ])
  }

  /// The differences between the states before and after one action on a large table.
  @MainActor private static func neighbours(_ data: DataSet) -> Contender {
    let count = 10
    return Contender(Name.diff, unit: "diff", count: count) {
      let story = try UpdateStory(data, entities: data.sizes.manyEntities, updates: count)
      var states = [story.state]
      for action in story.actions {
        states.append(try UpdateModel.reducer(states[states.count - 1], action))
      }
      let versions = states
      return {
        var changes: UInt64 = 0
        for index in 0..<count {
          let diff = StateDiff(
            from: try StateTree(encoding: versions[index]), to: try StateTree(encoding: versions[index + 1]))
          changes += UInt64(diff.changes.count)
        }
        return RoundResult(hash: changes)
      }
    }
  }
}

extension DataSet {
  /// Revisions of the long log, drawn evenly.
  func places(_ count: Int) -> [Int] {
    var generator = SplitMix(seed: Self.seed)
    return (0..<count).map { _ in 1 + Int(generator.next() % UInt64(sizes.logActions)) }
  }
}
