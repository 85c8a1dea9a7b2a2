#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why an application in the terminal has ended.
public enum TerminalEnding: Hashable, Sendable {
  /// The screen said so.
  case finished
  /// The terminal went away, or the input ended.
  case inputEnded
  /// Somebody called ``TerminalApplication/stop()``.
  case stopped
  /// A signal asked the process to end.
  case signal(Int32)

  /// Ends the process as it is expected: dies of the signal if it was one, so that the caller sees which, else exits.
  ///
  /// To be called when everything is closed. Programs only: a library does not end a process.
  ///
  /// - Parameter status: The exit status where no signal ended it.
  public func exitProcess(status: Int32 = 0) -> Never {
    if case .signal(let number) = self { die(of: number) }
    exit(status)
  }
}

/// Dies of a signal. Outside the type, where `signal` is the system's function.
private func die(of number: Int32) -> Never {
  signal(number, SIG_DFL)
  // The threads of Dispatch keep all signals away, and where every thread does so a signal waits for ever.
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, number)
  pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  kill(getpid(), number)
  // The signal is delivered to this process before `kill` returns, or very soon after.
  while true { pause() }
}
