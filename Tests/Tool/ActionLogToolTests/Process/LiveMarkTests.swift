import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// Marks added while another process writes the log, rolls segments and takes snapshots.
@Suite("Marks on a live log")
struct LiveMarkTests {
  private static let markCount = 8

  @Test("each mark names an existing revision, and marks and log stay intact")
  func marks() async throws {
    let log = try LogOnDisk()
    let writer = try ToolProcess([
      "record", "counter", log.path, "--durability", "written", "--segment-size", "16K", "--snapshot-every", "500",
    ])
    let isDone = Flag()
    // As long as marks are made, and no longer.
    writer.feed { _ in isDone.isSet ? nil : String(repeating: LogOnDisk.increment, count: 100) }
    _ = try #require(try await writer.nextLine())
    let answers = Task { try await writer.remainingOutput() }
    var revisions: [Int] = []
    for number in 1...Self.markCount {
      let made = try await ToolRun("mark", log.path, "end", "mark number \(number)", "--json")
      #expect(made.ending == .status(0), "\(made.messages)")
      revisions.append(try #require(try made.json()["seq"]?.integer))
      // A concurrent reader sees all marks so far.
      #expect(try await ToolRun("mark", log.path).lines.count == number)
      let state = try await ToolRun("state", log.path, "--at", "mark number \(number)", "--path", "/value", "-q")
      #expect(state.output == "\(revisions[number - 1])\n", "\(state.messages)")
    }
    isDone.set()
    let recorded = try await answers.value.split(separator: "\n").count + 1
    #expect(try await writer.wait() == .status(0))
    #expect(revisions == revisions.sorted() && (1...recorded).contains(revisions.last ?? 0))
    #expect(try log.segments().count > 1, "segments were rolled during the test")
    #expect(try await log.verdict() == "clean")
    let kept = try await ToolRun("mark", log.path, "--json").lines.map { line in
      try JSONValue(parsing: Array(line.utf8))["seq"]?.integer
    }
    #expect(kept.compactMap(\.self).sorted() == revisions)
    let copy = log.path + "-copy"
    #expect(try await ToolRun("salvage", log.path, copy).ending == .status(0))
    #expect(try await ToolRun("mark", copy).lines.count == Self.markCount)
  }

  @Test("marks of concurrent processes are all stored")
  func atOnce() async throws {
    let log = try await LogOnDisk(increments: 20)
    let endings = try await withThrowingTaskGroup(of: ToolProcess.Ending.self) { group in
      for number in 1...16 {
        group.addTask { try await ToolRun("mark", log.path, "\(number)", "mark number \(number)").ending }
      }
      return try await group.reduce(into: []) { endings, ending in endings.append(ending) }
    }
    #expect(endings.allSatisfy { ending in ending == .status(0) }, "\(endings)")
    #expect(try await ToolRun("mark", log.path).lines.count == 16)
  }
}

/// A flag that another thread reads.
private final class Flag: Sendable {
  private let value = Locked(false)

  var isSet: Bool { value.withLock { value in value } }

  func set() { value.withLock { value in value = true } }
}
