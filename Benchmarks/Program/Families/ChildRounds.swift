import BenchmarkKit
import Foundation

/// Rounds in processes of their own, of this same program.
@MainActor struct ChildRounds {
  var data: DataSet

  init(_ data: DataSet) {
    self.data = data
  }

  /// Does one round of a contender in a new process.
  ///
  /// - Returns: Its result, with the resident memory before and after among the metrics.
  func round(_ name: String, cores: Int?) throws -> RoundResult {
    var arguments = ["round", name, "--data", data.directory]
    if data.sizes == .smoke { arguments.append("--smoke") }
    guard let cores else { return try ChildProcess(executable: ChildProcess.ownPath, arguments: arguments).result() }
    arguments = ["-c", "0-\(cores - 1)", ChildProcess.ownPath] + arguments
    return try ChildProcess(executable: try Self.tasksetPath(), arguments: arguments).result()
  }

  /// The path of a program that keeps a process to some of the processors.
  static func tasksetPath() throws -> String {
    let path = "/usr/bin/taskset"
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw Missing("there is no \(path), which keeps a process to some of the processors")
    }
    return path
  }
}
