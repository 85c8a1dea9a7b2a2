import ActionLog
import Locking

/// A clock that moves when the story says so. With a fixed identity of the log it makes the same recording every time.
final class StoryClock: Sendable {
  /// The morning on which every story begins: 2026-11-21 09:00:00 UTC.
  private static let beginning = LogTime(microseconds: 1_795_251_600_000_000)
  /// The identity of every demo's log.
  private static let logID = "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"

  private let time = Locked(StoryClock.beginning)

  /// Lets time pass.
  func advance(by pause: Duration) {
    time.withLock { time in time = time.advanced(by: pause) }
  }

  /// The environment of a writer that lives in the story.
  var environment: LogEnvironment {
    LogEnvironment(
      now: { self.time.withLock { time in time } },
      makeLogID: { Self.logID },
      processID: 4_711,
      hostName: "demo",
      program: "action-log demo")
  }
}
