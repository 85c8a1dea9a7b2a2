import ActionLog
import EventSourcing
import Foundation
import JSONCoding
import TestSupport
import Testing

/// The bridge to a Redis server, which the test starts on the loopback interface.
@Suite(
  "Redis", .timeLimit(.minutes(60)),
  .enabled(
    if: Executable.find("redis-server") != nil && Executable.find("redis-cli") != nil,
    "needs redis-server and redis-cli"))
struct RedisTests {
  private let directory: TemporaryDirectory
  private let log: LogOnDisk

  init() throws {
    directory = try TemporaryDirectory()
    log = try LogOnDisk()
  }

  /// The script of the page on subscriptions.
  private static func script() throws -> String {
    let page = PackageFolder.root.appending(
      path: "Sources/Engine/EventSourcing/EventSourcing.docc/SubscriptionsAndEffects.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "```sh\n#!/bin/sh\n"))
    let end = try #require(text[start.upperBound...].range(of: "\n```"))
    return "#!/bin/sh\n" + text[start.upperBound..<end.lowerBound] + "\n"
  }

  /// A server whose acknowledged writes survive `kill -9`.
  private func startServer(_ port: Int) async throws -> ChildProcess {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nothing) }
    let server = ChildProcess(
      try Spawn.start(
        [
          Executable.find("redis-server") ?? "", "--bind", "127.0.0.1", "--port", "\(port)", "--dir", directory.path,
          "--appendonly", "yes", "--appendfsync", "always", "--save", "",
        ], streams: Spawn.Streams(input: nothing, output: nothing, messages: nothing)))
    #expect(try await eventually { try redis(port, "PING") == "PONG\n" })
    return server
  }

  private func redis(_ port: Int, _ words: String...) throws -> String {
    try ProgramRun([Executable.find("redis-cli") ?? "", "-h", "127.0.0.1", "-p", "\(port)"] + words).output
  }

  /// The revisions in a stream, in its order.
  private func revisions(_ port: Int, _ stream: String) throws -> [Int] {
    try redis(port, "XRANGE", stream, "-", "+").split(separator: "\n").compactMap { line in
      guard line.hasPrefix(#"{"seq":"#) else { return nil }
      return try JSONValue(parsing: Array(line.utf8))["seq"]?.integer
    }
  }

  private func record(_ count: Int) async throws {
    let run = try await ToolRun(
      "record", "counter", log.path, input: String(repeating: LogOnDisk.increment, count: count))
    #expect(run.ending == .status(0), "\(run.messages)")
  }

  private func position(_ name: String) throws -> Int {
    try SubscriptionStore(at: log.path).read(name)?.position.revision ?? 0
  }

  /// Delivers, kills both the consumer and the server in the middle, and delivers the rest.
  ///
  /// - Returns: The revisions in the stream, and the stored position when the consumer was killed.
  private func killInTheMiddle(
    _ name: String, _ words: (_ port: Int) -> [String]
  ) async throws -> (revisions: [Int], stored: Int) {
    try await record(60)
    // Any free port will do; a range below the ephemeral ones makes a collision unlikely.
    let port = Int.random(in: 20_000..<30_000)
    let first = try await startServer(port)
    let consumer = try ToolProcess(["consume", log.path, "--as", name] + words(port))
    #expect(try await eventually { try revisions(port, name).count >= 20 })
    consumer.kill(SIGKILL)
    first.kill(SIGKILL)
    _ = try await (consumer.wait(), first.wait())
    let stored = try position(name)
    try await record(15)
    // Without the server, the consumer stops and loses nothing.
    let alone = try await ToolRun(["consume", log.path, "--as", name, "--until-end"] + words(port))
    #expect(alone.ending == .status(3), "\(alone.messages)")
    #expect(try position(name) == stored)
    let second = try await startServer(port)
    let rest = try await ToolRun(["consume", log.path, "--as", name, "--until-end"] + words(port))
    #expect(rest.ending == .status(0), "\(rest.messages)")
    #expect(try position(name) == 75)
    let found = try revisions(port, name)
    second.kill(SIGTERM)
    _ = try await second.wait()
    return (found, stored)
  }

  @Test("the script of the page appends each action once, across kill -9 of both")
  func scriptAppendsOnce() async throws {
    let script = directory.path("to-redis.sh")
    try Self.script().write(toFile: script, atomically: true, encoding: .utf8)
    let (revisions, _) = try await killInTheMiddle("script") { port in
      ["--batch", "5", "--", "sh", script, "\(port)", "script"]
    }
    #expect(revisions == Array(1...75))
  }

  @Test("--each with redis-cli loses nothing, and repeats only past the stored position")
  func eachAppendsAtLeastOnce() async throws {
    // An error reply makes `redis-cli -e` fail.
    let (revisions, stored) = try await killInTheMiddle("each") { port in
      ["--each", "--", "redis-cli", "-e", "-h", "127.0.0.1", "-p", "\(port)", "-x", "XADD", "each", "*", "action"]
    }
    #expect(Set(revisions) == Set(1...75))
    let repeated = Dictionary(grouping: revisions) { revision in revision }.filter { _, all in all.count > 1 }.keys
    #expect(repeated.allSatisfy { revision in revision > stored }, "\(repeated), stored \(stored)")
    #expect(Array(revisions.prefix(stored)) == Array(1...max(1, stored)).filter { revision in revision <= stored })
  }
}
