import ActionLog
import AnimalsData
import BenchmarkKit
import EventSourcing
import Foundation

extension Family {
  /// Many logs that are written to in turn, against one after the other; opening them; and what open ones cost.
  @MainActor static func manyLogs(_ data: DataSet) -> Family {
    let count = data.sizes.manyLogs
    return Family(
      "many logs",
      [
        Contender(Name.manyLogs("one after the other"), unit: "commit", count: count) {
          let logs = try ManyLogs(data, count: count)
          return {
            for writer in logs.writers { try writer.appendNow([logs.draft]) }
            return try logs.finish()
          }
        },
        Contender(Name.manyLogs("in turn"), unit: "commit", count: count) {
          let logs = try ManyLogs(data, count: count)
          return {
            let tickets = try logs.writers.map { writer in try writer.enqueue([logs.draft]) }
            for (writer, ticket) in zip(logs.writers, tickets) { try await writer.receipt(for: ticket) }
            return try logs.finish()
          }
        },
        Contender(Name.openLogs, unit: "log", count: count) {
          SystemCall.raiseDescriptorLimit()
          let path = try data.scratch("set")
          let set = try await ManyLogs.set(path, limit: count)
          try await ManyLogs.openAll(count, of: set)
          try await set.close()
          let again = try await ManyLogs.set(path, limit: count)
          return {
            let clock = ContinuousClock()
            let start = clock.now
            try await ManyLogs.openAll(count, of: again)
            let duration = clock.now - start
            let result = RoundResult(
              hash: UInt64(again.openCount),
              nanoseconds: Double(duration.components.seconds) * 1e9
                + Double(duration.components.attoseconds) / 1e9)
            try await again.close()
            return result
          }
        },
        Contender(Name.keepLogsOpen, unit: "log", count: data.sizes.openLogs) {
          SystemCall.raiseDescriptorLimit()
          let set = try await ManyLogs.set(try data.scratch("open"), limit: data.sizes.openLogs)
          let before = ManyLogs.Usage()
          return {
            try await ManyLogs.openAll(data.sizes.openLogs, of: set)
            let busy = ManyLogs.Usage()
            // Idle writers release what they keep within two seconds.
            try await Task.sleep(for: .seconds(3))
            let idle = ManyLogs.Usage()
            let logs = Double(set.openCount)
            let metrics = [
              "threads": Double(busy.threads - before.threads),
              "descriptorsPerLog": Double(idle.descriptors - before.descriptors) / logs,
              "bytesPerLog": (idle.residentBytes - before.residentBytes) / logs,
            ]
            try await set.close()
            return RoundResult(hash: UInt64(logs), metrics: metrics)
          }
        },
      ])
  }
}

/// The logs of the contenders.
private struct ManyLogs {
  /// The threads, descriptors and memory of this process; 0 where the system does not report them.
  struct Usage {
    let threads = Self.entries("/proc/self/task")
    let descriptors = Self.entries("/proc/self/fd")
    let residentBytes = ProcessMemory.residentMebibytes * 1_048_576

    private static func entries(_ path: String) -> Int {
      do { return try FileManager.default.contentsOfDirectory(atPath: path).count } catch { return 0 }
    }
  }

  let writers: [LogWriter]
  let draft = LogDraft(type: "add", data: Array(#"{"number":1}"#.utf8))

  @MainActor init(_ data: DataSet, count: Int) throws {
    SystemCall.raiseDescriptorLimit()
    let path = try data.scratch("logs")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    writers = try (0..<count).map { number in
      try AppendRound.writer("\(path)/\(number)", LogConfiguration(durability: .synced))
    }
    sync()
  }

  /// Closes the logs, which is not measured by a contender's own clock but by all in the same way.
  func finish() throws -> RoundResult {
    let last = writers.reduce(0) { sum, writer in sum + writer.status.syncedRevision }
    for writer in writers { writer.abandon() }
    return RoundResult(hash: UInt64(last))
  }

  static func set(_ path: String, limit: Int) async throws -> LogSet<AnimalsModel> {
    try await LogSet.open(at: path, configuration: LogSetConfiguration(openLimit: limit))
  }

  /// Opens logs as a server does: all requests at once.
  static func openAll(_ count: Int, of set: LogSet<AnimalsModel>) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count { group.addTask { try await set.store(for: "log-\(number)").release() } }
      try await group.waitForAll()
    }
  }
}
