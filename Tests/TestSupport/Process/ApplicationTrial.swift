import Foundation

/// What the world can do to an application of this package that keeps a log, and what it has to say then.
package struct ApplicationTrial: Sendable {
  private let program: String
  private let data: String
  private let log: String
  private var segment: String { "\(log)/0000000000000001.jsonl" }

  /// - Parameters:
  ///   - program: Which program of this package.
  ///   - data: Its data directory.
  ///   - log: The name of the log in it.
  package init(_ program: String, data: String, log: String) {
    self.program = program
    self.data = data
    self.log = "\(data)/\(log)"
  }

  /// Runs the program without a terminal, on its data directory.
  package func run(_ arguments: [String] = []) async throws -> RunningProgram.Run {
    try await RunningProgram(program, ["--data", data] + arguments).rest()
  }

  /// Whether the data directory is there.
  package var hasData: Bool { FileManager.default.fileExists(atPath: data) }

  /// What is kept of the place where the person was, as text; empty for nothing yet.
  package var keptPlace: String {
    String(decoding: FileManager.default.contents(atPath: "\(data)/place.json") ?? Data(), as: UTF8.self)
  }

  /// Runs the program where a file lies at the place of its data directory.
  package func runObstructed() async throws -> RunningProgram.Run {
    try Data("a file".utf8).write(to: URL(filePath: data))
    return try await run()
  }

  /// Runs the program once, flips a bit in the first action of its log, and runs it again.
  ///
  /// - Returns: The second run, and whether it has left the log as it was.
  package func runDamaged() async throws -> (run: RunningProgram.Run, isUntouched: Bool) {
    let first = try await run()
    guard first.ending == .status(0) else { throw SystemFailure("the first run ended: \(first)", EINVAL) }
    var bytes = try Data(contentsOf: URL(filePath: segment))
    guard let action = bytes.range(of: Data(#""type":"#.utf8)) else { throw SystemFailure("no action", EINVAL) }
    bytes[action.upperBound + 1] ^= 1
    try bytes.write(to: URL(filePath: segment))
    let second = try await run()
    return (second, try Data(contentsOf: URL(filePath: segment)) == bytes)
  }

  /// What a program has to say of a damaged log: where the damage is, and the commands that look at it and save what is good,
  /// with the path of the log.
  package func tellsOfDamage(_ text: String) -> Bool {
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.contains("0000000000000001.jsonl:") && words.contains("'action-log verify \(log)'")
      && words.contains("'action-log salvage \(log) ")
  }
}
