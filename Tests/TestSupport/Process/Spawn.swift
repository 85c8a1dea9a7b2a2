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
