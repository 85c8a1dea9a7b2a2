import ActionLog
import ActionLogMaintenance
import AnimalsData
import BenchmarkKit
import CounterData
import EventSourcing
import Foundation

extension Family {
  /// Verifying the long log, proving a replay, and the memory of reading logs of two lengths.
  @MainActor static func care(_ data: DataSet) -> Family {
    let sizes = data.sizes
    let processors = ProcessInfo.processInfo.activeProcessorCount
    var contenders = [
      verifying(Name.verify, jobs: 1, data), verifying(Name.verifySideBySide, jobs: processors, data),
      verifying(Name.verifySalted, jobs: 1, data, redactable: true),
      proving("one core", foldLimit: 1, data), proving("all cores", foldLimit: processors, data),
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

  @MainActor private static func verifying(_ name: String, jobs: Int, _ data: DataSet, redactable: Bool = false)
    -> Contender
  {
    Contender(name, unit: "action", count: data.sizes.logActions, agreement: "verify") {
      let count = data.sizes.logActions
      let path = redactable ? try data.redactableLog(count) : try data.log(count)
      let bytes = try LogReader.open(at: path).segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
      return {
        let clock = ContinuousClock()
        let begin = clock.now
        let report = try LogVerifier.verify(at: path, jobs: jobs)
        let time = (clock.now - begin).nanoseconds
        guard report.problems.isEmpty else { throw HarnessError("the log of the data set is damaged") }
        return RoundResult(
          hash: UInt64(report.actionCount), nanoseconds: time,
          metrics: ["megabytesPerSecond": Double(bytes) / time * 1_000])
      }
    }
  }

  /// The log is folded in one go on one processor, or from snapshot to snapshot side by side.
  @MainActor private static func proving(_ cores: String, foldLimit: Int, _ data: DataSet) -> Contender {
    let count = data.sizes.lineActions
    return Contender(Name.prove(cores), unit: "action", count: count, agreement: "proof") {
      let history = try History<AnimalsModel>(at: try data.logWithSnapshots(count))
      return {
        var options = ReplayOptions()
        options.foldLimit = foldLimit
        // Decoding ahead is a second processor.
        options.decodesAhead = foldLimit > 1
        let proof = try history.prove(options: options)
        guard proof.isProven, proof.snapshotsChecked == DataSet.snapshotCount else {
          throw HarnessError("the log of the data set is not proved: \(proof.snapshotsChecked) snapshots were compared")
        }
        return RoundResult(hash: UInt64(proof.revision))
      }
    }
  }
}

extension DataSet {
  /// The number of snapshots of ``logWithSnapshots(_:)``.
  static var snapshotCount: Int { 8 }

  /// A log of so many actions with snapshots at even distances, the last one at its end.
  @MainActor func logWithSnapshots(_ count: Int) throws -> String {
    try file("snapshots-\(count)") { path in
      try FileManager.default.copyItem(atPath: try log(count), toPath: path)
      let history = try History<AnimalsModel>(at: path)
      for part in 1...Self.snapshotCount { _ = try history.takeSnapshot(at: count * part / Self.snapshotCount) }
    }
  }

  /// A log of so many actions whose state does not grow.
  func counterLog(_ count: Int) throws -> String {
    try file("counter-\(count)") { path in
      let recording = try LogRecording(path, model: CounterModel.name, schema: CounterModel.schema)
      var state = CounterModel.initialState
      var found = 0
      for action in CounterWorkload(seed: Self.seed).prefix(2 * count + 1_000) where found < count {
        do { try CounterModel.reduce(into: &state, action: action) } catch { continue }
        try recording.append(action)
        found += 1
      }
      try recording.close()
      guard found == count else { throw HarnessError("the workload gave only \(found) of \(count) actions") }
    }
  }
}
