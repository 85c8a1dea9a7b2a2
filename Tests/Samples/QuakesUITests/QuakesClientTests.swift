import ActionLog
import Foundation
import QuakesData
import TestSupport
import Testing

/// `quakes-client`, the command line of the store.
@Suite("quakes-client", .timeLimit(.minutes(60))) struct QuakesClientTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let feed = ["a1", "b2"].map { id in
      #"{"id":"\#(id)","properties":{"mag":4.5,"place":"Banda Sea","time":0,"updated":0},"#
        + #""geometry":{"coordinates":[129,-6.5,10]}}"#
    }
    try Data(#"{"features":[\#(feed.joined(separator: ","))]}"#.utf8)
      .write(to: URL(filePath: directory.path("all_hour.geojson")))
  }

  private static let rows = ["a1", "b2"].map { id in "\(id)  4.5  1970-01-01T00:00:00Z  Banda Sea\n" }

  private func start(_ arguments: [String], readsOutput: Bool = true) throws -> RunningProgram {
    try RunningProgram("quakes-client", arguments + ["--store", directory.path("store")], readsOutput: readsOutput)
  }

  private func client(_ arguments: String...) async throws -> RunningProgram.Run { try await start(arguments).rest() }

  @Test func clientAcceptsTheGuidesFlags() async throws {
    let run = try await client(
      "list", "-com.northbronson.QuakesData.Debug", "1", "-com.apple.CoreData.SQLDebug", "1")
    #expect(run.ending == .status(0), "\(run.output)")
  }

  @Test("refreshes and deletions are persisted and logged")
  func persists() async throws {
    #expect(try await client("list").output == "")
    let refreshed = try await client("refresh", "--fixture", directory.path, "-q")
    #expect(refreshed.ending == .status(0))
    #expect(refreshed.output == Self.rows.map { row in "+ " + row }.joined())
    #expect(try await client("list").output == Self.rows.joined())
    #expect(try await client("delete", "a1").output == "- " + Self.rows[0])
    #expect(try await client("list").output == Self.rows[1])
    #expect(try LogReader.open(at: directory.path("store")).extent().lastRevision == 2)
    let missing = try await client("delete", "a1")
    #expect(missing.ending == .status(1))
    #expect(missing.output.contains("there is no earthquake with the id 'a1'"))
  }

  @Test("a torn tail is truncated, quarantined and reported")
  func tornTail() async throws {
    #expect(try await client("list").ending == .status(0))
    #expect(try await LogFaults.isTornTailReported(of: directory.path("store")) { try await client("list") })
  }

  /// The process is killed after the change and before it reports it: its output is not read, so it blocks in between.
  @Test("kill -9 loses no changes")
  func killed() async throws {
    for (number, arguments) in [["refresh", "--fixture", directory.path], ["delete", "a1"]].enumerated() {
      let program = try start(arguments, readsOutput: false)
      #expect(try await eventually { try LogReader.recordedTypes(directory.path("store")).count > number })
      program.process.kill(SIGKILL)
      #expect(try await program.process.wait() == .signal(SIGKILL))
    }
    #expect(try await client("list").output == Self.rows[1])
  }

  /// Names come from a feed and can contain anything.
  @Test("control characters are escaped")
  func hostileName() async throws {
    let feed =
      #"{"features":[{"id":"c3","properties":{"mag":2,"place":"\u001b[2Jgone\nnext","time":0,"updated":0},"#
      + #""geometry":{"coordinates":[0,0]}}]}"#
    try Data(feed.utf8).write(to: URL(filePath: directory.path("all_day.geojson")))
    let row = #"c3  2.0  1970-01-01T00:00:00Z  \u001b[2Jgone\nnext"# + "\n"
    #expect(try await client("refresh", "--feed", "day", "--fixture", directory.path, "-q").output == "+ " + row)
    #expect(try await client("list").output == row)
  }

  @Test("a truncated or missing feed changes nothing")
  func badFeeds() async throws {
    #expect(try await client("refresh", "--fixture", directory.path).ending == .status(0))
    let feed = Array(#"{"features":[]}"#.utf8)
    let dying = try LoopbackServer { _ in .half(feed) }
    defer { dying.stop() }
    let half = try await client("refresh", "--remote", dying.url("/feeds").absoluteString)
    #expect(half.ending == .status(3))
    #expect(half.output.hasPrefix("error: ") && half.output.contains("The stored earthquakes are unchanged."))
    let nowhere = try await RunningProgram.run("quakes-client", "list", "--store", "")
    #expect(nowhere.ending == .status(2) && nowhere.output.contains("--store needs the path of a log"))
    let above = try await RunningProgram.run("quakes-client", "list", "--store", directory.path)
    #expect(above.ending == .status(2))
    #expect(above.output.contains("It contains the log '\(directory.path("store"))'."), "\(above.output)")
    let silent = try LoopbackServer { _ in .silence }
    defer { silent.stop() }
    let waiting = try start(["refresh", "--remote", silent.url("/feeds").absoluteString])
    await silent.requests(1)
    waiting.process.kill(SIGKILL)
    #expect(try await waiting.process.wait() == .signal(SIGKILL))
    let missing = try await client("refresh", "--fixture", directory.path("nowhere"))
    #expect(missing.ending == .status(3))
    #expect(try await client("list").output == Self.rows.joined())
  }
}
