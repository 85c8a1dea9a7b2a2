import CSystem
import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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
