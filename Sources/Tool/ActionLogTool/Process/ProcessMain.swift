import CSystem
import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ActionLogTool {
  /// Runs the process's own command line and ends the process with its status: the whole of a tool's `main.swift`.
  ///
  /// It is the entry of a program, so it alone touches signals: `SIGPIPE` and `SIGXFSZ` are ignored, and
  /// `SIGINT`, `SIGTERM` and `SIGHUP` let a command that records close its log. Where the process may have too little to run (on
  /// Linux 17 files, six threads, 1 MiB of stack and 64 MiB of memory), it says so and ends. Under a limit on memory or on time on the
  /// processors, it takes the signals that end a process for want of them, to say so: status 3.
  public nonisolated(nonsending) func main() async -> Never {
    ProcessNeeds.saveMemory()
    let environment = ToolEnvironment.process()
    let words = Array(CommandLine.arguments.dropFirst())
    SignalHandling.begin(stop: environment.stop)
    // Still on the thread that the process began with: to leave it takes another one.
    if let shortage = ProcessNeeds.shortage() { exit(refuseAtOnce(shortage, of: words, environment: environment)) }
    if let lastWords = ProcessNeeds.lastWordsOnMemory {
      let message = printed(lastWords, words, environment)
      csystem_memory_guard(STDERR_FILENO, message, message.count, lastWords.status.rawValue)
    }
    if let lastWords = ProcessNeeds.lastWordsOnTime {
      let message = printed(lastWords, words, environment)
      csystem_processor_guard(STDERR_FILENO, message, message.count, lastWords.status.rawValue)
    }
    let status: Int32
    if let word = Self.firstWordOfOtherEncoding() {
      status = await refuse(
        .usage("the argument '\(word)' is not UTF-8", advice: "Paths, names and texts are UTF-8 here."),
        of: words, environment: environment)
    } else {
      status = await run(words, environment: environment)
    }
    environment.terminal?.endKeyInput()
    exit(status)
  }

  /// What would be printed of a failure, for a time when nothing can be printed any more.
  private func printed(_ failure: ToolFailure, _ arguments: [String], _ environment: ToolEnvironment) -> [UInt8] {
    let text = GatheredOutput()
    var environment = environment
    environment.standardError = text
    _ = refuseAtOnce(failure, of: arguments, environment: environment)
    return text.bytes
  }

  /// The first argument that is not UTF-8, as far as it can be shown. Swift would take it for another one, and make or miss a file
  /// of another name.
  private static func firstWordOfOtherEncoding() -> String? {
    // The vector of arguments has as many entries as it says and lives as long as the process; each is a text that ends in zero.
    let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    let bytes = words.dropFirst().compactMap { word in word }
    return bytes.first { word in String(validatingCString: word) == nil }.map { word in String(cString: word) }
  }
}

/// Turns the signals that ask a process to end into a ``StopRequest``. Used by the process's entry only.
///
/// Their handler writes into a pipe, from which a thread reads. A source of Dispatch would do as much, but traps where the process
/// may open no more files, and never ends where it gets no thread.
enum SignalHandling {
  /// The signals that ask a process to end.
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Ignores `SIGPIPE` and `SIGXFSZ`, which the failed write tells of as well, and listens to `SIGINT`, `SIGTERM` and `SIGHUP`.
  ///
  /// A command that has something to close ends by itself; any other, and at the second signal every command, ends at
  /// once with the status that shells expect, without the files that it has not finished. Where there is no pipe or no thread to
  /// be had every command just dies: a log needs no farewell.
  static func begin(stop: StopRequest) {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    let (reading, writing) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A handler must never wait, however many signals come.
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    guard SystemThread.start({ listen(to: reading, stop: stop) }) else {
      for end in ends { _ = close(end) }
      return
    }
    // An error is that of a second call, which changes nothing: the first one listens.
    _ = csystem_signals_end(signals, signals.count, writing)
  }

  /// The thread. It ends with the process.
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

  /// Dies of the signal, so that the caller sees which one it was.
  private static func end(by number: Int32, stop: StopRequest) -> Never {
    // A screen may hold the terminal, which the signal would leave as it is.
    csystem_terminal_leave()
    // Where every thread keeps a signal away it waits for ever.
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    for number in signals {
      signal(number, SIG_DFL)
      sigaddset(&unblocked, number)
    }
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    // A disk may keep us waiting here: the next signal ends that.
    stop.unfinishedFiles.removeAll()
    kill(getpid(), number)
    // The signal is delivered to this process before `kill` returns, or very soon after.
    while true { pause() }
  }
}
