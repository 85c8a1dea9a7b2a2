import ActionLog
import Platform

extension LogEnvironment {
  /// The moment at which the logs of tests begin.
  static let testStart = LogTime(microseconds: 1_795_251_600_000_000)

  /// A clock that goes on by a millisecond each time it is asked, and fixed names, so that every run makes the same bytes.
  ///
  /// - Parameter schedule: What happens to closures that are to be called later: by default nothing.
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
