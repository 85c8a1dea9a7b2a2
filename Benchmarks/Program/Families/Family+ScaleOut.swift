import ActionLog
import BenchmarkKit
import Foundation

extension Family {
  /// A lake of one long log: shipping it, counting its actions by day and type, and checking and folding its parts in parallel.
  @MainActor static func scaleOut(_ data: DataSet, _ peers: Peers) -> Family {
    let actions = data.sizes.logActions
    func spark(
      _ name: String, unit: String, count: Int, task: String, _ arguments: @escaping @MainActor () throws -> [String]
    ) -> Contender {
      peers.contender(
        name, unit: unit, count: count, peer: "spark", task: task, roundLimit: 1, arguments: arguments)
    }
    return Family(
      "scale-out",
      [
        shipping(data),
        peers.contender(
          Name.typesPerDay("DuckDB"), unit: "action", count: actions, peer: "duckdb", task: "types",
          agreement: "types per day", roundLimit: 2
        ) { [try data.lake(), "\(actions)"] },
        peers.contender(
          Name.typesPerDay("Spark"), unit: "action", count: actions, peer: "spark", task: "types",
          agreement: "types per day", roundLimit: 1
        ) { [try data.lake(), "\(actions)"] },
        spark(Name.verifyInSpark, unit: "action", count: actions, task: "verify") {
          [try data.log(actions), "\(actions)", try ChildProcess.tool()]
        },
      ])
  }

  /// Ships the segments of the long log to a new lake: each is verified, copied, compared and synced.
  @MainActor private static func shipping(_ data: DataSet) -> Contender {
    Contender(Name.ship, unit: "action", count: data.sizes.logActions, roundLimit: 3) {
      let log = try data.log(data.sizes.logActions)
      let segments = try LogReader.open(at: log).segments.count
      let lake = try data.scratch("lake")
      let process = ChildProcess(executable: try ChildProcess.tool(), arguments: ["ship", log, lake])
      let output = try data.scratch("answer")
      sync()
      return {
        var result = try process.timed(output: output)
        result.hash = UInt64(segments)
        result.metrics["segmentNanoseconds"] = (result.nanoseconds ?? 0) / Double(segments)
        return result
      }
    }
  }
}

extension DataSet {
  /// A lake with the long log.
  func lake() throws -> String {
    let log = try log(sizes.logActions)
    return try file("lake-\(sizes.logActions)") { path in
      _ = try ChildProcess(executable: try ChildProcess.tool(), arguments: ["ship", log, path]).output()
    }
  }
}
