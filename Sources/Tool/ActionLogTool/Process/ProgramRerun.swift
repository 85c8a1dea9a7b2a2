import Foundation
import Platform

/// Runs the program that is running once more, in a process of its own.
enum ProgramRerun {
  /// The variable that takes the seed out of hashing. A second process that had it would walk a `Set` as the first does.
  private static let deterministicHashing = "SWIFT_DETERMINISTIC_HASHING"

  /// The path of the program.
  static func executable() throws -> URL {
    guard let program = Bundle.main.executableURL else {
      throw ToolFailure("noProgram", .environment, "the program that is running cannot be found, to run it once more")
    }
    return program
  }

  /// Runs it and waits for its end. What it says on standard error goes where this one's goes.
  ///
  /// - Returns: What it printed.
  /// - Throws: ``ToolFailure`` when it cannot be run or fails.
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

/// A process of the program that is running. All calls block.
///
/// Unchecked: `Process` and `Pipe` of Foundation guard their own state, and are not changed after the start; the bytes are locked.
final class ProcessChild: ToolChild, @unchecked Sendable {
  private let process = Process()
  /// Held open: it ends with this process, or with this value.
  private let input = Pipe()
  private let output = Pipe()
  /// What was read after the last line.
  private let pending = Locked<[UInt8]>([])

  /// Starts it. Its standard error is this process's.
  init(_ arguments: [String]) throws {
    let program = try ProgramRerun.executable()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    do {
      try process.run()
    } catch {
      throw ToolFailure(
        "noProgram", .environment, "a second process cannot be started: \(error)", path: program.path)
    }
  }

  deinit { if process.isRunning { _ = kill() } }

  func nextLine() throws -> [UInt8]? {
    pending.withLock { pending in
      while true {
        if let end = pending.firstIndex(of: 0x0A) {
          defer { pending.removeSubrange(...end) }
          return Array(pending[..<end])
        }
        // It waits for bytes, and returns none only at the end.
        let bytes = output.fileHandleForReading.availableData
        guard !bytes.isEmpty else { return nil }
        pending += bytes
      }
    }
  }

  func kill() -> Int32? {
    if process.isRunning { _ = sendSignal(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil
  }
}

/// The system's `kill`, which ``ProcessChild/kill()`` hides inside the type.
private func sendSignal(_ process: pid_t, _ number: Int32) -> Int32 { kill(process, number) }
