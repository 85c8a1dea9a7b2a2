import ActionLog
import BenchmarkKit
import CounterData
import EventSourcing

extension Family {
  /// Verifying the long log, and the memory of reading logs of two lengths.
  @MainActor static func care(_ data: DataSet) -> Family {
    let sizes = data.sizes
    var contenders = [
      Contender(Name.verify, unit: "action", count: sizes.logActions) {
        let path = try data.log(sizes.logActions)
        let bytes = try LogReader.open(at: path).segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
        return {
          let clock = ContinuousClock()
          let begin = clock.now
          let report = try LogVerifier.verify(at: path)
          let time = (clock.now - begin).nanoseconds
          guard report.problems.isEmpty else { throw HarnessError("the log of the data set is damaged") }
          return RoundResult(
            hash: UInt64(report.actionCount), nanoseconds: time,
            metrics: ["megabytesPerSecond": Double(bytes) / time * 1_000])
        }
      }
    ]
    for count in [sizes.lineActions, sizes.logActions] {
      contenders.append(
        Contender(Name.memory("verify", count), unit: "action", count: count, place: .ownProcess(cores: nil)) {
          let path = try data.counterLog(count)
          return { RoundResult(hash: UInt64(try LogVerifier.verify(at: path).actionCount)) }
        })
      contenders.append(
        Contender(Name.memory("replay", count), unit: "action", count: count, place: .ownProcess(cores: nil)) {
          let history = try History<CounterModel>(at: try data.counterLog(count))
          return { RoundResult(hash: UInt64(try history.replay(options: .wholeLog).revision)) }
        })
    }
    return Family("care", contenders)
  }
}

extension DataSet {
  /// A log of so many actions whose state does not grow.
  func counterLog(_ count: Int) throws -> String {
    try file("counter-\(count)") { path in
      let recording = try LogRecording(path, model: CounterModel.name, schema: CounterModel.schema)
      var state = CounterModel.initialState
      var found = 0
      for action in CounterWorkload(seed: Self.seed, count: 2 * count + 1_000) where found < count {
        do { try CounterModel.reduce(into: &state, action: action) } catch { continue }
        try recording.append(action)
        found += 1
      }
      try recording.close()
      guard found == count else { throw HarnessError("the workload gave only \(found) of \(count) actions") }
    }
  }
}
