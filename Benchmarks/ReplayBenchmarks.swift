import ActionLog
import AnimalsData
import EventSourcing
import Foundation

/// Reading: verifying, replaying, and finding a state in the middle of a log.
func replayBenchmarks(in scratch: String) -> [Benchmark] {
  [
    Benchmark(name: "replay, JSONDecoder on lines", unit: "action", size: (1_000, 50_000)) { size in
      let lines = try acceptedAnimals(size).map { action in try JSONEncoder().encode(action) }
      return {
        let decoder = JSONDecoder()
        var state = AnimalsModel.initialState
        for line in lines {
          try AnimalsModel.reduce(into: &state, action: try decoder.decode(AnimalsAction.self, from: line))
        }
        return hash(state)
      }
    },
    Benchmark(
      name: "replay", unit: "action", size: (1_000, 50_000), baseline: "replay, JSONDecoder on lines"
    ) { size in
      let path = try await recordedAnimals(size, in: scratch)
      let history = try History(path, model: AnimalsModel.self)
      var options = ReplayOptions()
      options.usesSnapshots = false
      let chosen = options
      return { hash(try history.state(options: chosen).state) }
    },
    Benchmark(name: "verify", unit: "action", size: (1_000, 50_000)) { size in
      let path = try await recordedAnimals(size, in: scratch)
      return { UInt64(try LogVerifier.verify(path).actionCount) }
    },
    Benchmark(name: "find a record by revision", unit: "seek", size: (100, 2_000)) { size in
      let path = try await recordedAnimals(isSmoke ? 1_000 : 50_000, in: scratch)
      let reader = try LogReader.open(path)
      let last = try reader.extent().lastSeq
      return {
        var sum: UInt64 = 0
        for index in 0..<size { sum &+= UInt64(try reader.record(at: 1 + index * 7_919 % last).crc) }
        return sum
      }
    },
  ]
}

/// The canonical encoding of a state with some thousand animals, its digest, and decoding it.
func snapshotBenchmarks() -> [Benchmark] {
  let state: @Sendable (Int) throws -> AnimalsState = { size in
    try acceptedAnimals(size).reduce(into: AnimalsModel.initialState) { state, action in
      try AnimalsModel.reduce(into: &state, action: action)
    }
  }
  return [
    Benchmark(name: "digest of a state", unit: "action behind it", size: (1_000, 50_000)) { size in
      let state = try state(size)
      return { UInt64(try StateDigest(of: state).hexadecimal.prefix(15), radix: 16) ?? 0 }
    }
  ]
}

/// The first accepted actions of the seeded workload.
private func acceptedAnimals(_ count: Int) throws -> [AnimalsAction] {
  var state = AnimalsModel.initialState
  var accepted: [AnimalsAction] = []
  for action in AnimalsWorkload(seed: 1, count: count + count / 4 + 100) where accepted.count < count {
    do {
      try AnimalsModel.reduce(into: &state, action: action)
    } catch {
      continue
    }
    accepted.append(action)
  }
  return accepted
}

/// Logs that were recorded already, by the number of their actions.
@MainActor private var recordedLogs: [Int: String] = [:]

/// A log of so many actions, recorded once.
@MainActor private func recordedAnimals(_ count: Int, in scratch: String) async throws -> String {
  if let path = recordedLogs[count] { return path }
  let path = scratch + "/animals-\(count)"
  // Through the writer itself: the store would copy its dictionaries at every action.
  let writer = try LogWriter.open(
    path, model: AnimalsModel.name, schema: AnimalsModel.schema, configuration: LogConfiguration(durability: .flush))
  for action in try acceptedAnimals(count) {
    let form = try ActionCoding.encode(action)
    _ = try writer.write([LogDraft(type: form.type, data: form.data)])
  }
  try await writer.close()
  recordedLogs[count] = path
  return path
}

/// A hash of a state that does not depend on the process.
private func hash(_ state: AnimalsState) -> UInt64 {
  UInt64(state.animals.data.count) << 32 | UInt64(state.animals.queue.count)
}
