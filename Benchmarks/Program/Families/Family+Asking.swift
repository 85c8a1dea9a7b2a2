import ActionLog
import AnimalsData
import BenchmarkKit
import Foundation

extension Family {
  /// Asking many small logs for a value with the tool: by `each`, with a process for each processor or in one, and by Spark, which
  /// runs the tool.
  @MainActor static func asking(_ data: DataSet, _ peers: Peers) -> Family {
    let agreement = "a value of many logs"
    return Family(
      "asking many logs",
      [data.sizes.manyLogs / 10, data.sizes.manyLogs].flatMap { count in
        [
          each(Name.each(count), [], count, data, agreement),
          each(Name.eachInProcess(count), ["--jobs", "0"], count, data, agreement),
        ]
          + Name.sparkMasters.map { master in
            peers.contender(
              Name.eachInSpark(count, master), unit: "log", count: count, peer: "spark", task: "fold",
              agreement: agreement, roundLimit: master == Name.sparkMasters[0] ? 2 : 1
            ) { [try smallLogs(data, count: count), "\(count)", try ChildProcess.tool(), master] }
          }
      })
  }

  @MainActor private static func each(
    _ name: String, _ options: [String], _ count: Int, _ data: DataSet, _ agreement: String
  ) -> Contender {
    Contender(name, unit: "log", count: count, agreement: agreement) {
      let logs = try smallLogs(data, count: count)
      let process = ChildProcess(
        executable: try ChildProcess.tool(),
        arguments: ["each"] + options + [logs, "--", "state", "--path", "/animals"])
      return {
        let begin = SystemClock.now
        let lines = try process.output().split(separator: UInt8(ascii: "\n"))
        let time = SystemClock.now - begin
        guard lines.count == count, let line = lines.first else {
          throw HarnessError("each printed \(lines.count) lines for \(count) logs")
        }
        let row = try JSONDecoder().decode(Row.self, from: Data(line))
        return RoundResult(
          hash: UInt64(row.sha256.prefix(16), radix: 16) ?? 0, nanoseconds: time,
          metrics: ["actionsPerSecond": Double(count * actionCount) / time * 1e9])
      }
    }
  }

  /// A line of the output.
  private struct Row: Decodable {
    var sha256: String
  }

  /// The number of actions of the logs of a small customer or device.
  private static let actionCount = 270

  /// A directory of equal logs, which are only read.
  @MainActor private static func smallLogs(_ data: DataSet, count: Int) throws -> String {
    // The workload also has actions that the reducer refuses, which no log contains.
    let drafts = try data.accepted(actionCount).enumerated().map { index, action in
      LogDraft(try ActionCoding.encode(action), time: AppendRound.time(at: index))
    }
    return try data.file("small-logs-\(count)") { path in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for number in 0..<count {
        let writer = try AppendRound.writer("\(path)/\(number)", LogConfiguration(durability: .written))
        try writer.appendNow(drafts)
        try writer.closeNow()
      }
    }
  }
}
