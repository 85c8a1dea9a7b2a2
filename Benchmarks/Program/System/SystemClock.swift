import Foundation

/// The system's clocks, in nanoseconds since whenever.
enum SystemClock {
  /// The current wall-clock time.
  static var now: Double { time(CLOCK_MONOTONIC) }

  /// The processor time of all threads of this process.
  static var ofProcess: Double { time(CLOCK_PROCESS_CPUTIME_ID) }

  /// The processor time of this thread, which excludes waiting.
  static var ofThread: Double { time(CLOCK_THREAD_CPUTIME_ID) }

  /// The processor time of the child processes that have ended, and of theirs, in steps of ten milliseconds.
  static var ofChildren: Double {
    var sum = tms()
    _ = times(&sum)
    return Double(sum.tms_cutime + sum.tms_cstime) * 1e9 / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func time(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
