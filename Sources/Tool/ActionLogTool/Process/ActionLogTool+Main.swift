import CSystem

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
