import Foundation
import Platform

#if canImport(Darwin)
private typealias FileActions = posix_spawn_file_actions_t?
private typealias Attributes = posix_spawnattr_t?
#else
private typealias FileActions = posix_spawn_file_actions_t
private typealias Attributes = posix_spawnattr_t
#endif

/// A second process of the current program, with pipes to its standard input and from its standard output. It shares standard
/// error with this process.
///
/// Foundation's `Process` is not suitable for a process that is killed from another thread while one thread reads from it: waiting
/// for its end needs a run loop.
final class ProcessChild: ToolChild {
  private struct Contents: Sendable {
    /// The writing end of its standard input, until it is closed.
    var input: Int32?
    /// The exit status or signal, once the process was reaped. Its process id can then belong to another process.
    var ending: Ending?
  }

  private enum Ending {
    case status(Int32)
    case signal(Int32)
  }

  /// Serializes the creation of pipes and processes, so that no process inherits the pipes of another.
  private static let lock = Locked(())

  private let processID: pid_t
  private let outputEnd: Int32
  private let contents: Locked<Contents>
  /// The bytes read after the last complete line.
  private let pending = Locked<[UInt8]>([])

  /// Starts the process.
  ///
  /// - Throws: ``ToolFailure`` if the process may not open more files or start more processes.
  init(_ arguments: [String]) throws {
    let program = try ProgramRerun.executable().path
    let started: (process: pid_t, input: Int32, output: Int32)
    do throws(SpawnError) {
      started = try Self.lock.withLock { _ throws(SpawnError) in try Self.start([program] + arguments) }
    } catch {
      throw ToolFailure(
        "noProgram", .environment, "a second process cannot be started: \(error.message)", path: program,
        advice: error.number == EMFILE ? "Allow more open files with 'ulimit -n'." : nil)
    }
    processID = started.process
    outputEnd = started.output
    contents = Locked(Contents(input: started.input))
  }

  deinit {
    _ = kill()
    closeInput()
    _ = close(outputEnd)
  }

  func send(_ bytes: [UInt8]) throws(ToolStreamError) {
    // Only the sender closes the input, so the descriptor stays valid.
    guard let input = contents.withLock({ contents in contents.input }) else { throw .closed }
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
        let chunk = try systemRead()
        guard !chunk.isEmpty else { return nil }
        pending += chunk
      }
    }
  }

  func end() -> Int32 {
    closeInput()
    return switch wait() {
    case .status(let status): status
    case .signal(let number): 128 + number
    }
  }

  func kill() -> Int32? {
    contents.withLock { contents in
      if contents.ending == nil { _ = sendSignal(processID, SIGKILL) }
    }
    guard case .signal(let number) = wait() else { return nil }
    return number
  }

  private func closeInput() {
    let input = contents.withLock { contents in
      defer { contents.input = nil }
      return contents.input
    }
    if let input { _ = close(input) }
  }

  /// Waits for the end of the process.
  private func wait() -> Ending {
    // Without reaping it, so that its id is not reused before the lock is held.
    if contents.withLock({ contents in contents.ending }) == nil {
      var information = siginfo_t()
      while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }
    return contents.withLock { contents in
      if let ending = contents.ending { return ending }
      var status: Int32 = 0
      while waitpid(processID, &status, 0) < 0, errno == EINTR {}
      // WIFEXITED and similar macros are not imported by Swift.
      let signal = status & 0x7F
      let ending = signal == 0 ? Ending.status((status >> 8) & 0xFF) : .signal(signal)
      contents.ending = ending
      return ending
    }
  }

  /// Waits for bytes; none at the end of the output.
  private func systemRead() throws(ToolStreamError) -> [UInt8] {
    while true {
      var failure: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
        let result = read(outputEnd, buffer.baseAddress, buffer.count)
        count = max(0, result)
        failure = result < 0 ? errno : 0
      }
      guard failure == EINTR else {
        guard failure == 0 else { throw .failed(errorNumber: failure) }
        return bytes
      }
    }
  }
}

/// The system's `kill`, which is shadowed by ``ProcessChild/kill()`` inside the type.
private func sendSignal(_ process: pid_t, _ number: Int32) -> Int32 { kill(process, number) }

/// A system call that failed while a process was started.
private struct SpawnError: Error {
  let number: Int32
  var message: String { String(cString: strerror(number)) }
}

extension ProcessChild {
  /// Starts a program with default signal handling and without other descriptors than the standard ones.
  private static func start(
    _ words: [String]
  ) throws(SpawnError) -> (process: pid_t, input: Int32, output: Int32) {
    let input = try pipeEnds()
    let output: (reading: Int32, writing: Int32)
    do { output = try pipeEnds() } catch {
      closeAll([input.reading, input.writing])
      throw error
    }
    defer { closeAll([input.reading, output.writing]) }
    do {
      let process = try spawn(words, input: input.reading, output: output.writing)
      return (process, input.writing, output.reading)
    } catch {
      closeAll([input.writing, output.reading])
      throw error
    }
  }

  private static func pipeEnds() throws(SpawnError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SpawnError(number: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func closeAll(_ descriptors: [Int32]) {
    for descriptor in descriptors { _ = close(descriptor) }
  }

  private static func spawn(_ words: [String], input: Int32, output: Int32) throws(SpawnError) -> pid_t {
    #if canImport(Darwin)
    var actions: FileActions = nil
    var attributes: Attributes = nil
    #else
    var actions = FileActions()
    var attributes = Attributes()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    // The thread that starts the process may block signals, and this program ignores some.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    var arguments = words.map { word in strdup(word) } + [nil]
    var variables = ProcessInfo.processInfo.environment.map { name, value in strdup("\(name)=\(value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var process: pid_t = 0
    let result = posix_spawn(&process, words[0], &actions, &attributes, &arguments, &variables)
    guard result == 0 else { throw SpawnError(number: result) }
    return process
  }
}
