import ActionLog
import ActionLogMaintenance
import AnimalsData
import BenchmarkKit
import EventSourcing
import Foundation

/// Figures as the log grows, each round in its own process.
enum Growth {
  /// The contenders on a log of `logActions` actions.
  @MainActor static func contenders(_ data: DataSet) -> [Contender] {
    let count = data.sizes.logActions
    return [
      Contender("replay, whole log", unit: "replay", count: 1, takesMemory: true) {
        let history = try History<AnimalsModel>(at: try data.log(count))
        return { RoundResult(hash: try history.state(options: .wholeLog).weight) }
      },
      Contender("verify, whole log", unit: "verification", count: 1, takesMemory: true) {
        let path = try data.log(count)
        return { RoundResult(hash: UInt64(try LogVerifier.verify(at: path).actionCount)) }
      },
      Contender("open, snapshot and tail", unit: "opening", count: 1) {
        let path = try data.fingerprintedLog()
        return {
          let clock = ContinuousClock()
          let begin = clock.now
          let recorder = try Recorder<FingerprintedModel>(at: path, configuration: .reproducible)
          let time = (clock.now - begin).nanoseconds
          try await recorder.close()
          return RoundResult(hash: UInt64(recorder.restored.revision), nanoseconds: time)
        }
      },
      Contender("snapshot, encode", unit: "snapshot", count: 1) {
        let state = try data.endState()
        return { RoundResult(hash: UInt64(try canonicalBytes(of: state).count)) }
      },
      Contender("find a line", unit: "search", count: 100) {
        let reader = try LogReader.open(at: try data.log(count))
        let places = data.places(100)
        return {
          var hash: UInt64 = 0
          for place in places { hash &+= UInt64(try reader.record(at: place).crc) }
          return RoundResult(hash: hash)
        }
      },
      Contender("append and sync one action", unit: "action", count: 200) {
        let path = try data.fingerprintedLog()
        let actions = try data.accepted(200)
        let writer = try AppendRound.writer(path, LogConfiguration(durability: .written))
        sync()
        return {
          // The log does not mind that its model would refuse some of them here.
          var appender = ActionAppender<AnimalsAction>(writer)
          for (index, action) in actions.enumerated() {
            try appender.appendNow(action, time: AppendRound.time(at: index))
          }
          let last = writer.status.lastRevision
          try await writer.close()
          return RoundResult(hash: UInt64(last))
        }
      },
    ] + Family.askingAboutAValue(data)
  }
}

extension ChildRounds {
  /// Does one round of a contender of the growth curves.
  func growthRound(_ name: String, actions: Int) throws -> RoundResult {
    try ChildProcess(
      executable: ChildProcess.ownPath,
      arguments: ["round", "growth", name, "\(actions)", "--data", data.directory]
    ).result()
  }
}
