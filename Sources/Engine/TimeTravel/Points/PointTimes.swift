package import ActionLog
import Platform

extension ZonedTime {
  /// Parses a time or a day.
  ///
  /// Logs show times as `2026-11-21 09:00:05.250`, in UTC without a zone, and this form is accepted. A time with a `T` must
  /// name its zone. A day is its first moment, see ``day(_:)``.
  ///
  /// - Returns: `nil` if the text does not begin like a date.
  static func point(_ text: String) throws(TimeTravelError) -> LogTime? {
    if let start = try day(text) { return start }
    let isShown =
      text.utf8.dropFirst(10).first == UInt8(ascii: " ")
      && !text.utf8.dropFirst(19).contains { byte in
        byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte | 0x20 == UInt8(ascii: "z")
      }
    do throws(Fault) { return try parse(isShown ? text + "Z" : text) } catch {
      throw error.explained(text)
    }
  }

  /// Parses a day, `2026-11-21`.
  ///
  /// - Returns: Its first moment in UTC; `nil` if the text does not have the form of a day.
  static func day(_ text: String) throws(TimeTravelError) -> LogTime? {
    guard text.utf8.count == 10, text.utf8.allSatisfy(isOfDay), text.utf8.filter({ byte in byte == hyphen }).count == 2
    else { return nil }
    do throws(Fault) { return try parse(text + "T00:00:00Z") } catch {
      throw error.explained(text)
    }
  }

  /// The first moment of the day of a time in UTC, or of an earlier day.
  static func startOfDay(_ time: LogTime, daysBefore count: Int64 = 0) -> LogTime {
    let day: Int64 = 86_400_000_000
    // Rounded down, also before 1970. No time of a log is near an overflow.
    let days = (time.microseconds >= 0 ? time.microseconds : time.microseconds - (day - 1)) / day
    return LogTime(microseconds: (days - count) * day)
  }

  /// The last moment of a day.
  package static func lastMoment(ofDayFrom start: LogTime) -> LogTime {
    // In one step, because the next day may be beyond the last valid time.
    start.advanced(by: .seconds(86_400) - .microseconds(1))
  }

  private static let hyphen = UInt8(ascii: "-")

  private static func isOfDay(_ byte: UInt8) -> Bool { byte == hyphen || (0x30...0x39).contains(byte) }
}

extension ZonedTime.Fault {
  fileprivate func explained(_ text: String) -> TimeTravelError {
    let shown = EscapedText.escaping(text)
    switch self {
    case .noZone:
      return TimeTravelError(
        .invalidPoint, "\(shown) has no time zone: write \(shown)Z for UTC, or an offset")
    case .malformed:
      return TimeTravelError(
        .invalidPoint,
        "\(shown) is not a time: write it as 2026-11-21T09:00:05Z or 2026-11-21T10:00:05.25+01:00, or a day as 2026-11-21"
      )
    case .notOnCalendar:
      return TimeTravelError(.invalidPoint, "\(shown) is not on the calendar")
    }
  }
}

/// Parses `5m ago`: one or more numbers with units, then `ago`.
enum PastDuration {
  /// Ten thousand years: longer than the range of years in a log, and far from overflow.
  private static let limitSeconds = 10_000 * 366 * 86_400

  /// - Returns: `nil` if the text does not end in `ago`.
  static func parse(_ text: String) throws(TimeTravelError) -> Duration? {
    guard text == "ago" || text.hasSuffix(" ago") else { return nil }
    let amount = text.dropLast("ago".count).filter { character in character != " " }
    guard !amount.isEmpty else {
      throw TimeTravelError(.invalidPoint, "how long ago is missing: write for instance 5m ago")
    }
    var seconds = 0
    var rest = Substring(amount)
    while !rest.isEmpty {
      let digits = rest.prefix { character in ("0"..."9").contains(character) }
      let unit = rest.dropFirst(digits.count).prefix { character in !("0"..."9").contains(character) }
      seconds += try length(digits, unit)
      guard seconds <= limitSeconds else { throw tooLong(text) }
      rest = rest[unit.endIndex...]
    }
    return .seconds(seconds)
  }

  private static func length(_ digits: Substring, _ unit: Substring) throws(TimeTravelError) -> Int {
    guard !digits.isEmpty else {
      throw TimeTravelError(
        .invalidPoint,
        "a whole number is missing before \(EscapedText.quoting(String(unit))): write for instance 5m ago")
    }
    let unitSeconds: Int
    switch unit {
    case "s", "sec", "second", "seconds": unitSeconds = 1
    case "m", "min", "minute", "minutes": unitSeconds = 60
    case "h", "hour", "hours": unitSeconds = 3_600
    case "d", "day", "days": unitSeconds = 86_400
    case "w", "week", "weeks": unitSeconds = 604_800
    default:
      let problem =
        unit.isEmpty ? "the unit after \(digits) is missing" : "\(EscapedText.quoting(String(unit))) is not a unit"
      throw TimeTravelError(.invalidPoint, "\(problem): write s, m, h, d or w")
    }
    guard let number = Int(digits), number <= limitSeconds / unitSeconds else { throw tooLong(String(digits + unit)) }
    return number * unitSeconds
  }

  private static func tooLong(_ text: String) -> TimeTravelError {
    TimeTravelError(.invalidPoint, "\(text) is longer than any history")
  }
}
