import Foundation

/// What a crash or a careless hand leaves in a log on disk, for programs to tell of.
package enum LogWounds {
  /// The beginning of a line, as a writer leaves it that was cut off.
  private static let half = #"{"seq":"#

  /// Tears the end of a log, and runs a program.
  ///
  /// - Parameters:
  ///   - log: The log, which the program has made and given back.
  ///   - run: Runs the program until it ends by itself.
  /// - Returns: Whether it ended well and told once what was cut and where that is kept, and nothing else, and kept it.
  package static func isTornTailTold(
    of log: String, by run: () async throws -> RunningProgram.Run
  ) async throws -> Bool {
    try tear(log)
    let run = try await run()
    let warnings = run.output.split(separator: "\n").filter { line in line.hasPrefix("warning: ") }
    let text =
      "warning: the last writer was interrupted: moved \(half.utf8.count) bytes of an incomplete line to "
    guard run.ending == .status(0), warnings.count == 1, warnings[0].hasPrefix(text) else { return false }
    let kept = String(warnings[0].dropFirst(text.count))
    return kept.hasPrefix("\(log)/quarantine/") && FileManager.default.contents(atPath: kept) == Data(half.utf8)
  }

  /// Puts a file where the snapshots of a log would lie; also root can write none there then.
  package static func blockSnapshots(of log: String) throws {
    let path = "\(log)/snapshots"
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    try Data().write(to: URL(filePath: path))
  }

  private static func tear(_ log: String) throws {
    let segments = try FileManager.default.contentsOfDirectory(atPath: log)
      .filter { name in name.hasSuffix(".jsonl") && name.first?.isNumber == true }
    guard let last = segments.max() else { throw CocoaError(.fileNoSuchFile) }
    let file = try FileHandle(forWritingTo: URL(filePath: "\(log)/\(last)"))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data(half.utf8))
  }
}
