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
    let status = await run(Array(CommandLine.arguments.dropFirst()), environment: environment)
    environment.terminal?.endKeyInput()
    withExtendedLifetime(signals) {}
    exit(status)
  }
}
