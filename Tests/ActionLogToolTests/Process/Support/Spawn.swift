import Foundation
import Locking

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
enum Spawn {
  /// Held while a pipe is made and while a process starts, so that no process inherits another one's pipes.
  static let lock = Locked(())

  /// What a new process gets as its first three descriptors; `nil` for none at all.
  struct Streams {
    var input: Int32?
    var output: Int32?
    var messages: Int32?
  }

  /// Starts a program.
  ///
  /// - Parameter words: The program, looked up in `PATH` when it has no `/`, and its arguments.
  /// - Returns: The process.
  static func start(_ words: [String], streams: Streams) throws -> pid_t {
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
    for (number, source) in [(STDIN_FILENO, streams.input), (1, streams.output), (2, streams.messages)] {
      if let source {
        posix_spawn_file_actions_adddup2(&actions, source, number)
      } else {
        posix_spawn_file_actions_addclose(&actions, number)
      }
    }
    setSignals(&attributes)
    return try launch(words, &actions, &attributes)
  }

  /// A write to a process that has died is an error number and not the death of the test runner.
  private static let ignoreBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

  private static func setSignals(_ attributes: inout Attributes) {
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
  }

  private static func launch(
    _ words: [String], _ actions: inout FileActions, _ attributes: inout Attributes
  ) throws -> pid_t {
    var arguments = words.map { word in strdup(word) } + [nil]
    var variables = environment.map { name, value in strdup("\(name)=\(value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var process: pid_t = 0
    let result = lock.withLock { _ in
      posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &variables)
    }
    guard result == 0 else { throw SystemFailure("posix_spawn \(words[0])", result) }
    return process
  }

  /// The test runner's variables without those that change what the tool prints.
  private static let environment = ProcessInfo.processInfo.environment.filter { name, _ in
    !["COLUMNS", "LINES", "NO_COLOR", "TERM"].contains(name)
  }
}
