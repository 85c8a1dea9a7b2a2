import ActionLog
import AnimalsData
import EventSourcing
import Foundation
import JSONCoding

/// The codec against Foundation's, on the actions of the Animals sample.
func codingBenchmarks() -> [Benchmark] {
  let seed: UInt64 = 1
  return [
    Benchmark(name: "encode action, JSONEncoder", unit: "action", size: (200, 20_000)) { size in
      let actions = Array(AnimalsWorkload(seed: seed, count: size))
      return {
        let encoder = JSONEncoder()
        var bytes = 0
        for action in actions { bytes += try encoder.encode(action).count }
        return UInt64(bytes)
      }
    },
    Benchmark(
      name: "encode action, ActionCoding", unit: "action", size: (200, 20_000), baseline: "encode action, JSONEncoder"
    ) { size in
      let actions = Array(AnimalsWorkload(seed: seed, count: size))
      return {
        var bytes = 0
        for action in actions {
          let form = try ActionCoding.encode(action)
          bytes += form.type.utf8.count + form.data.count
        }
        return UInt64(bytes)
      }
    },
    Benchmark(name: "decode action, JSONDecoder", unit: "action", size: (200, 20_000)) { size in
      let encoder = JSONEncoder()
      let lines = try AnimalsWorkload(seed: seed, count: size).map { action in try encoder.encode(action) }
      return {
        let decoder = JSONDecoder()
        var count: UInt64 = 0
        for line in lines {
          if case .ui = try decoder.decode(AnimalsAction.self, from: line) { count += 1 }
        }
        return count
      }
    },
    Benchmark(
      name: "decode action, ActionCoding", unit: "action", size: (200, 20_000), baseline: "decode action, JSONDecoder"
    ) { size in
      let forms = try AnimalsWorkload(seed: seed, count: size).map { action in try ActionCoding.encode(action) }
      return {
        var count: UInt64 = 0
        for form in forms {
          let action = try ActionCoding.decode(AnimalsAction.self, type: form.type, data: form.data)
          if case .ui = action { count += 1 }
        }
        return count
      }
    },
    Benchmark(name: "SHA-256", unit: "KiB", size: (64, 8_192)) { size in
      let bytes = [UInt8](repeating: 0x5a, count: size << 10)
      return { UInt64(SHA256.hash(bytes)[0]) }
    },
  ]
}
