import Foundation
import TestSupport
import Testing

/// `animals-server` as a process, on a port that the system chose.
struct RunningServer: Sendable {
  let program: RunningProgram
  let port: UInt16

  /// Starts a server and waits until it listens.
  ///
  /// - Parameter wanted: The port; 0 for one that the system chooses.
  init(data: String, _ arguments: String..., port wanted: UInt16 = 0) async throws {
    program = try RunningProgram("animals-server", ["--port", "\(wanted)", "--data", data] + arguments)
    let line = try #require(try await program.line())
    let url = try #require(line.hasPrefix("listening on ") ? URL(string: String(line.dropFirst(13))) : nil, "\(line)")
    #expect(url.host == "127.0.0.1" && url.path == "/animals/api")
    port = UInt16(try #require(url.port))
  }

  var address: String { "http://127.0.0.1:\(port)/animals/api" }

  /// Asks with a body of JSON.
  func ask(
    _ body: String, type: String = "application/json", path: String = "/animals/api", method: String = "POST"
  ) async throws -> LoopbackClient.Answer {
    try #require(
      try await LoopbackClient.ask(port, method, path, fields: ["Content-Type": type], body: body))
  }

  /// Asks a client program for something.
  func client(_ arguments: String...) async throws -> RunningProgram.Run {
    try await RunningProgram("animals-client", arguments + ["--remote", address]).rest()
  }
}
