internal import Platform

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
  /// Calls closures later. The level ``Durability/interval(_:)`` lives by it.
  public var schedule: Schedule

  /// Calls a closure once, a duration later or, where it cannot wait, at once, on any thread that may block.
  ///
  /// - Returns: Takes it back; the closure is then let go of. When it has been called already, this does nothing.
  public typealias Schedule =
    @Sendable (_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void

  /// Makes an environment from its parts.
  public init(
    now: @escaping @Sendable () -> LogTime,
    makeLogID: @escaping @Sendable () -> String,
    processID: Int,
    hostName: String,
    program: String,
    schedule: @escaping Schedule = LogEnvironment.timerSchedule
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

  /// Leaves the waiting to one thread for the whole process, which there is only while something waits.
  ///
  /// A closure that is due gets a thread for as long as it takes, so that none waits for another one's disk. Where the system gives
  /// no thread to wait, it is called at once, before this returns.
  ///
  /// - Complexity: O(n) for the n closures of the process that wait; where there is no thread, that of the closure.
  public static let timerSchedule: Schedule = { delay, body in TimerThread.shared.schedule(after: delay, body) }

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
