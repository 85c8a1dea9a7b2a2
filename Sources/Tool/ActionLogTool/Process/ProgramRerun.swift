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
    let program = try executable()
    let process = Process()
    let output = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.environment = ProcessInfo.processInfo.environment.filter { variable in
      variable.key != deterministicHashing
    }
    do {
      try process.run()
    } catch {
      throw ToolFailure("noProgram", .environment, "a second process cannot be started: \(error)", path: program.path)
    }
    // Reads to the end, so that the process never blocks on a full pipe.
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw ToolFailure(
        "secondFold", .environment, "the second process ended with status \(process.terminationStatus)",
        advice: "Its messages are above.")
    }
    return Array(bytes)
  }
}
