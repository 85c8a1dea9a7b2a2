import Foundation

/// The system's clocks, in nanoseconds since whenever.
enum SystemClock {
  /// What time it is, whoever works.
  static var now: Double { time(CLOCK_MONOTONIC) }

  /// What all threads of this process have worked.
  static var ofProcess: Double { time(CLOCK_PROCESS_CPUTIME_ID) }

  /// What this thread has worked: a thread that had to wait, for a lock or for a processor, has not.
  static var ofThread: Double { time(CLOCK_THREAD_CPUTIME_ID) }

  private static func time(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
