import ActionLog
import ActionLogTool
import Foundation
import Testing

/// The story as it is told at a terminal, run once for all who look at it.
struct StorySession: Sendable {
  /// Each command line and what it printed.
  private(set) var runs: [(words: [String], run: CommandLineRun)] = []
  /// The test that was written.
  private(set) var test = ""
  /// The page that was written.
  private(set) var page = ""

  static let isWrong = #"/animals/data/Platypus/name == "Platypus ""#
  static let isRight = #"/animals/data/Platypus/name == "Platypus (young)""#

  static let commands = [
    ["bisect", "my-log", isWrong],
    ["blame", "my-log", "/animals/data/Platypus/name"],
    ["mark", "my-log", "61803", "lost name"],
    ["minimise", "my-log", isWrong, "--at", "lost name"],
    [
      "test", "my-log", "start", "lost name", "--minimise", isWrong, "--expect", isRight, "--output",
      "PlatypusTests.swift",
    ],
    ["what-if", "my-log", "--with", "animals", "--to", "lost name"],
    ["report", "my-log", "61790", "lost name", "--output", "platypus.html"],
  ]

  static let shared = Task<StorySession, any Error>.detached {
    let disk = try await OffPool.run { try StoryLog.disk() }
    let bench = Bench(disk: disk, tool: StoryLog.tool)
    var session = StorySession()
    for words in commands {
      let run = await bench.run(words) { environment in environment.variables["COLUMNS"] = "110" }
      session.runs.append((words, run))
    }
    session.test = String(decoding: try bench.disk.contents(of: "PlatypusTests.swift"), as: UTF8.self)
    session.page = String(decoding: try bench.disk.contents(of: "platypus.html"), as: UTF8.self)
    return session
  }

  /// What a command line printed, which is one of the story's.
  func run(_ words: [String]) throws -> CommandLineRun {
    try #require(runs.first { told, _ in told == words }, "the story does not have \(words)").run
  }

  /// What a command printed.
  func run(_ command: String) throws -> CommandLineRun {
    let run = try #require(runs.first { words, _ in words[0] == command }).run
    try #require(run.status == 0, "\(run.messages)")
    return run
  }

  /// The whole story.
  var transcript: String {
    runs.map { words, run in
      "$ action-log \(words.map(Bench.quoted).joined(separator: " "))\n\(run.output)\(run.messages)"
    }.joined(separator: "\n")
  }
}

extension CommandLineRun {
  /// The number that stands before some words in the messages; groups of digits are apart by a space.
  func count(of words: String) throws -> Int {
    let place = try #require(messages.range(of: " \(words)"), "\(messages)")
    let digits = messages[..<place.lowerBound].reversed().prefix { character in character.isNumber || character == " " }
    return try #require(Int(String(digits.reversed().filter(\.isNumber))), "\(messages)")
  }
}
