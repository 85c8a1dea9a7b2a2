import ActionLog
import AnimalsData
import BenchmarkKit
import Foundation

extension Family {
  /// Asking many small logs for a value with the tool, on all processors: by `each`, and by Spark, which runs it.
  @MainActor static func asking(_ data: DataSet, _ peers: Peers) -> Family {
    let counts = [data.sizes.manyLogs / 10, data.sizes.manyLogs]
    let agreement = "a value of many logs"
    return Family(
      "asking many logs",
      counts.map { count in
        Contender(Name.each(count), unit: "log", count: count, agreement: agreement) {
          let tool = try Self.tool()
          let logs = try makeLogs(data, count: count)
          let process = ChildProcess(executable: tool, arguments: ["each", logs, "--", "state", "--path", "/animals"])
          return {
            let lines = try process.output().split(separator: UInt8(ascii: "\n"))
            guard lines.count == count, let line = lines.first else {
              throw HarnessError("each printed \(lines.count) lines for \(count) logs")
            }
            let row = try JSONDecoder().decode(Row.self, from: Data(line))
            return RoundResult(hash: UInt64(row.sha256.prefix(16), radix: 16) ?? 0)
          }
        }
      }
        + counts.map { count in
          peers.contender(
            Name.eachInSpark(count), unit: "log", count: count, peer: "spark", task: "fold", agreement: agreement
          ) {
            let tool = try Self.tool()
            return [try makeLogs(data, count: count), "\(count)", tool]
          }
        })
  }

  /// The path of `action-log` next to this program.
  private static func tool() throws -> String {
    let tool = URL(fileURLWithPath: ChildProcess.ownPath).deletingLastPathComponent().appending(path: "action-log").path
    guard FileManager.default.isExecutableFile(atPath: tool) else {
      throw Missing("there is no \(tool): build the product action-log, too")
    }
    return tool
  }

  /// A line of the output.
  private struct Row: Decodable {
    var sha256: String
  }

  /// The number of actions of the logs of a small customer or device.
  private static let actionCount = 270

  /// Creates equal logs.
  ///
  /// - Returns: The path of their directory.
  @MainActor private static func makeLogs(_ data: DataSet, count: Int) throws -> String {
    let path = try data.scratch("asked-\(count)")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    // The workload also has actions that the reducer refuses, which no log contains.
    let drafts = try data.accepted(actionCount).enumerated().map { index, action in
      LogDraft(try ActionCoding.encode(action), time: AppendRound.time(at: index))
    }
    for number in 0..<count {
      let writer = try AppendRound.writer("\(path)/\(number)", LogConfiguration(durability: .written))
      try writer.appendNow(drafts)
      try writer.closeNow()
    }
    return path
  }
}
