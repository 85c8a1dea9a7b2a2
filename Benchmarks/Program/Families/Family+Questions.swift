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
      let cursor = try History(try data.log(data.sizes.logActions), model: AnimalsModel.self).cursor()
      let pointers = try data.animals(count).map { id in JSONPointer(["animals", "data", id]) }
      return {
        var (hash, folded) = (UInt64(0), 0)
        for pointer in pointers {
          let answer = try cursor.blame(pointer)
          hash &+= UInt64(answer.change?.record.seq ?? 0)
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
      let cursor = try History(try data.log(data.sizes.logActions), model: AnimalsModel.self).cursor()
      let conditions = try data.animals(count).map { id in
        try Condition(parsing: "\(JSONPointer(["animals", "data", id])) exists")
      }
      return {
        var (hash, folded) = (UInt64(0), 0)
        for condition in conditions {
          let answer = try cursor.bisect(condition)
          hash &+= UInt64(answer.revision ?? 0)
          folded += answer.work.actionsFolded
        }
        return RoundResult(hash: hash, metrics: ["actionsFolded": Double(folded)])
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
