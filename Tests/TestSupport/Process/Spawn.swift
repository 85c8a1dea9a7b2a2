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

/// `posix_spawn`, with signals as a shell leaves them.
///
/// Foundation's `Process` would do for most tests, but hands on the signal mask of the thread that it is called on and
/// the ignored signals of the test runner, either of which makes a test of signals prove nothing.
package enum Spawn {
  /// Held while a pipe is made and while a process starts, so that no process inherits another one's pipes.
  package static let lock = Locked(())

  /// What a new process gets as its first three descriptors; `nil` for none at all.
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

  /// Starts a program, which gets no other descriptors on Linux, whatever the test runner has inherited or opened.
  ///
  /// - Parameter words: The program, looked up in `PATH` when it has no `/`, and its arguments.
  /// - Returns: The process.
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

  /// What this process has open beside its standard descriptors, on Linux. One that is closed until the program starts is no error.
  private static var inheritable: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { name in Int32(name) }.filter { descriptor in descriptor > STDERR_FILENO }
  }

  /// Starts a program at a terminal, in a session of its own whose controlling terminal it is.
  ///
  /// - Parameters:
  ///   - words: The program, looked up in `PATH` when it has no `/`, and its arguments.
  ///   - terminal: The path of the terminal's device.
  ///   - variables: Environment variables that it gets in addition.
  /// - Returns: The process.
  package static func start(_ words: [String], terminal: String, variables: [String: String]) throws -> pid_t {
    try start(words, variables: variables, flags: newSession) { actions in
      // The first terminal that the leader of a session opens becomes the controlling one.
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
    }
  }

  /// POSIX_SPAWN_SETSID, which Swift's view of the C library leaves out on Linux.
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

  /// A write to a process that has died is an error number and not the death of the test runner.
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

  /// Keeps back what the test runner was started with, such as the files of a build before it: under a limit on open files they would
  /// count.
  private static func keepDescriptors() {
    for descriptor in Int32(3)..<256 where fcntl(descriptor, F_GETFD) == 0 {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  /// The test runner's variables without those that change what the tool prints.
  private static let environment = ProcessInfo.processInfo.environment.filter { name, _ in
    !["COLUMNS", "LINES", "NO_COLOR", "TERM"].contains(name)
  }
}

/// A program that a test has started, to be ended and waited for.
package final class ChildProcess: Sendable {
  /// How a process ended.
  package enum Ending: Equatable, Sendable {
    case status(Int32)
    case signal(Int32)
  }

  package let processID: pid_t
  /// How it ended, once it was waited for: its number may then belong to another process.
  private let ending = Locked<Ending?>(nil)

  /// - Parameter processID: A process that nobody has waited for.
  package init(_ processID: pid_t) {
    self.processID = processID
  }

  deinit {
    kill(SIGKILL)
    _ = reap()
  }

  /// Sends a signal, if the process was not waited for yet.
  package func kill(_ number: Int32) {
    ending.withLock { ending in
      if ending == nil { _ = Foundation.kill(processID, number) }
    }
  }

  /// Stops the process, and waits until each of its threads stands still.
  ///
  /// `SIGSTOP` is delivered to one thread; on a busy machine the others go on until that thread has run.
  package func stop() async throws {
    kill(SIGSTOP)
    try await OffPool.run { [self] in
      var information = siginfo_t()
      while waitid(P_PID, id_t(processID), &information, WSTOPPED | WEXITED | WNOWAIT) != 0 {
        guard errno == EINTR else { throw SystemFailure("waitid") }
      }
    }
  }

  /// Waits until the process has ended.
  package func wait() async throws -> Ending {
    await OffPool.run { [self] in
      // Waits without taking the process away, so that its number cannot be given to another one before the lock is held.
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
      // WIFEXITED and its like are macros that Swift does not see.
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
