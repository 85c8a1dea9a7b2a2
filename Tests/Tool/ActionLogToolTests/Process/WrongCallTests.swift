import Foundation
import TestSupport
import Testing

/// Calls that only a separate process can make.
@Suite("Unusual calls", .timeLimit(.minutes(60)))
struct WrongCallTests {
  @Test("an argument that is not UTF-8 is refused")
  func otherEncoding() async throws {
    let directory = try TemporaryDirectory()
    let program = Executable.path(of: "action-log")
    let script = #"cd "$1" && "$2" record counter "$(printf 'log\377')" </dev/null"#
    let run = try ProgramRun(["sh", "-c", script, "sh", directory.path, program])
    #expect(run.status == 2)
    #expect(run.messages.contains("is not UTF-8"), "\(run.messages)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  @Test(
    "impossible terminal widths are accepted",
    arguments: ["9223372036854775807", "99999999999999999999", "0", "-7", "1", "", "wide"])
  func oddWidths(columns: String) async throws {
    let log = try await LogOnDisk(increments: 3)
    for words in [["list"], ["history", "/value"], ["mark"]] {
      let run = try await ToolRun(
        [words[0], log.path] + words.dropFirst(), launcher: ["env", "COLUMNS=\(columns)"])
      #expect(run.ending == .status(words[0] == "mark" ? 1 : 0), "\(words): \(run.messages)")
    }
  }

  @Test(
    "an unreadable path is named, with the reason and advice",
    .enabled(if: canSwitchUser, "needs root, setpriv, and a program that every user may run"),
    arguments: [
      ("", "the log's directory cannot be listed", Int32(3)),
      ("/0000000000000001.jsonl", "the segment cannot be opened", 3),
      ("/HEAD", "HEAD cannot be read", 0),
    ])
  func unreadable(name: String, what: String, status: Int32) async throws {
    let log = try await LogOnDisk(increments: 3)
    // Every user may enter this directory, and none below it.
    try await Self.chmod("-R", "a+rX", log.path)
    try await Self.chmod("a+rx", URL(fileURLWithPath: log.path).deletingLastPathComponent().path)
    try await Self.chmod("go-rwx", log.path + name)
    for command in ["list", "state"] {
      let run = try await ToolRun([command, log.path], launcher: Self.nobody)
      #expect(run.ending == .status(status), "\(run.messages)")
      #expect(run.messages.contains("\(what) ("), "\(run.messages)")
      #expect(run.messages.contains("Permission denied): \(log.path)\(name)"), "\(run.messages)")
    }
  }

  /// A launcher that runs a program as a user without files.
  private static let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  /// Whether the program under test can be started with the launcher.
  private static var canSwitchUser: Bool {
    guard getuid() == 0, Executable.find("setpriv") != nil else { return false }
    let run = try? ProgramRun(nobody + ["test", "-x", Executable.path(of: "action-log")])
    return run?.status == 0
  }

  private static func chmod(_ words: String...) async throws {
    let run = try ProgramRun(["chmod"] + words)
    try #require(run.status == 0, "\(run.messages)")
  }
}
