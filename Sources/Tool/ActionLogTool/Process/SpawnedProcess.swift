import ActionLog
import CSystem
import Foundation
import Platform

/// A process with a pipe to its standard input, and maybe one from its standard output. Its standard error is that of this process,
/// or a file; it has no other open files. It is killed when this value is released.
///
/// Foundation's `Process` is not suitable: it needs a run loop to wait for an end, so that a process cannot be killed by one thread
/// while another reads from it, and it traps where only few files may be open.
final class SpawnedProcess {
  private struct State: Sendable {
    /// The writing end of its standard input, until it is closed.
    var input: Int32?
    /// Its exit status or signal, once it was reaped. Its identifier can then belong to another process.
    var ending: ToolCommandEnding?
  }

  private let identifier: Int32
  private let output: Int32?
  private let state: Locked<State>
  /// The bytes of its standard output after the last line that was taken.
  private let pending = Locked<[UInt8]>([])

  /// The pause between two questions whether to wait longer.
  private static let sliceMilliseconds: Int32 = 100
  /// Longer lines are not acknowledgments.
  private static let lineLimitBytes = 4_096
  private static let endingTime = Duration.seconds(1)

  /// Starts a program. `messages` is the file for its standard error; `nil` shares that of this process.
  init(
    _ program: String, _ arguments: [String], variables: [String: String] = ProcessInfo.processInfo.environment,
    readsOutput: Bool, messages: Int32? = nil
  ) throws(ToolFailure) {
    let words = ([program] + arguments).map { word in strdup(word) } + [nil]
    let settings = variables.map { name, value in strdup("\(name)=\(value)") } + [nil]
    defer { for pointer in words + settings { free(pointer) } }
    var input: [Int32] = [-1, -1]
    var output: [Int32] = [-1, -1]
    var process: Int32 = 0
    var error = csystem_pipe(&input)
    if error == 0, readsOutput { error = csystem_pipe(&output) }
    if error == 0 { error = csystem_spawn(program, words, settings, input[0], output[1], messages ?? -1, &process) }
    for end in [input[0], output[1]] where end >= 0 { _ = close(end) }
    guard error == 0 else {
      for end in [input[1], output[0]] where end >= 0 { _ = close(end) }
      throw ToolFailure(
        "noProgram", .environment, "the program cannot be started: \(String(cString: strerror(error)))",
        path: program, advice: Self.advice(on: error))
    }
    // A program that reads nothing must not block this one.
    _ = fcntl(input[1], F_SETFL, fcntl(input[1], F_GETFL) | O_NONBLOCK)
    identifier = process
    self.output = readsOutput ? output[0] : nil
    state = Locked(State(input: input[1]))
  }

  convenience init(_ line: ToolCommandLine) throws(ToolFailure) {
    try self.init(
      try Self.program(line.words.first ?? ""), Array(line.words.dropFirst()),
      variables: ProcessInfo.processInfo.environment.merging(line.variables) { _, new in new },
      readsOutput: line.readsOutput)
  }

  deinit {
    signal(SIGKILL)
    _ = wait()
    closeInput()
    if let output { _ = close(output) }
  }

  private static func advice(on error: Int32) -> MessageText? {
    switch error {
    case EMFILE: "Allow more open files with 'ulimit -n'."
    case EAGAIN: "Allow more processes with 'ulimit -u', or more tasks in the settings of the service or container."
    default: nil
    }
  }

  /// Finds a program as a shell does.
  static func program(_ name: String) throws(ToolFailure) -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    let paths = name.contains("/") ? [name] : folders.map { folder in "\(folder)/\(name)" }
    guard !name.isEmpty, let path = paths.first(where: isProgram) else {
      throw ToolFailure(
        "noProgram", .environment, "there is no program '\(name)' to run",
        advice: "Give the path of a program, or its name in PATH, after '--'.")
    }
    return path
  }

  /// Whether a path is an executable file. A directory is executable as well, but no program.
  private static func isProgram(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
      && FileManager.default.isExecutableFile(atPath: path)
  }

  private var input: Int32? { state.withLock { state in state.input } }

  /// Waits for bytes of its standard output, and returns none at the end.
  private func readOutput() throws(ToolStreamError) -> [UInt8] {
    guard let output else { return [] }
    while true {
      if let bytes = try DescriptorCall.bytes(of: output, limit: 64 << 10) { return bytes }
    }
  }

  /// Takes a line from the bytes that were read.
  ///
  /// - Parameter searched: The number of bytes that are known to have no line feed.
  private func takeLine(_ searched: inout Int) -> [UInt8]? {
    pending.withLock { pending in
      guard let end = pending[searched...].firstIndex(of: 0x0A) else {
        searched = pending.count
        return nil
      }
      searched = 0
      defer { pending.removeSubrange(...end) }
      return Array(pending[..<end])
    }
  }

  /// Sends a signal unless it was found to have ended.
  private func signal(_ number: Int32) {
    state.withLock { state in
      if state.ending == nil { systemKill(identifier, number) }
    }
  }

  @discardableResult private func wait() -> ToolCommandEnding {
    // Without reaping it, so that its identifier is not reused before the lock is held.
    if state.withLock({ state in state.ending }) == nil { _ = ending(reaps: false, waits: true) }
    return state.withLock { state in
      // An end without a known status counts as a failure.
      let known = state.ending ?? ending(reaps: true, waits: true) ?? .status(255)
      state.ending = known
      return known
    }
  }

  private func ending(reaps: Bool, waits: Bool) -> ToolCommandEnding? {
    var status: Int32 = 0
    var isSignal = false
    guard csystem_await_end(identifier, reaps, waits, &status, &isSignal) == 0 else { return nil }
    return isSignal ? .killed(signal: status) : .status(status)
  }

  /// Closes its standard input, and waits for its end.
  ///
  /// - Returns: The rest of its output, and how it ended: it is killed if that is longer than the limit.
  func finish(limitBytes: Int = .max) throws(ToolStreamError) -> (output: [UInt8], ending: ToolCommandEnding) {
    closeInput()
    var bytes: [UInt8] = []
    while bytes.count <= limitBytes, case let chunk = try readOutput(), !chunk.isEmpty { bytes += chunk }
    if bytes.count > limitBytes { signal(SIGKILL) }
    return (bytes, wait())
  }
}

/// A child of `each`.
extension SpawnedProcess: ToolChild {
  func send(_ bytes: [UInt8]) throws(ToolStreamError) {
    // Only the thread that writes closes the input, so the descriptor stays valid.
    guard let input else { throw .closed }
    try FileDescriptorOutput(descriptor: input).write(bytes)
  }

  func nextLine() throws -> [UInt8]? {
    var searched = 0
    while true {
      if let line = takeLine(&searched) { return line }
      let chunk = try readOutput()
      guard !chunk.isEmpty else { return nil }
      pending.withLock { pending in pending += chunk }
    }
  }

  func end() -> Int32 {
    closeInput()
    return switch wait() {
    case .status(let status): status
    case .killed(let number): 128 + number
    }
  }

  func kill() -> Int32? {
    signal(SIGKILL)
    guard case .killed(let number) = wait() else { return nil }
    return number
  }
}

/// A program that takes actions from its standard input.
extension SpawnedProcess: ToolCommand {
  func exchange(
    _ bytes: [UInt8], mayWait: (Duration) -> Bool, takeLine: (ArraySlice<UInt8>, Int) throws -> Bool
  ) throws -> ToolExchangeEnd {
    var rest = bytes[...]
    var (searched, isOutputAtEnd) = (0, false)
    var lastLine = ContinuousClock.now
    while true {
      while let line = self.takeLine(&searched) {
        lastLine = .now
        guard try takeLine(line[...], bytes.count - rest.count) else { return .isComplete }
      }
      if output == nil, rest.isEmpty { return .isComplete }
      if output == nil ? input == nil : isOutputAtEnd { return .outputEnded }
      guard mayWait(lastLine.duration(to: .now)) else { return .timedOut }
      try transfer(&rest, &isOutputAtEnd)
    }
  }

  /// Waits for the pipes, and reads, or writes if there is nothing to read: so a line that is there before a write is not taken for an
  /// answer to it.
  private func transfer(_ rest: inout ArraySlice<UInt8>, _ isOutputAtEnd: inout Bool) throws {
    // A negative descriptor is ignored.
    var entries = [
      pollfd(fd: output ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: rest.isEmpty ? -1 : input ?? -1, events: Int16(POLLOUT), revents: 0),
    ]
    guard poll(&entries, nfds_t(entries.count), Self.sliceMilliseconds) >= 0 else {
      guard errno == EINTR || errno == EAGAIN else { throw ToolStreamError.failed(errorNumber: errno) }
      return
    }
    if entries[0].revents != 0 {
      guard let bytes = try DescriptorCall.bytes(of: entries[0].fd, limit: 64 << 10) else { return }
      isOutputAtEnd = bytes.isEmpty
      pending.withLock { pending in
        pending += bytes
        // A line without an end is passed on unchanged, and refused.
        let isLine = bytes.isEmpty ? !pending.isEmpty : pending.count > Self.lineLimitBytes
        if isLine, !pending.contains(0x0A) { pending.append(0x0A) }
      }
    } else if entries[1].revents != 0 {
      do throws(ToolStreamError) {
        rest = rest.dropFirst(try DescriptorCall.append(rest, to: entries[1].fd))
      } catch {
        guard error == .closed else { throw error }
        // It may still acknowledge what it has read.
        closeInput()
      }
    }
  }

  func closeInput() {
    let input = state.withLock { state in
      defer { state.input = nil }
      return state.input
    }
    if let input { _ = close(input) }
  }

  func wait(mayWait: (Duration) -> Bool) -> ToolCommandEnding? {
    let start = ContinuousClock.now
    var pause: UInt32 = 1
    while true {
      let known = state.withLock { state in
        state.ending = state.ending ?? ending(reaps: true, waits: false)
        return state.ending
      }
      if let known { return known }
      guard mayWait(start.duration(to: .now)) else { return nil }
      usleep(pause * 1_000)
      pause = min(2 * pause, UInt32(Self.sliceMilliseconds))
    }
  }

  func terminate() {
    closeInput()
    signal(SIGTERM)
    if wait(mayWait: { time in time < Self.endingTime }) == nil {
      signal(SIGKILL)
      wait()
    }
  }
}

extension SpawnedProcess {
  /// The number of children that can run at a time with the files that this process may open; `nil` for any number.
  static var childLimit: Int? {
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
}

/// The system's call. A process has a method of its name.
private func systemKill(_ identifier: Int32, _ number: Int32) { _ = kill(identifier, number) }
