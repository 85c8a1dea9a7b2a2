package import ActionLog
import Foundation

/// Damages logs on disk like a crash or a careless edit, to test the reports of programs.
package enum LogFaults {
  /// An incomplete line, as left by an interrupted writer.
  private static let half = #"{"seq":"#

  /// Tears the end of a log, and runs a program.
  ///
  /// - Parameters:
  ///   - log: The log, which the program created and closed.
  ///   - run: A function that runs the program until it ends by itself.
  /// - Returns: Whether it succeeded, reported exactly one warning with the quarantined bytes and their path, and
  ///   quarantined them.
  package static func isTornTailReported(
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

  /// Creates a file at the path of a log's snapshots, so that not even root can write a snapshot.
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

/// Returns the code of the ``FileSystemError`` that a call throws; `nil` if it throws none.
package func refusal(_ call: () throws(FileSystemError) -> Void) -> FileSystemError.Code? {
  do throws(FileSystemError) {
    try call()
    return nil
  } catch {
    return error.code
  }
}
