import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import JSONCoding
import TimeTravel
import TreeCollections

extension Family {
  /// Which action last changed an animal, for animals drawn evenly, asked of a cursor that was at the end of the long log.
  @MainActor static func blaming(_ data: DataSet) -> Contender {
    let count = 4
    return Contender(Name.blame, unit: "pointer", count: count, place: .ownProcess(cores: nil)) {
      let cursor = try History<AnimalsModel>(at: try data.log(data.sizes.logActions)).cursor()
      let pointers = try data.animals(count).map { id in JSONPointer(["animals", "data", id]) }
      return {
        var (hash, folded) = (UInt64(0), 0)
        for pointer in pointers {
          let answer = try await cursor.blame(pointer)
          hash &+= UInt64(answer.change?.record.revision ?? 0)
          folded += answer.work.actionsFolded
        }
        return RoundResult(hash: hash, metrics: ["actionsFolded": Double(folded)])
      }
    }
  }

  /// Since when there is an animal, for animals drawn evenly, asked of a cursor that was at the end of the long log.
  @MainActor static func bisecting(_ data: DataSet) -> Contender {
    let count = 4
    return Contender(Name.bisect, unit: "search", count: count, place: .ownProcess(cores: nil)) {
      let cursor = try History<AnimalsModel>(at: try data.log(data.sizes.logActions)).cursor()
      let conditions = try data.animals(count).map { id in
        try Condition(parsing: "\(JSONPointer(["animals", "data", id])) exists")
      }
      return {
        var (hash, folded) = (UInt64(0), 0)
        for condition in conditions {
          let answer = try await cursor.bisect(condition)
          hash &+= UInt64(answer.revision ?? 0)
          folded += answer.work.actionsFolded
        }
        return RoundResult(hash: hash, metrics: ["actionsFolded": Double(folded)])
      }
    }
  }
}

extension Family {
  /// Finds the actions after which a condition on the state holds, by inspecting every state of the long log.
  static func filteringByState(_ data: DataSet) -> Contender {
    filtering(data, Name.filterByState) { history, animal, take in
      // From somewhere in the log on to its end.
      let condition = try Condition(parsing: "\(animal) exists and type like \"*.onTap*\"")
      return try history.actions(where: condition, in: 0...data.sizes.logActions, take)
    }
  }

  /// Finds the actions that changed an animal, by inspecting every state of the long log.
  static func filteringByTouch(_ data: DataSet) -> Contender {
    filtering(data, Name.filterByTouch) { history, animal, take in
      try history.actions(where: nil, touching: [animal], in: 0...data.sizes.logActions, take)
    }
  }

  private static func filtering(
    _ data: DataSet, _ name: String,
    _ ask: @escaping @Sendable (History<AnimalsModel>, JSONPointer, (LogRecord) throws -> Bool) throws -> QuestionWork
  ) -> Contender {
    let count = data.sizes.logActions
    return Contender(name, unit: "action", count: count, place: .ownProcess(cores: nil)) {
      let history = try History<AnimalsModel>(at: try data.log(count))
      let animals = try data.animals(1).map { id in JSONPointer(["animals", "data", id]) }
      return {
        var hash = UInt64(0)
        var folded = 0
        for animal in animals {
          folded += try ask(history, animal) { record in
            hash = hash &* 31 &+ UInt64(record.revision)
            return true
          }.actionsFolded
        }
        return RoundResult(hash: hash, metrics: ["actionsFolded": Double(folded)])
      }
    }
  }

  /// The last action of the long log, found from its end.
  static func findingTheLast(_ data: DataSet) -> Contender {
    Contender(Name.lastAction, unit: "search", count: 1, place: .ownProcess(cores: nil)) {
      let path = try data.log(data.sizes.logActions)
      return {
        let found = try LogReader.open(at: path).lastRecords(1) { record in !record.isControl }
        return RoundResult(
          hash: UInt64(found.records.first?.revision ?? 0), metrics: ["bytesRead": Double(found.bytesRead)])
      }
    }
  }
}

extension DataSet {
  /// Animals that there are at the end of the long log, drawn evenly.
  fileprivate func animals(_ count: Int) throws -> [String] {
    let ids = try endState().animals.data.keys.sorted()
    guard !ids.isEmpty else { throw HarnessError("the workload left no animal") }
    var generator = SplitMix(seed: Self.seed)
    return (0..<count).map { _ in ids[Int(generator.next() % UInt64(ids.count))] }
  }
}
