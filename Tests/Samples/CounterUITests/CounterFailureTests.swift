import Foundation
import TestSupport
import Testing

/// Failures of the environment, and the counter's messages.
@Suite("Failures of counter") struct CounterFailureTests {
  private let directory: TemporaryDirectory
  private let terminal: PseudoTerminal

  init() throws {
    directory = try TemporaryDirectory()
    terminal = try PseudoTerminal(columns: 160, rows: 12)
  }

  private var program: String { Executable.path(of: "counter") }
  private var segment: String { directory.path("data/log/0000000000000001.jsonl") }

  private func start(_ arguments: [String] = []) throws -> ChildProcess {
    try terminal.run([program, "--data", directory.path("data")] + arguments)
  }

  /// Records a few steps.
  private func record() async throws {
    let counter = try start()
    try await terminal.wait(for: "Value: 0")
    try terminal.press("+++")
    try await terminal.wait(for: "Value: 3")
    try terminal.press("q")
    #expect(try await counter.wait() == .status(0))
    try await terminal.wait("the shell") { screen in !screen.isAlternate }
  }

  @Test("a data directory that cannot be created is reported")
  func unwritable() async throws {
    try Data("a file".utf8).write(to: URL(fileURLWithPath: directory.path("data")))
    let counter = try start()
    #expect(try await counter.wait() == .status(3))
    try await terminal.wait(for: "error: ")
    try await terminal.wait(for: "Name another one with --data DIR")
    #expect(!terminal.screen.isAlternate)
  }

  @Test("a damaged log is not changed, and the error has its location and advice")
  func damaged() async throws {
    try await record()
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: segment)))
    let place = try #require(bytes.lastIndex { byte in byte == UInt8(ascii: "I") })
    bytes[place] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: segment))
    let counter = try start()
    #expect(try await counter.wait() == .status(1))
    try await terminal.wait(for: "checksum mismatch")
    try await terminal.wait(for: "0000000000000001.jsonl:")
    try await terminal.wait(for: "verify")
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: segment))) == bytes)
  }

  @Test("a torn tail is truncated and quarantined, and the counter continues")
  func torn() async throws {
    try await record()
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: segment))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(#"{"seq":4,"ti"#.utf8))
    try handle.close()
    let counter = try start()
    try await terminal.wait(for: "Value: 3")
    try terminal.press("q")
    #expect(try await counter.wait() == .status(0))
  }

  @Test("a second counter reports the process that has the lock")
  func locked() async throws {
    let counter = try start()
    try await terminal.wait(for: "Value: 0")
    let window = try PseudoTerminal(columns: 160, rows: 12)
    let second = try window.run([program, "--data", directory.path("data")])
    #expect(try await second.wait() == .status(4))
    try await window.wait(for: "process \(counter.processID)")
    #expect(!window.screen.isAlternate)
    try terminal.press("q")
    #expect(try await counter.wait() == .status(0))
  }

  @Test("invalid options are rejected", arguments: [["--preview", "wrong"], ["--json"], ["--data"], ["extra"]])
  func usage(arguments: [String]) async throws {
    let counter = try terminal.run([program] + (arguments == ["--json"] ? ["--preview", "usual"] : []) + arguments)
    #expect(try await counter.wait() == .status(2))
    try await terminal.wait(for: arguments == ["--json"] ? "\"usage\"" : "error: ")
  }
}
