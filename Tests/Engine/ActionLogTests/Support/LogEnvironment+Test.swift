import ActionLog
import Platform

extension LogEnvironment {
  /// The time at which the logs of tests begin.
  static let testStart = LogTime(microseconds: 1_795_251_600_000_000)

  /// An environment with fixed names and a clock that advances by a millisecond at each request, so that every run
  /// writes the same bytes.
  ///
  /// - Parameter schedule: Receives closures to be called later; ignores them by default.
  static func test(
    schedule: @escaping Schedule = { _, _ in {} }
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
      schedule: schedule
    )
  }
}
