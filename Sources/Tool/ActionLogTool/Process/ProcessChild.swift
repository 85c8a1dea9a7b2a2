import ActionLog
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

  /// The number of children that can run at a time with the files that this process may open; `nil` for any number.
  ///
  /// - Complexity: O(open files that are allowed), but constant if they are more than any number of children needs.
  static var limit: Int? {
    guard let allowed = SystemCall.descriptorLimit, allowed < enoughDescriptors else { return nil }
    let open = (0..<Int32(clamping: allowed)).count { descriptor in fcntl(descriptor, F_GETFD) != -1 }
    return max(0, allowed - open - otherDescriptors) / descriptorsOfAChild
  }

  /// The ends of the pipes to and from a child.
  private static let descriptorsOfAChild = 2
  /// The other ends of the pipes of a child that is starting, of which there is one at a time, and the files that the search for logs
  /// and the runtime open for a moment.
  private static let otherDescriptors = 16
  /// More than the most processes of `each` need.
  private static let enoughDescriptors = 4_096

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
