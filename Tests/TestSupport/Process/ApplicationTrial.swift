import Foundation

/// What the world can do to an application of this package that keeps a log, and what it has to say then.
package struct ApplicationTrial: Sendable {
  private let program: String
  private let data: String
  private let segment: String

  /// - Parameters:
  ///   - program: Which program of this package.
  ///   - data: Its data directory.
  ///   - log: The name of the log in it.
  package init(_ program: String, data: String, log: String) {
    self.program = program
    self.data = data
    segment = "\(data)/\(log)/0000000000000001.jsonl"
  }

  /// Runs the program without a terminal, on its data directory.
  package func run(_ arguments: [String] = []) async throws -> RunningProgram.Run {
    try await RunningProgram(program, ["--data", data] + arguments).rest()
  }

  /// Whether the data directory is there.
  package var hasData: Bool { FileManager.default.fileExists(atPath: data) }

  /// Puts a file where the data directory would be.
  package func obstruct() throws {
    try Data("a file".utf8).write(to: URL(filePath: data))
  }

  /// Flips a bit in the first action of the log.
  ///
  /// - Returns: The bytes as they are then.
  package func damage() throws -> [UInt8] {
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: segment)))
    guard let action = bytes.firstRange(of: Array(#""type":"#.utf8)) else { throw SystemFailure("no action", EINVAL) }
    bytes[action.upperBound + 1] ^= 1
    try Data(bytes).write(to: URL(filePath: segment))
    return bytes
  }

  /// The bytes of the log.
  package func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: segment))) }
}
