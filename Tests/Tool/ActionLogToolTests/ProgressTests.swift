import ActionLogTool
import JSONCoding
import Platform
import Testing

@Suite("Progress")
struct ProgressTests {
  /// A clock that is this much later at each look.
  private func slowClock(_ step: Duration) -> @Sendable () -> Duration {
    let looks = Locked(0)
    return {
      looks.withLock { looks in
        looks += 1
        return step * looks
      }
    }
  }

  /// A log long enough for the engine to report progress.
  private func makeLog() async throws -> Bench {
    let bench = Bench()
    let run = await bench.run("record", "counter", "my-log", "--workload", "10000")
    try #require(run.status == 0)
    return bench
  }

  private func replay(
    _ bench: Bench, stepping step: Duration, isTerminal: Bool, _ options: String...
  ) async throws -> CommandLineRun {
    await bench.run(["replay", "my-log"] + options) { environment in
      environment.errorIsTerminal = isTerminal
      environment.uptime = slowClock(step)
      environment.variables = ["NO_COLOR": "1"]
    }
  }

  @Test("a long job shows progress, rate and remaining time, and erases the line; a short job shows nothing")
  func longJob() async throws {
    let bench = try await makeLog()
    let run = try await replay(bench, stepping: .seconds(2), isTerminal: true, "--to", "10000")
    #expect(run.status == 0)
    #expect(run.messages.contains("replaying 40%  4 096 actions  "))
    #expect(run.messages.contains(" actions/s  "))
    #expect(run.messages.contains(" left"))
    #expect(run.messages.hasSuffix("\r\u{1B}[K"))

    #expect(try await replay(bench, stepping: .milliseconds(1), isTerminal: true).messages.isEmpty)
    #expect(try await replay(bench, stepping: .seconds(2), isTerminal: true, "-q").messages.isEmpty)
  }

  @Test("a long job reports its progress to a pipe, too, in lines")
  func pipe() async throws {
    let bench = try await makeLog()
    let lines = try await replay(bench, stepping: .seconds(2), isTerminal: false).messages.split(separator: "\n")
    #expect(lines.first?.hasPrefix("replaying ") == true && lines.count < 4, "\(lines)")
    #expect(lines.allSatisfy { line in !line.contains("\u{1B}") && !line.contains("\r") })
    let json = try await replay(bench, stepping: .seconds(2), isTerminal: false, "--json", "--to", "10000").messages
    for line in json.split(separator: "\n") {
      let progress = try JSONValue(parsing: Array(line.utf8))["progress"]
      #expect(
        progress?["job"] == "replaying" && progress?["unit"] == "actions" && progress?["total"]?.integer == 10_000)
    }
    #expect(!json.isEmpty)
    #expect(
      try await replay(bench, stepping: .milliseconds(1), isTerminal: false).messages.hasPrefix("replaying") == false)
    #expect(try await replay(bench, stepping: .seconds(2), isTerminal: false, "-q").messages.isEmpty)
  }
}
