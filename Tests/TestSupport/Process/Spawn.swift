import ActionLog
package import Foundation
package import Platform

#if canImport(Darwin)
private typealias FileActions = posix_spawn_file_actions_t?
private typealias Attributes = posix_spawnattr_t?
#else
private typealias FileActions = posix_spawn_file_actions_t
private typealias Attributes = posix_spawnattr_t
#endif

/// `posix_spawn` with default signal handling, like in a shell.
///
/// Foundation's `Process` passes on the calling thread's signal mask and the test runner's ignored signals, which would
/// invalidate tests of signals.
package enum Spawn {
  /// A lock for creating pipes and starting processes, so that no process inherits the pipes of another.
  package static let lock = Locked(())

  /// The first three descriptors of a new process; `nil` for a closed one.
  package struct Streams {
    var input: Int32?
    var output: Int32?
    var messages: Int32?

    package init(input: Int32?, output: Int32?, messages: Int32?) {
      self.input = input
      self.output = output
      self.messages = messages
    }
  }

  /// Starts a program. On Linux, it gets no other descriptors, whatever the test runner has inherited or opened.
  ///
  /// - Parameter words: The program, searched in `PATH` if it contains no `/`, and its arguments.
  /// - Returns: The process id.
  package static func start(_ words: [String], streams: Streams) throws -> pid_t {
    try start(words, variables: [:], flags: 0) { actions in
      for (number, source) in [(STDIN_FILENO, streams.input), (1, streams.output), (2, streams.messages)] {
        if let source {
          posix_spawn_file_actions_adddup2(&actions, source, number)
        } else {
          posix_spawn_file_actions_addclose(&actions, number)
        }
      }
      for descriptor in inheritable { posix_spawn_file_actions_addclose(&actions, descriptor) }
    }
  }

  /// The open descriptors of this process other than the standard ones, on Linux. A descriptor that is closed before
  /// the program starts causes no error.
  private static var inheritable: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { name in Int32(name) }.filter { descriptor in descriptor > STDERR_FILENO }
  }

  /// Starts a program in a new session whose controlling terminal is given.
  ///
  /// - Parameters:
  ///   - words: The program, searched in `PATH` if it contains no `/`, and its arguments.
  ///   - terminal: The path of the terminal's device.
  ///   - variables: Additional environment variables.
  /// - Returns: The process id.
  package static func start(_ words: [String], terminal: String, variables: [String: String]) throws -> pid_t {
    try start(words, variables: variables, flags: newSession) { actions in
      // The first terminal that a session leader opens becomes its controlling terminal.
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
    }
  }

  /// POSIX_SPAWN_SETSID, which Swift does not import on Linux.
  #if canImport(Darwin)
  private static let newSession = Int16(POSIX_SPAWN_SETSID)
  #else
  private static let newSession: Int16 = 0x80
  #endif

  private static func start(
    _ words: [String], variables: [String: String], flags: Int16, prepare: (inout FileActions) -> Void
  ) throws -> pid_t {
    ignoreBrokenPipes
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
    prepare(&actions)
    setSignals(&attributes, flags: flags)
    return try launch(words, environment.merging(variables) { _, new in new }, &actions, &attributes)
  }

  /// A write to an ended process must be an error instead of ending the test runner.
  private static let ignoreBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

  private static func setSignals(_ attributes: inout Attributes, flags: Int16) {
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH] {
      sigaddset(&signals, number)
    }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, flags | Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
  }

  private static func launch(
    _ words: [String], _ variables: [String: String], _ actions: inout FileActions, _ attributes: inout Attributes
  ) throws -> pid_t {
    var arguments = words.map { word in strdup(word) } + [nil]
    var variables = variables.map { name, value in strdup("\(name)=\(value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var process: pid_t = 0
    let result = lock.withLock { _ in
      keepDescriptors()
      return posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &variables)
    }
    guard result == 0 else { throw SystemFailure("posix_spawn \(words[0])", result) }
    return process
  }

  /// Prevents children from inheriting descriptors that the test runner has inherited, such as files of a build: they
  /// would count under a limit on open files.
  private static func keepDescriptors() {
    for descriptor in Int32(3)..<256 where fcntl(descriptor, F_GETFD) == 0 {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  /// The test runner's environment without variables that change the tool's output.
  private static let environment = ProcessInfo.processInfo.environment.filter { name, _ in
    !["COLUMNS", "LINES", "NO_COLOR", "TERM"].contains(name)
  }
}

/// A process started by a test, which ends it and waits for it.
package final class ChildProcess: Sendable {
  /// The end of a process.
  package enum Ending: Equatable, Sendable {
    case status(Int32)
    case signal(Int32)
  }

  package let processID: pid_t
  /// The end, after a wait. The process id can then belong to another process.
  private let ending = Locked<Ending?>(nil)

  /// - Parameter processID: A process that was not waited for.
  package init(_ processID: pid_t) {
    self.processID = processID
  }

  deinit {
    kill(SIGKILL)
    _ = reap()
  }

  /// Sends a signal, if the process was not yet waited for.
  package func kill(_ number: Int32) {
    ending.withLock { ending in
      if ending == nil { _ = Foundation.kill(processID, number) }
    }
  }

  /// Stops the process, and waits until all of its threads are stopped.
  ///
  /// `SIGSTOP` is delivered to one thread; on a busy machine, the others continue until that thread has run.
  package func stop() async throws {
    kill(SIGSTOP)
    try await BlockingWork.run { [self] in
      var information = siginfo_t()
      while waitid(P_PID, id_t(processID), &information, WSTOPPED | WEXITED | WNOWAIT) != 0 {
        guard errno == EINTR else { throw SystemFailure("waitid") }
      }
    }
  }

  /// Waits until the process has ended.
  package func wait() async throws -> Ending {
    await BlockingWork.run { [self] in
      // Wait without reaping the process, so that its id is not reused before the lock is held.
      var information = siginfo_t()
      while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0 {
        guard errno == EINTR else { break }
      }
      return reap()
    }
  }

  private func reap() -> Ending {
    ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      while waitpid(processID, &status, 0) < 0, errno == EINTR {}
      // WIFEXITED and similar macros are not imported by Swift.
      let signal = status & 0x7F
      let result = signal == 0 ? Ending.status((status >> 8) & 0xFF) : .signal(signal)
      ending = result
      return result
    }
  }
}

/// A system call that failed in a test.
package struct SystemFailure: Error, CustomStringConvertible {
  package let call: String
  package let number: Int32

  /// - Parameters:
  ///   - call: What was called.
  ///   - number: The error number; `nil` for the last one.
  package init(_ call: String, _ number: Int32? = nil) {
    self.number = number ?? errno
    self.call = call
  }

  package var description: String { "\(call): \(String(cString: strerror(number)))" }
}
