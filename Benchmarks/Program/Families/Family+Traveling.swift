import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import TimeTravel
import TreeCollections

extension Family {
  /// Going to places in the long log.
  @MainActor static func traveling(_ data: DataSet) -> Family {
    let seeks = data.sizes.seeks
    return Family(
      "travel",
      [
        Contender(Name.find, unit: "search", count: seeks) {
          let reader = try LogReader.open(at: try data.log(data.sizes.logActions))
          let places = data.places(seeks)
          return {
            var hash: UInt64 = 0
            let times = try Stopwatch.times(seeks) { index in hash &+= UInt64(try reader.record(at: places[index]).crc)
            }
            return RoundResult(hash: hash, metrics: times.percentiles)
          }
        },
        seeking(Name.seek, AnimalsModel.self, data).ifDirect,
        seeking(Name.seek + ", Codable", CodableModel.self, data),
        stepping(data),
        neighbors(data),
        blaming(data),
        bisecting(data),
        filteringByState(data),
        filteringByTouch(data),
        findingTheLast(data),
      ])
  }

  /// Jumps of a cursor that has been at the end of the log, to places drawn evenly.
  @MainActor private static func seeking<M: Model>(
    _ name: String, _ model: M.Type, _ data: DataSet
  ) -> Contender where M.State == AnimalsState {
    let seeks = data.sizes.seeks
    return Contender(name, unit: "jump", count: seeks, place: .ownProcess(cores: nil)) {
      let history = try History<M>(at: try data.log(data.sizes.logActions))
      // What a replay needs besides what is kept is there already.
      _ = try history.state(options: .wholeLog)
      let before = ProcessMemory.residentMebibytes
      let cursor = try history.cursor()
      let bytes = (ProcessMemory.residentMebibytes - before) * 1_048_576
      let places = data.places(seeks)
      return {
        try await cursor.perform { cursor in
          var hash: UInt64 = 0
          let times = try Stopwatch.times(seeks) { index in
            try cursor.jump(to: places[index])
            hash &+= UInt64(cursor.state.animals.data.count + cursor.state.animals.queue.count)
          }
          var metrics = times.percentiles
          metrics["bytesPerAction"] = max(0, bytes) / Double(data.sizes.logActions)
          metrics["keyframesHeld"] = Double(cursor.work.keyframesHeld)
          return RoundResult(hash: hash, metrics: metrics)
        }
      }
    }
  }

  /// Steps forward and backward around places drawn evenly.
  @MainActor private static func stepping(_ data: DataSet) -> Contender {
    let (places, length) = (data.places(data.sizes.seeks / 20), 20)
    return Contender(Name.step, unit: "step", count: 2 * length * places.count) {
      let cursor = try History<AnimalsModel>(at: try data.log(data.sizes.logActions)).cursor()
      return {
        try await cursor.perform { cursor in
          var (times, hash): ([Double], UInt64) = ([], 0)
          for place in places {
            // So that there is room on both sides.
            try cursor.jump(to: min(max(place, length), data.sizes.logActions - length))
            times += try Stopwatch.times(length) { _ in hash &+= UInt64(try cursor.stepBackward().revision) }
            times += try Stopwatch.times(length) { _ in hash &+= UInt64(try cursor.stepForward().revision) }
          }
          return RoundResult(hash: hash, nanoseconds: times.reduce(0, +), metrics: times.percentiles)
        }
      }
    }
  }

  /// The differences between the states before and after one action on a large table.
  @MainActor private static func neighbors(_ data: DataSet) -> Contender {
    let count = 4
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
          let diff = try StateDiff(encoding: versions[index], to: versions[index + 1])
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
