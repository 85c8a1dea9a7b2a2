import ActionLog
import ActionLogTesting
import ActionLogTool
import AnimalsData
import CounterData
import FoodTruckData
import Platform
import QuakesData
import SampleSupport
import Testing

/// A tool with the sample models on a disk in memory, with a clock and names of its own, so that every run prints the
/// same.
struct Bench: Sendable {
  let disk: MemoryFileSystem
  let tool: ActionLogTool
  /// A directory of the real disk to work in, instead of the one in memory.
  var directory: String?
  let clock = Locked(LogTime(parsing: "2026-11-21T09:00:00.000000Z")?.microseconds ?? 0)

  init(capacityBytes: Int? = nil, tool: ActionLogTool = .samples) {
    self.disk = MemoryFileSystem(capacityBytes: capacityBytes)
    self.tool = tool
  }

  /// A tool on a disk that holds something already.
  init(disk: MemoryFileSystem, tool: ActionLogTool) {
    self.disk = disk
    self.tool = tool
  }

  /// Runs a command line.
  func run(
    _ arguments: String..., input: [String] = [], change: (inout ToolEnvironment) -> Void = { _ in }
  ) async -> CommandLineRun {
    await run(arguments, input: input, change: change)
  }

  /// Runs a command line.
  func run(
    _ arguments: [String], input: [String] = [], change: (inout ToolEnvironment) -> Void = { _ in }
  ) async -> CommandLineRun {
    await tool.run(arguments, input: input) { environment in
      if let directory { environment.currentDirectory = directory } else { environment.fileSystem = disk }
      environment.logEnvironment = logEnvironment
      environment.temporaryDirectory = ""
      environment.startCommand = { line in ScriptedCommand(line, ScriptedCommand.Journal()) }
      change(&environment)
    }
  }

  /// Each reading of the clock is a second and some microseconds after the previous one.
  var logEnvironment: LogEnvironment {
    LogEnvironment(
      now: { [clock] in
        clock.withLock { microseconds in
          microseconds += 1_000_017
          return LogTime(microseconds: microseconds)
        }
      },
      makeLogID: { "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11" },
      processID: 4_711,
      hostName: "mac",
      program: "action-log"
    )
  }
}

/// A story of a sample in the form that `demo` plays.
private func story<Action>(
  named name: String? = nil, _ steps: [StoryStep<Action>], turningPoint: Int
) -> Story<Action> {
  Story(
    named: name,
    steps.map { step in .init(pause: step.pause, action: step.action, stepsSinceCause: step.stepsSinceCause) },
    turningPoint: turningPoint)
}

extension ActionLogTool {
  /// The tool of the package.
  static let samples = ActionLogTool(
    version: "1.2.3",
    models: [
      .model(AnimalsModel.self) { seed, count in AnimalsWorkload(seed: seed).prefix(count) },
      .model(CounterModel.self) { seed, count in CounterWorkload(seed: seed).prefix(count) },
    ])
}

extension ActionLogTool {
  /// The tool with the stories of `demo`. The counter has none, to test a model without a story.
  static let withStories = ActionLogTool(
    version: "1.2.3",
    models: [
      .model(
        AnimalsModel.self,
        story: story(AnimalsWorkload.story, turningPoint: 8),
        workload: { seed, count in AnimalsWorkload(seed: seed).prefix(count) }),
      .model(CounterModel.self) { seed, count in CounterWorkload(seed: seed).prefix(count) },
      .model(
        FoodTruckLog.self,
        story: story(FoodTruckWorkload.story, turningPoint: 13),
        otherStories: [story(named: "rush", FoodTruckWorkload.rush, turningPoint: 15)],
        workload: { seed, count in FoodTruckWorkload(seed: seed).prefix(count) }),
      .model(
        FoodTruckMirrorLog.self,
        story: story(FoodTruckMirrorWorkload.story, turningPoint: 15),
        workload: { seed, count in FoodTruckMirrorWorkload(seed: seed).prefix(count) }),
      .model(
        QuakesModel.self,
        story: story(QuakesWorkload.story, turningPoint: 11),
        workload: { seed, count in QuakesWorkload(seed: seed).prefix(count) }),
    ])
}

extension Bench {
  /// Lines of input that `record` takes, for actions of any model.
  static func lines(_ actions: some Sequence<some Encodable>) throws -> [String] {
    try actions.map { action in
      let form = try ActionCoding.encode(action)
      return #"{"type":"\#(form.type)","data":\#(String(decoding: form.data, as: UTF8.self))}"# + "\n"
    }
  }

  /// Records the counter's story as `my-log`.
  func recordCounter() async throws {
    let input = try Self.lines(CounterWorkload.story.map(\.action))
    let run = await run("record", "counter", "my-log", input: input)
    try #require(run.status == 0, "\(run.messages)")
  }

  /// Records the story of the animals as `my-log`.
  func recordAnimals() async throws {
    let input = try Self.lines(AnimalsWorkload.story.map(\.action))
    let run = await run("record", "animals", "my-log", input: input)
    try #require(run.status == 0, "\(run.messages)")
  }

  /// The path of the log's only segment.
  static let segment = "my-log/0000000000000001.jsonl"
}
