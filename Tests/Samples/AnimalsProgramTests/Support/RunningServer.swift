import Foundation
import TestSupport
import Testing

/// `animals-server` as a process, on a port chosen by the system.
struct RunningServer: Sendable {
  /// The time limit for hangs.
  private static let attemptLimit = 2_000

  let program: RunningProgram
  let port: UInt16

  /// Starts a server and waits until it listens.
  ///
  /// - Parameter wanted: The port; 0 for one chosen by the system. The port of an earlier server can briefly be used by
  ///   a connection of another test; the start is then retried.
  init(data: String, _ arguments: String..., port wanted: UInt16 = 0) async throws {
    let words = ["--port", "\(wanted)", "--data", data] + arguments
    var started = try RunningProgram("animals-server", words)
    var line = try #require(try await started.line())
    for _ in 0..<Self.attemptLimit where wanted != 0 && line.contains("another process listens on the address") {
      try await Task.sleep(for: .milliseconds(50))
      started = try RunningProgram("animals-server", words)
      line = try #require(try await started.line())
    }
    program = started
    let url = try #require(line.hasPrefix("listening on ") ? URL(string: String(line.dropFirst(13))) : nil, "\(line)")
    #expect(url.host == "127.0.0.1" && url.path == "/animals/api")
    port = UInt16(try #require(url.port))
  }

  var address: String { "http://127.0.0.1:\(port)/animals/api" }

  /// Sends a request with a JSON body.
  func ask(
    _ body: String, type: String = "application/json", path: String = "/animals/api", method: String = "POST"
  ) async throws -> LoopbackClient.Answer {
    try #require(
      try await LoopbackClient.ask(port, method, path, fields: ["Content-Type": type], body: body))
  }

  /// Runs a client program.
  func client(_ arguments: String...) async throws -> RunningProgram.Run {
    try await RunningProgram("animals-client", arguments + ["--remote", address]).rest()
  }
}
