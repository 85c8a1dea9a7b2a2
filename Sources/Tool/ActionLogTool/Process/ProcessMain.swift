import ActionLog
import CSystem
import Dispatch
import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ActionLogTool {
  /// Runs the command line of the process and exits with its status: all that a tool's `main.swift` has to call.
  ///
  /// Only this entry point touches signals: it ignores `SIGPIPE` and `SIGXFSZ`, and on `SIGINT`, `SIGTERM` and `SIGHUP` it lets a
  /// recording command close its log. If the process may not open the files or start the threads that it needs, it exits with
  /// status 3 before it reads or writes anything.
  public nonisolated(nonsending) func main() async -> Never {
    // Before the first thread starts. It shortens loading a snapshot of 22 MB by a quarter.
    csystem_reserve_heaps()
    let environment = ToolEnvironment.process()
    let words = Array(CommandLine.arguments.dropFirst())
    SignalHandling.begin(stop: environment.stop)
    // Before the first suspension: resuming from one takes a thread.
    if let shortage = StartupCheck.shortage() {
      exit(reportOnCurrentThread(shortage, of: words, environment: environment))
    }
    let status: Int32
    if let word = Self.firstArgumentNotUTF8() {
      status = await reject(
        .usage("the argument '\(word)' is not UTF-8", advice: "Paths, names and texts are UTF-8 here."),
        of: words, environment: environment)
    } else {
      status = await run(words, environment: environment)
    }
    exit(status)
  }

  /// The first argument that is not UTF-8, with its invalid bytes replaced. Swift would repair it silently, and the tool would use a
  /// file of another name.
  private static func firstArgumentNotUTF8() -> String? {
    // The array has `argc` entries and lives as long as the process; each entry is a zero-terminated string.
    let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    let bytes = words.dropFirst().compactMap { word in word }
    return bytes.first { word in String(validatingCString: word) == nil }.map { word in String(cString: word) }
  }
}

/// Checks at startup that the process can open the files and start the threads that every command needs.
///
/// Without a thread Dispatch retries forever, and without a descriptor it traps. A hang or a trap would not name the limit, so the
/// check opens the pipes and starts the threads once, and releases them.
private enum StartupCheck {
  /// Pipes of two descriptors each: Dispatch uses four descriptors, input two, and writing a log up to six.
  private static let pipeCount = 6
  /// One thread for blocking calls, one for the log writer, and two for tasks.
  private static let threadCount = 4

  static func shortage() -> ToolFailure? {
    guard canOpenPipes() else {
      return shortage(
        "noDescriptors", "the process may not open the \(2 * pipeCount) files that it needs",
        advice: "Allow more with 'ulimit -n'.")
    }
    let gate = DispatchSemaphore(value: 0)
    let passed = DispatchSemaphore(value: 0)
    let wait: @Sendable () -> Void = {
      gate.wait()
      passed.signal()
    }
    var count = 0
    while count < threadCount, SystemThread.start(wait) { count += 1 }
    for _ in 0..<count { gate.signal() }
    for _ in 0..<count { passed.wait() }
    guard count < threadCount else { return nil }
    return shortage(
      "noThreads", "the process gets \(count) of the \(threadCount) threads that it needs",
      advice: "Allow more with 'ulimit -u', or more tasks in the settings of the service or container.")
  }

  private static func canOpenPipes() -> Bool {
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { _ = close(descriptor) } }
    for _ in 0..<pipeCount {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return false }
      descriptors += ends
    }
    return true
  }

  private static func shortage(_ code: ToolFailure.Code, _ text: MessageText, advice: MessageText) -> ToolFailure {
    ToolFailure(code, .environment, text, intact: "Nothing was read or written.", advice: advice)
  }
}

/// Turns termination signals into a ``StopRequest``. Only the entry point of the process uses it.
///
/// The signal handler writes the signal's number into a pipe, and a thread reads it. A Dispatch source would trap if the process may
/// not open more files, and would never fire if it gets no thread.
private enum SignalHandling {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Ignores `SIGPIPE` and `SIGXFSZ`, whose cause is also reported by the failed write, and handles `SIGINT`, `SIGTERM` and `SIGHUP`.
  ///
  /// A command that has something to close ends by itself. Any other command, and every command on the second signal, is
  /// terminated by that signal, as shells expect, after its unfinished files are removed. If no pipe or thread is available,
  /// the default action of the signals stays in place: a log survives it.
  static func begin(stop: StopRequest) {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    let (reading, writing) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // The handler must never block, however many signals arrive.
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    guard SystemThread.start({ listen(to: reading, stop: stop) }) else {
      for end in ends { _ = close(end) }
      return
    }
    // It fails only on a second call, which changes nothing.
    _ = csystem_signals_end(signals, signals.count, writing)
  }

  /// The body of the thread, which runs until the process ends.
  private static func listen(to descriptor: Int32, stop: StopRequest) {
    while true {
      var number: UInt8 = 0
      let count = read(descriptor, &number, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return }
      if stop.isAccepted, stop.request() { continue }
      end(by: Int32(number), stop: stop)
    }
  }

  /// Writes a line to standard error; on a terminal below the one with `^C` or a progress line.
  private static func report(_ line: String) {
    let bytes = Array(((isatty(2) == 1 ? "\n" : "") + line + "\n").utf8)
    // Nothing more can be done if it fails: the process ends.
    _ = bytes.withUnsafeBytes { bytes in write(2, bytes.baseAddress, bytes.count) }
  }

  /// Terminates the process by the signal, so that its parent sees which one it was.
  private static func end(by number: Int32, stop: StopRequest) -> Never {
    // The signal would not restore the terminal.
    csystem_terminal_leave()
    if let line = stop.endingLine { report(line) }
    // A signal that every thread blocks stays pending forever.
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    for number in signals {
      signal(number, SIG_DFL)
      sigaddset(&unblocked, number)
    }
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    // A slow disk may block here; the next signal ends that.
    stop.unfinishedFiles.removeAll()
    kill(getpid(), number)
    // The signal is delivered before `kill` returns, or very soon after.
    while true { pause() }
  }
}
