import BenchmarkKit
import Testing

@MainActor @Suite struct HarnessTests {
  /// Contenders that write down when they run.
  final class Journal {
    var entries: [String] = []

    @MainActor func contender(
      _ name: String, agreement: String? = nil, place: Contender.Place = .here, hashes: [UInt64] = [7]
    ) -> Contender {
      var round = 0
      return Contender(name, unit: "thing", count: 10, place: place, agreement: agreement) { [self] in
        entries.append("prepare \(name)")
        return { [self] in
          entries.append("run \(name)")
          defer { round += 1 }
          return RoundResult(
            hash: hashes[min(round, hashes.count - 1)], nanoseconds: 1_000 * Double(round),
            metrics: ["round": Double(round)])
        }
      }
    }
  }

  private let journal = Journal()

  private func harness(_ rounds: Int = 2) -> Harness {
    Harness(rounds: rounds) { name, cores in
      RoundResult(hash: 7, nanoseconds: 50, metrics: ["cores": Double(cores ?? 0)])
    }
  }

  @Test func contendersTakeTurns() async throws {
    _ = try await harness().measure([journal.contender("a"), journal.contender("b")])
    let round = ["prepare a", "run a", "prepare b", "run b"]
    #expect(journal.entries == round + round + round)
  }

  @Test func theWarmUpDoesNotCount() async throws {
    let measurement = try await harness().measure([journal.contender("a")])[0]
    #expect(measurement.rounds == [100, 200])
    #expect(measurement.metrics == ["round": [1, 2]])
    #expect(measurement.hash == "7")
  }

  @Test func roundLimitAlsoSkipsTheWarmUp() async throws {
    var limited = journal.contender("a", agreement: "task")
    limited.roundLimit = 1
    let measurements = try await harness().measure([limited, journal.contender("b", agreement: "task")])
    #expect(journal.entries.filter { entry in entry.hasPrefix("run") } == ["run b", "run a", "run b", "run b"])
    #expect(measurements.map(\.rounds.count) == [1, 2])
    #expect(measurements.map(\.hash) == ["7", "7"])
  }

  @Test func roundLimitDoesNotEscapeTheComparison() async throws {
    var limited = journal.contender("a", agreement: "task", hashes: [9])
    limited.roundLimit = 1
    await #expect(throws: HarnessError("'b' gave 7, and 'a' 9, for the same work")) {
      try await harness().measure([limited, journal.contender("b", agreement: "task")])
    }
  }

  @Test func whatHasNoClockOfItsOwnIsTimed() async throws {
    let contender = Contender("a", unit: "thing", count: 1) { { RoundResult(hash: 1) } }
    let rounds = try await harness(3).measure([contender])[0].rounds
    #expect(rounds.count == 3 && rounds.allSatisfy { nanoseconds in nanoseconds > 0 })
  }

  @Test func aResultThatChangesEndsTheRun() async throws {
    await #expect(throws: HarnessError("'a' gave 9 in round 1, and 7 before")) {
      try await harness().measure([journal.contender("a", hashes: [7, 9])])
    }
  }

  @Test func contendersOfOneTaskMustAgree() async throws {
    await #expect(throws: HarnessError("'b' gave 8, and 'a' 7, for the same work")) {
      try await harness().measure([
        journal.contender("a", agreement: "task"), journal.contender("b", agreement: "task", hashes: [8]),
      ])
    }
  }

  @Test func whatIsMissingIsSaidAndNotTriedAgain() async throws {
    var attempts = 0
    let missing = Contender("a", unit: "thing", count: 1) {
      attempts += 1
      throw Missing("node is not installed")
    }
    let measurements = try await harness().measure([missing, journal.contender("b")])
    #expect(measurements[0].missing == "node is not installed")
    #expect(measurements[0].rounds.isEmpty)
    #expect(measurements[1].rounds.count == 2)
    #expect(attempts == 1)
  }

  @Test func processesOfTheirOwnGetTheirProcessors() async throws {
    let measurement = try await harness().measure([journal.contender("a", place: .ownProcess(cores: 1))])[0]
    #expect(measurement.metrics["cores"] == [1, 1])
    #expect(journal.entries.isEmpty)
  }
}
