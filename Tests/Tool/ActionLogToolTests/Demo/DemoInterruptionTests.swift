import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import ActionLogTool
import CounterData
import Platform
import SampleSupport
import TestSupport
import Testing

/// Demos with `--keep` that are killed or run out of space must not leave an incomplete log.
@Suite("Interrupted demos", .timeLimit(.minutes(60))) struct DemoInterruptionTests {
  private static let log = "kept"
  private static let storyLength = 10
  private static let bugLength = 40

  /// A tool with the counter's story, or with a log that contains a bug, each short enough to interrupt it at every step.
  private static func tool(withBug: Bool) -> ActionLogTool {
    let story = CounterWorkload.story.prefix(storyLength).map { step in
      Story<CounterAction>.Step(pause: step.pause, action: step.action)
    }
    let bug = BugStory(
      title: "Count", complaint: "It counts too far.", pointer: "/value", wrong: "/value > 3", right: "/value <= 3",
      revision: 4, mark: "too far", mended: "counter")
    return ActionLogTool(models: [
      withBug
        ? .model(CounterModel.self, bug: bug, history: { CounterWorkload(seed: 7).prefix(bugLength) })
        : .model(
          CounterModel.self, story: Story(story, turningPoint: 5),
          workload: { seed, count in CounterWorkload(seed: seed).prefix(count) })
    ])
  }

  private static func run(
    withBug: Bool, _ words: [String] = [], on files: any LogFileSystem,
    change: (inout ToolEnvironment) -> Void = { _ in }
  ) async -> CommandLineRun {
    await tool(withBug: withBug).run(["demo", "--keep", log] + (withBug ? ["--bug"] : []) + words) { environment in
      environment.fileSystem = files
      environment.temporaryDirectory = ""
      change(&environment)
    }
  }

  /// Whether there is a log. If there is, it must be complete.
  private static func isComplete(on disk: MemoryFileSystem, withBug: Bool, _ place: Comment) throws -> Bool {
    guard try disk.status(of: log) != nil else { return false }
    let report = try LogVerifier.verify(at: log, fileSystem: disk)
    #expect(report.verdict == .clean && report.isClosed, place)
    #expect(report.lastRevision == (withBug ? bugLength : storyLength), place)
    return true
  }

  @Test("a kill leaves a complete log or none, and a second run succeeds", arguments: [false, true])
  func killed(withBug: Bool) async throws {
    let disk = MemoryFileSystem()
    let left = Locked<[(disk: MemoryFileSystem, place: String)]>([])
    let door = FaultyFileSystem(disk) { call in
      guard [.createDirectory, .open, .append, .rename, .remove].contains(call.operation) else { return }
      left.withLock { left in left.append((disk.copy(), "before \(call)")) }
    }
    let run = await Self.run(withBug: withBug, on: door)
    #expect(run.status == 0, "\(run.messages)")
    #expect(try Self.isComplete(on: disk, withBug: withBug, "in the end"))
    #expect(try disk.names(in: "/") == [Self.log])
    let states = left.withLock { left in left }
    #expect(states.count > 10)
    var missing: [(disk: MemoryFileSystem, place: String)] = []
    for state in states where try !Self.isComplete(on: state.disk, withBug: withBug, "\(state.place)") {
      missing.append(state)
    }
    #expect(!missing.isEmpty)
    // Enough kills to interrupt each step.
    for index in stride(from: 0, to: missing.count, by: max(1, missing.count / 12)) {
      let (disk, place) = missing[index]
      let again = await Self.run(withBug: withBug, on: disk)
      #expect(again.status == 0, "done again, killed \(place): \(again.messages)")
      #expect(try Self.isComplete(on: disk, withBug: withBug, "done again, killed \(place)"))
      #expect(try disk.names(in: "/") == [Self.log])
    }
  }

  @Test("a full disk leaves no log, and a second run with space succeeds", arguments: [false, true])
  func fullDisk(withBug: Bool) async throws {
    let needed = MemoryFileSystem()
    #expect(await Self.run(withBug: withBug, on: needed).status == 0)
    let size = needed.usedBytes
    for capacity in [0, 100, size / 4, size / 2] {
      let disk = MemoryFileSystem(capacityBytes: capacity)
      let run = await Self.run(withBug: withBug, on: disk)
      #expect(run.status == 3, "\(capacity) of \(size) bytes: \(run.messages)")
      #expect(run.messages.contains("no space is left"), "\(run.messages)")
      #expect(try disk.names(in: "/") == [], "\(capacity) of \(size) bytes")
      disk.capacityBytes = nil
      #expect(await Self.run(withBug: withBug, on: disk).status == 0)
      #expect(try Self.isComplete(on: disk, withBug: withBug, "with space"))
    }
  }

  @Test("a log that cannot be renamed is not advertised", arguments: [[], ["--json"]])
  func withoutAName(words: [String]) async throws {
    let disk = MemoryFileSystem()
    let door = FaultyFileSystem(disk, faults: [FileFault(.rename, pathSuffix: ".unfinished/log")])
    let run = await Self.run(withBug: false, words, on: door)
    #expect(door.firedCount == 1)
    #expect(run.status == 3 && run.messages.contains("cannot be kept"), "\(run.messages)")
    #expect(!run.output.contains("Now you") && !run.output.contains(#""log""#), "\(run.output)")
    #expect(try disk.names(in: "/") == [])
  }

  @Test("a complete log stays even if the output has no reader")
  func withoutAReader() async throws {
    let whole = await Self.run(withBug: false, on: MemoryFileSystem())
    let disk = MemoryFileSystem()
    let run = await Self.run(withBug: false, on: disk) { environment in
      environment.standardOutput = MemoryOutput(limit: whole.output.utf8.count - 1)
    }
    #expect(run.status == 0)
    #expect(try Self.isComplete(on: disk, withBug: false, "without a reader"))
    #expect(try disk.names(in: "/") == [Self.log])
  }

  @Test("a path can end with a slash", arguments: [false, true])
  func slash(withBug: Bool) async throws {
    let disk = MemoryFileSystem()
    let run = await Self.tool(withBug: withBug).run(["demo", "--keep", Self.log + "/"] + (withBug ? ["--bug"] : [])) {
      environment in
      environment.fileSystem = disk
    }
    #expect(run.status == 0, "\(run.messages)")
    #expect(try Self.isComplete(on: disk, withBug: withBug, "in the end"))
    #expect(try disk.names(in: "/") == [Self.log])
  }
}
