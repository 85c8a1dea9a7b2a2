/// One thing that is measured: a piece of work that can be done at a size and gives a hash of its result.
struct Benchmark {
  /// What is measured, for instance `replay, Codable`.
  var name: String
  /// What the figure counts, for instance `action`.
  var unit: String
  /// How many units one round is, in the smoke run and in the canonical one.
  var size: (smoke: Int, canonical: Int)
  /// The name of the benchmark that this one is compared with.
  var baseline: String?
  /// Prepares the work outside the clock and returns it. The work returns a hash, so that none of it can vanish.
  var prepare: (_ size: Int) async throws -> () async throws -> UInt64
}

/// What one benchmark took.
struct Measurement {
  var benchmark: Benchmark
  var size: Int
  /// Nanoseconds per unit in each round.
  var rounds: [Double]
  var hash: UInt64

  var median: Double { rounds.median }
}

extension [Double] {
  /// The middle value; of an even number, the mean of the middle two.
  var median: Double {
    let sorted = sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// Runs all benchmarks in turn, round after round, so that a machine that slows down slows all of them.
func measure(_ benchmarks: [Benchmark], isSmoke: Bool, rounds: Int) async throws -> [Measurement] {
  var measurements = benchmarks.map { benchmark in
    Measurement(
      benchmark: benchmark, size: isSmoke ? benchmark.size.smoke : benchmark.size.canonical, rounds: [], hash: 0)
  }
  let clock = ContinuousClock()
  // Round 0 warms up and is not counted.
  for round in 0...rounds {
    for index in measurements.indices {
      let work = try await measurements[index].benchmark.prepare(measurements[index].size)
      let begin = clock.now
      let hash = try await work()
      let time = clock.now - begin
      if round == 0 {
        measurements[index].hash = hash
      } else {
        precondition(measurements[index].hash == hash, "\(measurements[index].benchmark.name) gives another result")
        let nanoseconds = Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9
        measurements[index].rounds.append(nanoseconds / Double(measurements[index].size))
      }
    }
  }
  return measurements
}
