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

/// A second process of the current program. All methods block.
///
/// Unchecked: Foundation's `Process` and `Pipe` protect their own state and are not changed after the start; the
/// bytes are behind a lock.
final class ProcessChild: ToolChild, @unchecked Sendable {
  private let process = Process()
  /// Its standard input: open until this process ends or this value is released.
  private let input = Pipe()
  private let output = Pipe()
  /// The bytes read after the last complete line.
  private let pending = Locked<[UInt8]>([])

  /// Starts the process, which shares standard error with this one.
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
        // Blocks until bytes arrive, and returns none only at the end.
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

/// The system's `kill`, which is shadowed by ``ProcessChild/kill()`` inside the type.
private func sendSignal(_ process: pid_t, _ number: Int32) -> Int32 { kill(process, number) }
