import Foundation
import Platform

/// Runs the current program in another process.
enum ProgramRerun {
  /// The variable that disables random seeds of hashing. It is removed, so that the second process iterates a `Set`
  /// in another order.
  private static let deterministicHashing = "SWIFT_DETERMINISTIC_HASHING"

  /// The path of the current program.
  static func executable() throws -> URL {
    guard let program = Bundle.main.executableURL else {
      throw ToolFailure(
        "noProgram", .environment, "the executable of this program cannot be found, so it cannot run a second process")
    }
    return program
  }

  /// Runs the program and waits for its end. It shares standard error with this process.
  ///
  /// - Returns: Its standard output.
  /// - Throws: ``ToolFailure`` if it cannot be started or fails.
  static func run(_ arguments: [String]) throws -> [UInt8] {
    let variables = ProcessInfo.processInfo.environment.filter { variable in variable.key != deterministicHashing }
    let process = try SpawnedProcess(try executable().path, arguments, variables: variables, readsOutput: true)
    process.closeInput()
    var bytes: [UInt8] = []
    while case let chunk = try process.readOutput(), !chunk.isEmpty { bytes += chunk }
    let ending = process.wait()
    guard ending == .status(0) else {
      throw ToolFailure(
        "secondFold", .environment, "the second process ended \(ending.text)",
        advice: "Its messages are above.")
    }
    return bytes
  }
}
