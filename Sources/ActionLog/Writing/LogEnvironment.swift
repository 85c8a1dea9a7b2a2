internal import Dispatch
internal import Threading

/// What a writer asks the world for: injected, so that a recording can be made again byte for byte.
public struct LogEnvironment: Sendable {
  /// The clock that records without a time of their own are stamped with.
  public var now: @Sendable () -> LogTime
  /// Makes the identifier of a new log: a UUID in lower case.
  public var makeLogID: @Sendable () -> String
  /// The process that `@open` names.
  public var processID: Int
  /// The machine that `@open` names.
  public var hostName: String
  /// The program that `@open` names.
  public var program: String
  /// Calls a closure once, a duration later, on any thread that may block. The level ``Durability/interval(_:)`` lives
  /// by it.
  public var schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  /// Makes an environment from its parts.
  public init(
    now: @escaping @Sendable () -> LogTime,
    makeLogID: @escaping @Sendable () -> String,
    processID: Int,
    hostName: String,
    program: String,
    schedule: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void = LogEnvironment.threadSchedule
  ) {
    self.now = now
    self.makeLogID = makeLogID
    self.processID = processID
    self.hostName = hostName
    self.program = program
    self.schedule = schedule
  }

  /// The machine's clock, random identifiers, and the process as it is.
  public static let live = LogEnvironment(
    now: { LogTime.now() },
    makeLogID: { randomLogID() },
    processID: SystemHost.processID,
    hostName: SystemHost.name,
    program: SystemHost.program
  )

  /// Calls the closure on a thread of its own, which sleeps until it is time; at once where the system gives no thread.
  ///
  /// A timer of Dispatch needs file descriptors, and ends a process that has none left.
  public static let threadSchedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void = { delay, body in
    let (seconds, attoseconds) = delay.components
    let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    // A year is as good as never, and within the range of the dispatch clock.
    let limited = Int(min(max(nanoseconds, 0), 365 * 86_400 * 1e9))
    let time = DispatchTime.now() + .nanoseconds(limited)
    let sleepsElsewhere = SystemThread.start {
      // Nobody signals it: it waits as long as it is told to.
      _ = DispatchSemaphore(value: 0).wait(timeout: time)
      body()
    }
    if !sleepsElsewhere { body() }
  }

  /// A random UUID (version 4, RFC 9562) in lower case.
  static func randomLogID() -> String {
    var generator = SystemRandomNumberGenerator()
    let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits = [high, low].map { half in
      let text = String(half, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
    var id = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { id.append("-") }
      id.append(digit)
    }
    return id
  }
}
