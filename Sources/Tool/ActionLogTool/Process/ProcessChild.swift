import Foundation
import Platform

/// A second process of the current program, with pipes to its standard input and from its standard output. It shares standard
/// error with this process.
final class ProcessChild: ToolChild {
  private let process: SpawnedProcess
  /// The bytes read after the last complete line.
  private let pending = Locked<[UInt8]>([])

  /// Starts the process.
  ///
  /// - Throws: ``ToolFailure`` if the process may not open more files or start more processes.
  init(_ arguments: [String]) throws {
    process = try SpawnedProcess(try ProgramRerun.executable().path, arguments, readsOutput: true)
  }

  func send(_ bytes: [UInt8]) throws(ToolStreamError) {
    // Only the sender closes the input, so the descriptor stays valid.
    guard let input = process.input else { throw .closed }
    try FileDescriptorOutput(descriptor: input).write(bytes)
  }

  func nextLine() throws -> [UInt8]? {
    try pending.withLock { pending in
      var searched = 0
      while true {
        if let end = pending[searched...].firstIndex(of: 0x0A) {
          defer { pending.removeSubrange(...end) }
          return Array(pending[..<end])
        }
        searched = pending.count
        let chunk = try process.readOutput()
        guard !chunk.isEmpty else { return nil }
        pending += chunk
      }
    }
  }

  func end() -> Int32 {
    process.closeInput()
    return switch process.wait() {
    case .status(let status): status
    case .killed(let number): 128 + number
    }
  }

  func kill() -> Int32? {
    process.signal(SIGKILL)
    guard case .killed(let number) = process.wait() else { return nil }
    return number
  }
}
