import CSystem
import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Turns the signals that ask a process to end into a ``StopRequest``. Used by the process's entry only.
struct SignalHandling {
  private let sources: [any DispatchSourceSignal]

  /// Ignores `SIGPIPE` and `SIGXFSZ`, which the failed write tells of as well, and listens to `SIGINT`, `SIGTERM` and `SIGHUP`.
  ///
  /// A command that has something to close ends by itself; any other, and at the second signal every command, ends at
  /// once with the status that shells expect.
  init(stop: StopRequest) {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    let queue = DispatchQueue(label: "action-log.signals")
    sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
      guard !Self.isIgnored(number) else { return nil }
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if stop.isAccepted, stop.request() { return }
        Self.end(by: number)
      }
      source.resume()
      return source
    }
  }

  /// Whether whoever started the process wants it to live through the signal, as `nohup` does.
  private static func isIgnored(_ number: Int32) -> Bool {
    let previous = signal(number, SIG_DFL)
    let isIgnored = unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    if isIgnored { signal(number, SIG_IGN) }
    return isIgnored
  }

  /// Dies of the signal, so that the caller sees which one it was.
  private static func end(by number: Int32) -> Never {
    // A screen may hold the terminal, which the signal would leave as it is.
    csystem_terminal_leave()
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
}
