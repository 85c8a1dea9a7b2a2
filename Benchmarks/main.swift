import Foundation

// Times the engine against baselines in the same process, all in turn, round after round.
//
//   swift run -c release benchmarks            canonical sizes
//   swift run -c release benchmarks --smoke    small sizes: does every benchmark still run?
//   --rounds N   counted rounds (default 5; 2 in the smoke run)
//   --json       one JSON object for each benchmark
//   --filter S   only benchmarks whose name contains S, and their baselines

let arguments = Array(CommandLine.arguments.dropFirst())
let isSmoke = arguments.contains("--smoke")

func value(after option: String) -> String? {
  guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else { return nil }
  return arguments[index + 1]
}

let rounds = value(after: "--rounds").flatMap(Int.init) ?? (isSmoke ? 2 : 5)
let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("benchmarks-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
defer {
  do { try FileManager.default.removeItem(at: scratch) } catch { print("left behind: \(scratch.path): \(error)") }
}

var benchmarks =
  codingBenchmarks() + appendBenchmarks(in: scratch.path) + replayBenchmarks(in: scratch.path) + snapshotBenchmarks()
if let filter = value(after: "--filter") {
  let chosen = benchmarks.filter { benchmark in benchmark.name.contains(filter) }
  let baselines = Set(chosen.compactMap(\.baseline))
  benchmarks = benchmarks.filter { benchmark in
    benchmark.name.contains(filter) || baselines.contains(benchmark.name)
  }
}

let measurements = try await measure(benchmarks, isSmoke: isSmoke, rounds: rounds)
if arguments.contains("--json") {
  try printJSON(measurements)
} else {
  printTable(measurements)
}
