import ActionLog
import Foundation
import Platform

/// A program that takes actions from its standard input.
final class CommandProcess: ToolCommand {
  private let process: SpawnedProcess
  private let state = Locked(State())

  private struct State: Sendable {
    var pending: [UInt8] = []
    var isOutputAtEnd = false
  }

  /// The pause between two questions whether to wait longer.
  private static let sliceMilliseconds: Int32 = 100
  /// Longer lines are not acknowledgments.
  private static let lineLimitBytes = 4_096
  private static let endingTime = Duration.seconds(1)

  /// Starts the program. It shares standard error with this process.
  init(_ line: ToolCommandLine) throws {
    process = try SpawnedProcess(
      try Self.program(line.words.first ?? ""), Array(line.words.dropFirst()),
      variables: ProcessInfo.processInfo.environment.merging(line.variables) { _, new in new },
      readsOutput: line.readsOutput)
    // A program that reads nothing must not block this one.
    if let input = process.input { _ = fcntl(input, F_SETFL, fcntl(input, F_GETFL) | O_NONBLOCK) }
  }

  deinit { end() }

  /// Finds a program as a shell does.
  static func program(_ name: String) throws(ToolFailure) -> String {
    guard let path = path(ofProgram: name) else {
      throw ToolFailure(
        "noProgram", .environment, "there is no program '\(name)' to run",
        advice: "Give the path of a program, or its name in PATH, after '--'.")
    }
    return path
  }

  fileprivate static func path(ofProgram name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(
      String.init)
    let paths = name.contains("/") ? [name] : folders.map { folder in "\(folder)/\(name)" }
    return name.isEmpty ? nil : paths.first(where: isProgram)
  }

  /// Whether a path is an executable file. A directory is executable as well, but no program.
  private static func isProgram(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
      && FileManager.default.isExecutableFile(atPath: path)
  }

  func exchange(
    _ bytes: [UInt8], mayWait: (Duration) -> Bool, takeLine: (ArraySlice<UInt8>, Int) throws -> Bool
  ) throws -> ToolExchangeEnd {
    var rest = bytes[...]
    var lastLine = ContinuousClock.now
    while true {
      while let line = nextLine() {
        lastLine = .now
        guard try takeLine(line, bytes.count - rest.count) else { return .isComplete }
      }
      if process.output == nil, rest.isEmpty { return .isComplete }
      if process.output == nil ? process.input == nil : state.withLock({ state in state.isOutputAtEnd }) {
        return .outputEnded
      }
      guard mayWait(lastLine.duration(to: .now)) else { return .timedOut }
      try transfer(&rest)
    }
  }

  /// Waits for the pipes, and reads, or writes if there is nothing to read: so a line that is there before a write is not taken for an
  /// answer to it.
  private func transfer(_ rest: inout ArraySlice<UInt8>) throws {
    // A negative descriptor is ignored.
    var entries = [
      pollfd(fd: process.output ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: rest.isEmpty ? -1 : process.input ?? -1, events: Int16(POLLOUT), revents: 0),
    ]
    guard poll(&entries, nfds_t(entries.count), Self.sliceMilliseconds) >= 0 else {
      guard errno == EINTR || errno == EAGAIN else { throw ToolStreamError.failed(errorNumber: errno) }
      return
    }
    if entries[0].revents != 0 {
      try read(entries[0].fd)
    } else if entries[1].revents != 0 {
      try write(&rest, entries[1].fd)
    }
  }

  private func read(_ descriptor: Int32) throws {
    guard let bytes = try DescriptorCall.read(descriptor, limit: 65_536) else { return }
    state.withLock { state in
      state.pending += bytes
      // A line without an end is passed on unchanged, and refused.
      if bytes.isEmpty || state.pending.count > Self.lineLimitBytes, !state.pending.contains(0x0A),
        !state.pending.isEmpty
      {
        state.pending.append(0x0A)
      }
      state.isOutputAtEnd = bytes.isEmpty
    }
  }

  private func write(_ rest: inout ArraySlice<UInt8>, _ descriptor: Int32) throws {
    do throws(ToolStreamError) { rest = rest.dropFirst(try DescriptorCall.write(descriptor, rest)) } catch {
      guard error == .closed else { throw error }
      // It may still acknowledge what it has read.
      closeInput()
    }
  }

  private func nextLine() -> ArraySlice<UInt8>? {
    state.withLock { state in
      guard let end = state.pending.firstIndex(of: 0x0A) else { return nil }
      let line = state.pending[..<end]
      state.pending = Array(state.pending[(end + 1)...])
      return line
    }
  }

  func closeInput() { process.closeInput() }

  func wait(mayWait: (Duration) -> Bool) -> ToolCommandEnding? {
    let start = ContinuousClock.now
    var pause: UInt32 = 1
    while true {
      if let ending = process.ending { return ending }
      guard mayWait(start.duration(to: .now)) else { return nil }
      usleep(pause * 1_000)
      pause = min(2 * pause, UInt32(Self.sliceMilliseconds))
    }
  }

  func end() {
    closeInput()
    process.signal(SIGTERM)
    if wait(mayWait: { time in time < Self.endingTime }) == nil {
      process.signal(SIGKILL)
      _ = process.wait()
    }
  }
}
