import Foundation
import PlantedBug
import Testing

/// The terminal session of the story, run once for all tests, by the program itself in an empty directory.
///
/// The commands are the lines that `demo --bug` prints.
struct StorySession: Sendable {
  /// Each command line and what it printed.
  private(set) var runs: [(command: String, run: CommandLineRun)] = []
  /// The test that was written.
  private(set) var test = ""
  /// The page that was written.
  private(set) var page = ""

  static let opening = "action-log demo --bug --keep bug-log"
  /// The additional commands of the handbook.
  static let further = ["action-log blame bug-log /animals/data/Dog/diet"]

  static let shared = Task<StorySession, any Error>.detached {
    let shell = try ShellSession()
    var session = StorySession()
    session.runs.append((opening, try await shell.run(opening)))
    // The first question has the answer that the other commands need.
    let first = session.templates[0]
    session.runs.append((first, try await shell.run(first)))
    for command in session.suggestions.dropFirst() + further {
      session.runs.append((command, try await shell.run(command)))
    }
    session.test = try await shell.contents(of: "PlatypusTests.swift")
    session.page = try await shell.contents(of: "platypus.html")
    return session
  }

  /// The command lines that the demo prints, with the revision that the first of them finds.
  var suggestions: [String] {
    let found = runs.dropFirst().first?.run.output.split(separator: " ").first.flatMap { word in Int(word) } ?? 0
    return templates.map { line in
      line.replacing("REVISION", with: "\(found)").replacing("EARLIER", with: "\(found - 13)")
    }
  }

  /// The command lines as the demo prints them: it does not know the answer.
  var templates: [String] {
    (runs.first?.run.output ?? "").split(separator: "\n").filter { line in line.hasPrefix("   action-log ") }
      .map { line in line.trimmingCharacters(in: .whitespaces) }
  }

  /// The run of a command line of the story.
  func run(typed command: String) throws -> CommandLineRun {
    try #require(runs.first { told, _ in told == command }, "the story does not have \(command)").run
  }

  /// The first run of a command.
  func run(_ name: String) throws -> CommandLineRun {
    let run = try #require(runs.first { command, _ in command.hasPrefix("action-log \(name) ") }).run
    try #require(run.status == 0, "\(run.messages)")
    return run
  }

  /// The whole story.
  var transcript: String {
    runs.map { command, run in "$ \(command)\n\(run.output)\(run.messages)" }.joined(separator: "\n")
  }
}

extension CommandLineRun {
  /// The number before some words in the messages, whose groups of digits are separated by a space.
  func count(of words: String) throws -> Int {
    let place = try #require(messages.range(of: " \(words)"), "\(messages)")
    let digits = messages[..<place.lowerBound].reversed().prefix { character in character.isNumber || character == " " }
    return try #require(Int(String(digits.reversed().filter(\.isNumber))), "\(messages)")
  }
}
