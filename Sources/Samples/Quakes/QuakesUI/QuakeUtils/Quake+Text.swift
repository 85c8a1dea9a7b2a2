public import Foundation
public import QuakesData

// What is shown of a quake. Locale, calendar and time zone are parameters, so that a text can be made again.

extension Quake {
  /// The magnitude with one digit after the decimal point, for instance `4.5`.
  public func magnitudeString(locale: Locale = .autoupdatingCurrent) -> String {
    magnitude.formatted(.number.precision(.fractionLength(1)).locale(locale))
  }

  /// The time in full, for instance `Saturday, November 21, 2026 at 8:30:00 AM GMT`.
  public func fullDate(
    locale: Locale = .autoupdatingCurrent, calendar: Calendar = .autoupdatingCurrent,
    timeZone: TimeZone = .autoupdatingCurrent
  ) -> String {
    time.formatted(
      Date.FormatStyle(date: .complete, time: .complete, locale: locale, calendar: calendar, timeZone: timeZone))
  }

  /// The time as it is from a moment on, in English, for instance `1 hour ago` or `yesterday`.
  ///
  /// The guide uses a style of Foundation that there is not on every platform. A month is 30 days here, a year 365;
  /// what is left over is dropped.
  ///
  /// - Parameter now: The moment.
  public func relativeTime(to now: Date) -> String {
    // A date from a file can be any number; a million years are enough to say.
    let seconds = min(max(time.timeIntervalSince(now), -3.2e13), 3.2e13)
    guard abs(seconds) >= 1 else { return "now" }
    let unit = RelativeUnit.allCases.last { unit in abs(seconds) >= unit.seconds } ?? .second
    let count = Int(abs(seconds) / unit.seconds)
    if count == 1, let name = seconds < 0 ? unit.last : unit.next { return name }
    let amount = count == 1 ? "1 \(unit)" : "\(count) \(unit)s"
    return seconds < 0 ? "\(amount) ago" : "in \(amount)"
  }
}

/// The units of relative times, shortest first.
private enum RelativeUnit: CaseIterable {
  case second, minute, hour, day, week, month, year

  var seconds: Double {
    switch self {
    case .second: 1
    case .minute: 60
    case .hour: 3_600
    case .day: 86_400
    case .week: 7 * 86_400
    case .month: 30 * 86_400
    case .year: 365 * 86_400
    }
  }

  /// What one of them ago is called, if it has a name.
  var last: String? {
    switch self {
    case .second, .minute, .hour: nil
    case .day: "yesterday"
    case .week, .month, .year: "last \(self)"
    }
  }

  /// What one of them ahead is called, if it has a name.
  var next: String? {
    switch self {
    case .second, .minute, .hour: nil
    case .day: "tomorrow"
    case .week, .month, .year: "next \(self)"
    }
  }
}
