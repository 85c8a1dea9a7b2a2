import Foundation

/// Runs the program that is running once more, in a process of its own.
enum ProgramRerun {
  /// The variable that takes the seed out of hashing. A second process that had it would walk a `Set` as the first does.
  private static let deterministicHashing = "SWIFT_DETERMINISTIC_HASHING"

  /// Runs it and waits for its end. What it says on standard error goes where this one's goes.
  ///
  /// - Returns: What it printed.
  /// - Throws: ``ToolFailure`` when it cannot be run or fails.
  static func run(_ arguments: [String]) throws -> [UInt8] {
    guard let program = Bundle.main.executableURL else {
      throw ToolFailure("noProgram", .environment, "the program that is running cannot be found, to run it once more")
    }
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
    // To the end of its output, so that it never waits for a full pipe.
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw ToolFailure(
        "secondFold", .environment, "the second process ended with status \(process.terminationStatus)",
        advice: "What it said stands above.")
    }
    return Array(bytes)
  }
}
