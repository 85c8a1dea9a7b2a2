import ActionLog
import AnimalsData
import EventSourcing
import Foundation

/// Appending: the writer by itself, beside a bare loop of the same system calls.
func appendBenchmarks(in scratch: String) -> [Benchmark] {
  let drafts: @Sendable (Int) throws -> [LogDraft] = { size in
    try AnimalsWorkload(seed: 1, count: size).map { action in
      let form = try ActionCoding.encode(action)
      return LogDraft(type: form.type, data: form.data)
    }
  }
  func path() -> String { scratch + "/" + UUID().uuidString }
  func writer(_ durability: Durability) throws -> LogWriter {
    try LogWriter.open(
      path(), model: "animals", schema: 1, configuration: LogConfiguration(durability: durability))
  }
  return [
    Benchmark(name: "append, no sync, batches of 1000", unit: "action", size: (2_000, 200_000)) { size in
      let drafts = try drafts(size)
      let writer = try writer(.flush)
      return {
        for start in stride(from: 0, to: drafts.count, by: 1_000) {
          _ = try await writer.append(Array(drafts[start..<min(start + 1_000, drafts.count)]))
        }
        try await writer.close()
        return UInt64(writer.status.lastSeq)
      }
    },
    Benchmark(name: "append, one sync per 1000", unit: "action", size: (2_000, 200_000)) { size in
      let drafts = try drafts(size)
      let writer = try writer(.commit)
      return {
        for start in stride(from: 0, to: drafts.count, by: 1_000) {
          _ = try await writer.append(Array(drafts[start..<min(start + 1_000, drafts.count)]))
        }
        try await writer.close()
        return UInt64(writer.status.lastSeq)
      }
    },
    Benchmark(name: "bare write + fdatasync of 200 bytes", unit: "action", size: (50, 2_000)) { size in
      let fileSystem = POSIXFileSystem()
      let file = try fileSystem.open(path(), for: .create)
      let line = [UInt8](repeating: UInt8(ascii: "x"), count: 200)
      return {
        for _ in 0..<size {
          try line.withUnsafeBytes { bytes in try file.append(bytes) }
          try file.synchronize(.data)
        }
        file.close()
        return UInt64(size)
      }
    },
    Benchmark(
      name: "append, one sync per action", unit: "action", size: (50, 2_000),
      baseline: "bare write + fdatasync of 200 bytes"
    ) { size in
      let drafts = try drafts(size)
      let writer = try writer(.commit)
      return {
        for draft in drafts { _ = try await writer.append([draft]) }
        try await writer.close()
        return UInt64(writer.status.lastSeq)
      }
    },
  ]
}
