import ActionLog
import Locking
import TestSupport
import Testing

/// Every call to the file system fails in turn, once or from then on, in every way that systems fail.
@Suite("Faults in a loop", .timeLimit(.minutes(60)))
struct FaultLoopTests {
  struct Way: Sendable, CustomTestStringConvertible {
    var code: FileSystemError.Code
    var lasts: Bool
    var partial: Fault.PartialWrite
    var testDescription: String { "\(code), \(lasts ? "for ever" : "once"), writing \(partial)" }
  }

  static let ways = [
    Way(code: .inputOutput, lasts: false, partial: .half),
    Way(code: .inputOutput, lasts: true, partial: .none),
    Way(code: .noSpace, lasts: false, partial: .all),
    Way(code: .noSpace, lasts: true, partial: .half),
    Way(code: .readOnlyFileSystem, lasts: true, partial: .none),
  ]

  /// Runs a program with the n-th call failing, for every n that it makes, and looks at what is left.
  private func loop(_ way: Way, seed: UInt64, on prepared: MemoryFileSystem, acknowledged: Int) throws -> Int {
    var number = 1
    while true {
      let disk = prepared.copy()
      let door = FaultyFileSystem(
        disk,
        faults: [Fault(nil, number: number, lasts: way.lasts, code: way.code, partialWrite: way.partial)])
      var story = LogStory(disk, durability: .flush, segmentLimitBytes: 2_000)
      story.door = door
      var workload = Workload(seed: seed)
      workload.knowledge.withLock { knowledge in
        knowledge = Workload.Knowledge(acknowledged: acknowledged, written: acknowledged, offered: acknowledged)
      }
      workload.run(story, steps: 12)
      guard door.firedCount > 0 else { return number - 1 }
      let known = workload.knowledge.withLock { knowledge in knowledge }
      // The trouble is over, and a new process opens what is there.
      if let flaw = LogStory(disk.copy(), durability: .flush, segmentLimitBytes: 2_000).flaw(known) {
        Issue.record("seed \(seed), call \(number) (\(door.calls[number - 1])): \(flaw)")
      }
      // Or the power is cut in the middle of it.
      let crashed = disk.crash(CrashModel(seed: seed &+ UInt64(number)))
      if let flaw = LogStory(crashed, durability: .flush, segmentLimitBytes: 2_000).flaw(known) {
        Issue.record("seed \(seed), call \(number) (\(door.calls[number - 1])), then a crash: \(flaw)")
      }
      number += 1
    }
  }

  @Test(arguments: ways)
  func aNewLogSurvivesThem(way: Way) throws {
    #expect(try loop(way, seed: 11, on: MemoryFileSystem(), acknowledged: 0) > 20)
  }

  @Test(arguments: ways)
  func aLogWithATornTailSurvivesThem(way: Way) throws {
    let story = LogStory(segmentLimitBytes: 2_000)
    try story.record(8, close: false)
    let last = try #require(try story.reader().segments.last)
    let bytes = try story.files.contents(of: last.path)
    try story.files.setContents(bytes + Array(#"{"seq":9,"time":"2026-"#.utf8), of: last.path)
    #expect(try loop(way, seed: 12, on: story.files, acknowledged: 8) > 20)
  }
}
