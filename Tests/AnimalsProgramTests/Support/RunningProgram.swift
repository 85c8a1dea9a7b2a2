import Foundation
import Locking
import TestSupport

/// A program of this package as a process of its own, whose output a test reads line by line.
///
/// What it says on standard error comes the same way, so that a test that fails shows it.
final class RunningProgram: Sendable {
  /// How a run ended, and all that was printed.
  struct Run: Sendable {
    var ending: ChildProcess.Ending
    var output: String
  }

  let process: ChildProcess
  private let reading: Int32
  private let pending = Locked<[UInt8]>([])

  /// Starts a program, without input.
  init(_ name: String, _ arguments: [String]) throws {
    var ends: [Int32] = [-1, -1]
    try Spawn.lock.withLock { _ in
      guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    defer { close(ends[1]) }
    reading = ends[0]
    do {
      process = ChildProcess(
        try Spawn.start(
          [Executable.path(of: name)] + arguments,
          streams: Spawn.Streams(input: nil, output: ends[1], messages: ends[1])))
    } catch {
      close(ends[0])
      throw error
    }
  }

  deinit { close(reading) }

  /// Waits for a line.
  ///
  /// - Returns: The line without its line feed; `nil` at the end.
  func line() async throws -> String? {
    while true {
      let line = pending.withLock { pending -> String? in
        guard let end = pending.firstIndex(of: 0x0A) else { return nil }
        defer { pending.removeSubrange(...end) }
        return String(decoding: pending[..<end], as: UTF8.self)
      }
      if let line { return line }
      let more = try await read()
      guard !more.isEmpty else { return nil }
      pending.withLock { pending in pending += more }
    }
  }

  /// Waits for everything that is still to come, and for the end.
  func rest() async throws -> Run {
    while case let more = try await read(), !more.isEmpty { pending.withLock { pending in pending += more } }
    let output = pending.withLock { pending in String(decoding: pending, as: UTF8.self) }
    return Run(ending: try await process.wait(), output: output)
  }

  /// Runs a program from start to end.
  static func run(_ name: String, _ arguments: String...) async throws -> Run {
    try await RunningProgram(name, arguments).rest()
  }

  private func read() async throws -> [UInt8] {
    try await Blocking.run { [reading] in
      while true {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Foundation.read(reading, &buffer, buffer.count)
        if count >= 0 { return Array(buffer.prefix(count)) }
        guard errno == EINTR else { throw SystemFailure("read") }
      }
    }
  }
}
