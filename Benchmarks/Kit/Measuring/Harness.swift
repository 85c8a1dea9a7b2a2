/// Measures contenders in turn, round after round, so that a machine that slows down slows all of them.
@MainActor package struct Harness {
  /// The number of rounds that count. One more is done before them and is not counted.
  package var rounds: Int
  /// Does a round in a process of its own.
  package var runElsewhere: @MainActor (_ name: String, _ cores: Int?) async throws -> RoundResult
  /// Receives progress messages.
  package var progress: (String) -> Void

  private let clock = ContinuousClock()

  /// Makes a harness.
  package init(
    rounds: Int,
    progress: @escaping (String) -> Void = { _ in },
    runElsewhere: @escaping @MainActor (_ name: String, _ cores: Int?) async throws -> RoundResult
  ) {
    precondition(rounds >= 1, "at least one round must count")
    self.rounds = rounds
    self.progress = progress
    self.runElsewhere = runElsewhere
  }

  /// Measures contenders against each other.
  ///
  /// - Returns: A measurement of each, in the same order. A contender that cannot be measured here has the reason.
  /// - Throws: What the work throws, and ``HarnessError`` when results are not what they were.
  package func measure(_ contenders: [Contender]) async throws -> [Measurement] {
    var measurements = contenders.map { contender in
      Measurement(name: contender.name, unit: contender.unit, count: contender.count)
    }
    for round in 0...rounds {
      progress(round == 0 ? "warm-up" : "round \(round) of \(rounds)")
      for (index, contender) in contenders.enumerated()
      where measurements[index].missing == nil && contender.takesPart(in: round) {
        do {
          try record(try await run(contender), of: contender, round: round, in: &measurements[index])
        } catch let missing as Missing {
          measurements[index].missing = missing.description
        }
      }
      // A contender without a warm-up has its first result in round 1.
      if round <= 1 { try checkAgreement(contenders, measurements) }
    }
    return measurements
  }

  private func run(_ contender: Contender) async throws -> RoundResult {
    if case .ownProcess(let cores) = contender.place { return try await runElsewhere(contender.name, cores) }
    return try await Harness.runHere(contender, clock: clock)
  }

  /// Prepares and does one round in this process.
  package static func runHere(
    _ contender: Contender, clock: ContinuousClock = ContinuousClock()
  ) async throws -> RoundResult {
    let work = try await contender.prepare()
    let begin = clock.now
    var result = try await work()
    let end = clock.now
    result.nanoseconds = result.nanoseconds ?? (end - begin).nanoseconds
    return result
  }

  private func record(
    _ result: RoundResult, of contender: Contender, round: Int, in measurement: inout Measurement
  ) throws(HarnessError) {
    let hash = String(result.hash, radix: 16)
    if measurement.hash.isEmpty { measurement.hash = hash }
    guard measurement.hash == hash else {
      throw HarnessError("'\(contender.name)' gave \(hash) in round \(round), and \(measurement.hash) before")
    }
    guard round > 0 else { return }
    guard let nanoseconds = result.nanoseconds else {
      throw HarnessError("'\(contender.name)' was not timed")
    }
    measurement.rounds.append(nanoseconds / Double(contender.count))
    for (name, value) in result.metrics { measurement.metrics[name, default: []].append(value) }
  }

  /// Contenders that do the same work must come to the same result: a fast wrong answer is no record.
  private func checkAgreement(_ contenders: [Contender], _ measurements: [Measurement]) throws(HarnessError) {
    var hashes: [String: (name: String, hash: String)] = [:]
    for (contender, measurement) in zip(contenders, measurements) {
      guard let key = contender.agreement, measurement.missing == nil, !measurement.hash.isEmpty else { continue }
      if let other = hashes[key], other.hash != measurement.hash {
        throw HarnessError(
          "'\(contender.name)' gave \(measurement.hash), and '\(other.name)' \(other.hash), for the same work")
      }
      hashes[key] = (contender.name, measurement.hash)
    }
  }
}

/// A benchmark whose results cannot be trusted.
package struct HarnessError: Error, Equatable, CustomStringConvertible {
  /// The observed value.
  package var description: String

  /// Makes an error.
  package init(_ description: String) {
    self.description = description
  }
}

extension Duration {
  /// The duration in nanoseconds.
  package var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
