import ActionLog
import EventSourcing
import Platform

/// A clock that moves when the story says so. With a fixed identity of the log it makes the same recording every time.
final class StoryClock: Sendable {
  /// The morning on which every story begins: 2026-11-21 09:00:00 UTC.
  private static let beginning = LogTime(microseconds: 1_795_251_600_000_000)
  private let time = Locked(StoryClock.beginning)
  /// The identity of the demo's log: always the same for one model.
  private let logID: String

  init(model: String) {
    logID = Self.logID(of: model)
  }

  /// A UUID that is made of a name (version 8 of RFC 9562, with SHA-256).
  private static func logID(of name: String) -> String {
    var digits = Array(SHA256.hexadecimal(name.utf8).prefix(32))
    digits[12] = "8"
    digits[16] = "a"
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return groups.map { group in String(digits[group]) }.joined(separator: "-")
  }

  /// The time in the story.
  var now: LogTime { time.withLock { time in time } }

  /// Lets time pass.
  func advance(by pause: Duration) {
    time.withLock { time in time = time.advanced(by: pause) }
  }

  /// The environment of a writer that lives in the story.
  var environment: LogEnvironment {
    LogEnvironment(
      now: { self.now },
      makeLogID: { self.logID },
      processID: 4_711,
      hostName: "demo",
      program: "action-log demo")
  }
}
