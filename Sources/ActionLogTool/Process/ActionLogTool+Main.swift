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
  /// `SIGINT`, `SIGTERM` and `SIGHUP` let a command that records close its log.
  public func main() async -> Never {
    let environment: ToolEnvironment
    do {
      environment = try .process()
    } catch {
      exit(ExitStatus.environment.rawValue)
    }
    let signals = SignalHandling(stop: environment.stop)
    let words = CommandLine.arguments.dropFirst()
    let status: Int32
    if let word = Self.firstWordOfOtherEncoding() {
      status = await refuse(
        .usage("the argument '\(word)' is not UTF-8", advice: "Paths, names and texts are UTF-8 here."),
        of: Array(words), environment: environment)
    } else {
      status = await run(Array(words), environment: environment)
    }
    environment.terminal?.endKeyInput()
    withExtendedLifetime(signals) {}
    exit(status)
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
