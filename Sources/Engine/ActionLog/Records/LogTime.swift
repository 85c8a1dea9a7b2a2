/// A point in time as a record carries it: UTC, in microseconds.
///
/// Times inform; the order of records is their `seq`, because clocks are set back.
public struct LogTime: Hashable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public let microseconds: Int64

  /// The first moment of the year 1.
  public static let earliest = LogTime(inRange: -62_135_596_800_000_000)

  /// The last microsecond of the year 9999: a longer year has no place in the 27 bytes.
  public static let latest = LogTime(inRange: 253_402_300_799_999_999)

  /// Makes a time from microseconds since 1970.
  ///
  /// - Parameter microseconds: Held to the years 1 to 9999, the calendar of the format.
  public init(microseconds: Int64) {
    self.microseconds = min(max(microseconds, LogTime.earliest.microseconds), LogTime.latest.microseconds)
  }

  /// Makes a time from microseconds that the years 1 to 9999 are known to hold.
  init(inRange microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// The time of the system's clock.
  public static func now() -> LogTime {
    LogTime(microseconds: SystemClock.microsecondsSince1970())
  }

  /// The time that lies a duration later, held to the range of years.
  public func advanced(by duration: Duration) -> LogTime {
    let (seconds, attoseconds) = duration.components
    let (whole, isOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, isSumOverflow) = microseconds.addingReportingOverflow(
      isOverflow ? (seconds < 0 ? .min : .max) : whole)
    if isSumOverflow { return seconds < 0 ? .earliest : .latest }
    let (total, isTotalOverflow) = sum.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return isTotalOverflow ? (seconds < 0 ? .earliest : .latest) : LogTime(microseconds: total)
  }
}

extension LogTime: Comparable {
  /// Whether one time is earlier than another.
  public static func < (first: LogTime, second: LogTime) -> Bool {
    first.microseconds < second.microseconds
  }
}
