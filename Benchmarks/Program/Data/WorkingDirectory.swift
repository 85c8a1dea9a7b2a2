import BenchmarkKit
import Foundation

/// The directory of a command's data sets and output.
enum WorkingDirectory {
  /// Hands out a directory that is kept, when one is named, or one that is removed at the end.
  @MainActor static func with<Result>(
    _ kept: String?, _ body: @MainActor (String) async throws -> Result
  ) async throws -> Result {
    if let kept { return try await body(kept) }
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: directory) } catch {
        tell("left behind: \(directory.path): \(error)")
      }
    }
    return try await body(directory.path)
  }
}

extension DataSet {
  /// Removes what rounds have written.
  func removeScratch() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name.hasPrefix("scratch-") {
      try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
    }
  }
}
