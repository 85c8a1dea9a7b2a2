import ActionLog
import CSystem
import Foundation
import Platform

/// A process with a pipe to its standard input, and maybe one from its standard output. Its standard error is that of this process,
/// or a file; it has no other open files. A child of `each` is such a process.
///
/// Foundation's `Process` is not suitable: it needs a run loop to wait for an end, so that a process cannot be killed by one thread
/// while another reads from it, and it traps where only few files may be open.
final class SpawnedProcess: ToolChild {
  private struct State: Sendable {
    /// The writing end of its standard input, until it is closed.
    var input: Int32?
    /// Its exit status or signal, once it was reaped. Its identifier can then belong to another process.
    var ending: ToolCommandEnding?
  }

  private let identifier: Int32
  let output: Int32?
  private let state: Locked<State>
  /// The bytes of its standard output after the last complete line.
  private let pending = Locked<[UInt8]>([])

  /// Starts a program. `messages` is the file for its standard error; `nil` shares that of this process.
  init(
    _ program: String, _ arguments: [String], variables: [String: String] = ProcessInfo.processInfo.environment,
    readsOutput: Bool, messages: Int32? = nil
  ) throws(ToolFailure) {
    let started: (process: Int32, input: Int32, output: Int32?)
    do throws(SystemError) {
      started = try Self.start([program] + arguments, variables, readsOutput, messages ?? -1)
    } catch {
      throw ToolFailure(
        "noProgram", .environment, "the program cannot be started: \(String(cString: strerror(error.number)))",
        path: program, advice: error.advice)
    }
    identifier = started.process
    output = started.output
    state = Locked(State(input: started.input))
  }

  deinit {
    signal(SIGKILL)
    _ = wait()
    closeInput()
    if let output { _ = close(output) }
  }

  private struct SystemError: Error {
    let number: Int32

    var advice: MessageText? {
      switch number {
      case EMFILE: "Allow more open files with 'ulimit -n'."
      case EAGAIN:
        "Allow more processes with 'ulimit -u', or more tasks in the settings of the service or container."
      default: nil
      }
    }
  }

  private static func start(
    _ words: [String], _ variables: [String: String], _ readsOutput: Bool, _ messages: Int32
  ) throws(SystemError) -> (process: Int32, input: Int32, output: Int32?) {
    let arguments = words.map { word in strdup(word) } + [nil]
    let settings = variables.map { name, value in strdup("\(name)=\(value)") } + [nil]
    defer { for pointer in arguments + settings { free(pointer) } }
    var input: [Int32] = [-1, -1]
    var output: [Int32] = [-1, -1]
    var process: Int32 = 0
    var error = csystem_pipe(&input)
    if error == 0, readsOutput { error = csystem_pipe(&output) }
    if error == 0 { error = csystem_spawn(words[0], arguments, settings, input[0], output[1], messages, &process) }
    for end in [input[0], output[1]] where end >= 0 { _ = close(end) }
    guard error == 0 else {
      for end in [input[1], output[0]] where end >= 0 { _ = close(end) }
      throw SystemError(number: error)
    }
    return (process, input[1], readsOutput ? output[0] : nil)
  }

  var input: Int32? { state.withLock { state in state.input } }

  /// Waits for bytes of its standard output, and returns none at the end.
  func readOutput() throws(ToolStreamError) -> [UInt8] {
    guard let output else { return [] }
    while true {
      if let bytes = try DescriptorCall.read(output, limit: 64 << 10) { return bytes }
    }
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
        let chunk = try readOutput()
        guard !chunk.isEmpty else { return nil }
        pending += chunk
      }
    }
  }

  func send(_ bytes: [UInt8]) throws(ToolStreamError) {
    // Only the thread that writes closes the input, so the descriptor stays valid.
    guard let input else { throw .closed }
    try FileDescriptorOutput(descriptor: input).write(bytes)
  }

  func closeInput() {
    let input = state.withLock { state in
      defer { state.input = nil }
      return state.input
    }
    if let input { _ = close(input) }
  }

  /// Sends a signal unless it was found to have ended.
  func signal(_ number: Int32) {
    state.withLock { state in
      if state.ending == nil { systemKill(identifier, number) }
    }
  }

  func wait() -> ToolCommandEnding {
    // Without reaping it, so that its identifier is not reused before the lock is held.
    if state.withLock({ state in state.ending }) == nil { _ = ending(reaps: false, waits: true) }
    return state.withLock { state in
      // An end without a known status counts as a failure.
      let known = state.ending ?? ending(reaps: true, waits: true) ?? .status(255)
      state.ending = known
      return known
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

  var ending: ToolCommandEnding? {
    state.withLock { state in
      if state.ending == nil { state.ending = ending(reaps: true, waits: false) }
      return state.ending
    }
  }

  private func ending(reaps: Bool, waits: Bool) -> ToolCommandEnding? {
    var status: Int32 = 0
    var isSignal = false
    guard csystem_await_end(identifier, reaps, waits, &status, &isSignal) == 0 else { return nil }
    return isSignal ? .killed(signal: status) : .status(status)
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
