import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import Foundation
import ImmutableData
import JSONCoding

extension Family {
  /// A state with many rows: encoding, digest, loading, and what a running store notices of a snapshot.
  @MainActor static func snapshots(_ data: DataSet) -> Family {
    Family(
      "snapshot",
      [
        whole(Name.canonical, data) { state in
          let coder = StateCoder<AnimalsState>()
          return {
            let bytes = try coder.canonicalBytes(of: state)
            return { UInt64(bytes.count) }
          }
        },
        whole(Name.digest, data) { state in
          let coder = StateCoder<AnimalsState>()
          return {
            let digest = StateDigest(canonicalBytes: try coder.canonicalBytes(of: state))
            return { UInt64(digest.hexadecimal.prefix(15), radix: 16) ?? 0 }
          }
        },
        whole(Name.load("JSONDecoder"), data, agreement: "load") { state in
          let bytes = try JSONEncoder().encode(state)
          return {
            let state = try JSONDecoder().decode(AnimalsState.self, from: bytes)
            return { state.weight }
          }
        },
        whole(Name.load("ours"), data, agreement: "load") { state in
          let bytes = try StrictJSONEncoder(form: .canonical).encode(state)
          let coder = StateCoder<AnimalsState>()
          return {
            let state = try coder.decode(from: bytes[...])
            return { state.weight }
          }
        },
        dispatching(Name.calm, data, snapshots: .never),
        dispatching(Name.stall, data, snapshots: .every(data.sizes.updates / 40)),
        opening(Name.open, FingerprintedModel.self) { try data.fingerprintedLog() },
        opening(Name.openWithoutFingerprint, UnidentifiedModel.self) { try data.plainLog() },
      ])
  }

  /// A contender that works on a state as a whole; a unit is one of its rows. The work returns what hashes its result.
  @MainActor private static func whole(
    _ name: String, _ data: DataSet, agreement: String? = nil,
    _ prepare: @escaping (AnimalsState) throws -> () throws -> () -> UInt64
  ) -> Contender {
    Contender(name, unit: "row", count: data.sizes.manyEntities, agreement: agreement, takesMemory: true) {
      let work = try prepare(try data.state(ofRows: data.sizes.manyEntities))
      return {
        let clock = ContinuousClock()
        let begin = clock.now
        let hash = try work()
        let time = (clock.now - begin).nanoseconds
        return RoundResult(nanoseconds: time, metrics: ["roundNanoseconds": time], hash: hash)
      }
    }
  }

  /// Dispatches while snapshots of a large state are due, and reports the longest dispatch by wall clock and by CPU time of its
  /// thread. A process of its own has the memory of an application and not that of a hundred benchmarks.
  @MainActor private static func dispatching(
    _ name: String, _ data: DataSet, snapshots: SnapshotPolicy<AnimalsState>
  ) -> Contender {
    let count = data.sizes.updates / 10
    return Contender(name, unit: "action", count: count, place: .ownProcess(cores: nil)) {
      let story = try UpdateStory(data, entities: data.sizes.manyEntities, updates: count)
      var configuration = RecordingConfiguration<UpdateModel>(snapshots: snapshots)
      configuration.log = LogConfiguration(durability: .written, environment: .reproducible)
      let recorder = try await Recorder<UpdateModel>.open(
        at: try data.scratch("dispatching"), startingAt: story.state, configuration: configuration)
      let store = try recorder.makeStore()
      return {
        let (times, work) = try Stopwatch.timesAndWork(count) { index in
          try store.dispatch(action: story.actions[index])
        }
        try await recorder.sync()
        try await recorder.close()
        var metrics = times.percentiles
        metrics["maximumProcessorNanoseconds"] = work.percentile(100)
        return RoundResult(hash: UInt64(recorder.status.revision), metrics: metrics)
      }
    }
  }

  /// Opens the long log with a snapshot as old as the standard policy lets it become. Without a fingerprint of the model's sources,
  /// all actions are folded.
  @MainActor private static func opening<M: Model>(
    _ name: String, _ model: M.Type, _ log: @escaping @MainActor () throws -> String
  ) -> Contender where M.State == AnimalsState {
    Contender(name, unit: "opening", count: 1, place: .ownProcess(cores: nil)) {
      let path = try log()
      return {
        let clock = ContinuousClock()
        let begin = clock.now
        let recorder = try Recorder<M>(at: path, configuration: .reproducible)
        let time = (clock.now - begin).nanoseconds
        let restored = recorder.restored
        try await recorder.close()
        return RoundResult(
          hash: UInt64(restored.revision), nanoseconds: time,
          metrics: [
            "roundNanoseconds": time,
            "actionsFolded": Double(restored.report.actionsFolded),
            "snapshotsLoaded": Double(restored.report.snapshotsLoaded),
          ])
      }
    }
  }
}

extension RecordingConfiguration {
  static var reproducible: RecordingConfiguration {
    RecordingConfiguration(log: LogConfiguration(environment: .reproducible), snapshots: .never)
  }
}

extension DataSet {
  /// The state at the end of the long log.
  func endState() throws -> AnimalsState {
    if let lastState { return lastState }
    let state = try History<AnimalsModel>(at: try log(sizes.logActions)).state(options: .wholeLog)
    lastState = state
    return state
  }
}
