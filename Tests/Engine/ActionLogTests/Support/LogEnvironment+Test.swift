import ActionLog
import Platform

extension LogEnvironment {
  /// The time at which the logs of tests begin.
  static let testStart = LogTime(microseconds: 1_795_251_600_000_000)

  /// An environment with fixed names and a clock that advances by a millisecond at each request, so that every run
  /// writes the same bytes.
  ///
  /// - Parameters:
  ///   - schedule: Receives closures to be called later; ignores them by default.
  ///   - threads: The threads of the writers. By default each environment has its own, so that a test that blocks them
  ///     delays no other test.
  static func test(
    schedule: @escaping Schedule = { _, _ in {} }, threads: ThreadPool = ThreadPool(threadLimit: 7)
  ) -> LogEnvironment {
    let ticks = Locked(0)
    return LogEnvironment(
      now: {
        let tick = ticks.withLock { ticks in
          ticks += 1
          return ticks - 1
        }
        return testStart.advanced(by: .milliseconds(tick))
      },
      makeLogID: { "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11" },
      processID: 4711,
      hostName: "mac",
      program: "action-log",
      schedule: schedule,
      // Idle writers keep what they have, so that the calls of a test do not depend on its speed.
      resources: LogResources(threads: threads, schedule: { _, _ in {} })
    )
  }
}
