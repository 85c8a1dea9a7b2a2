package import Foundation
package import QuakesData
import TerminalUI

// Texts about a quake. Locale, calendar and time zone are parameters, so that texts are reproducible.

extension Quake {
  /// The magnitude with one digit after the decimal point, for instance `4.5`.
  package func magnitudeString(locale: Locale = .autoupdatingCurrent) -> String {
    magnitude.formatted(.number.precision(.fractionLength(1)).locale(locale))
  }

  /// The complete date and time, for instance `Saturday, November 21, 2026 at 8:30:00 AM GMT`.
  package func fullDate(
    locale: Locale = .autoupdatingCurrent, calendar: Calendar = .autoupdatingCurrent,
    timeZone: TimeZone = .autoupdatingCurrent
  ) -> String {
    time.formatted(
      Date.FormatStyle(date: .complete, time: .complete, locale: locale, calendar: calendar, timeZone: timeZone))
  }

  /// The time relative to another one, in English, for instance `1 hour ago` or `yesterday`.
  ///
  /// The guide uses a format style of Foundation that is not available on every platform. Here a month has 30 days and a year
  /// 365, rounded down.
  package func relativeTime(to now: Date) -> String {
    // A date from a file can be any number. It is limited to a million years.
    let seconds = min(max(time.timeIntervalSince(now), -3.2e13), 3.2e13)
    guard abs(seconds) >= 1 else { return "now" }
    let unit = RelativeUnit.allCases.last { unit in abs(seconds) >= unit.seconds } ?? .second
    let count = Int(abs(seconds) / unit.seconds)
    if count == 1, let name = unit.name(isPast: seconds < 0) { return name }
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

  /// The name of the previous or the next unit, if it has one.
  func name(isPast: Bool) -> String? {
    switch self {
    case .second, .minute, .hour: nil
    case .day: isPast ? "yesterday" : "tomorrow"
    case .week, .month, .year: "\(isPast ? "last" : "next") \(self)"
    }
  }
}

/// The color of a magnitude, by its name.
package enum QuakeColor: String, Hashable, Sendable, CaseIterable {
  case green
  case yellow
  case orange
  case red
  case purple
  case indigo
  /// Below 0, infinite, or not a number.
  case gray

  /// The color of a magnitude.
  package init(magnitude: Double) {
    self =
      switch magnitude {
      case 0..<1: .green
      case 1..<2: .yellow
      case 2..<3: .orange
      case 3..<5: .red
      case 5..<7: .purple
      case 7..<Double.infinity: .indigo
      default: .gray
      }
  }
}

extension Quake {
  /// The color of the quake.
  package var color: QuakeColor { QuakeColor(magnitude: magnitude) }
}

extension QuakesAction.UI.QuakeList.RefreshQuakesRange {
  /// The title in the menu, for instance `All Hour`.
  package var title: String {
    switch self {
    case .allHour: "All Hour"
    case .allDay: "All Day"
    case .allWeek: "All Week"
    case .allMonth: "All Month"
    }
  }
}

extension QuakeColor {
  /// The nearest color of a terminal's palette.
  var terminalColor: TerminalColor {
    switch self {
    case .green: .green
    case .yellow: .yellow
    case .orange: .orange
    case .red: .red
    case .purple: .purple
    case .indigo: .indigo
    case .gray: .gray
    }
  }
}

extension Quake {
  /// The name, or a placeholder: feeds can omit it.
  var shownName: String { name.isEmpty ? "Unnamed place" : name }
}

extension QuakePlace {
  /// For instance `38.8° N, 122.8° W`.
  var text: String {
    let north = "\(Self.degrees(latitude)) \(latitude < 0 ? "S" : "N")"
    return "\(north), \(Self.degrees(longitude)) \(longitude < 0 ? "W" : "E")"
  }

  private static func degrees(_ value: Double) -> String {
    // Formatted from an integer, so that the text does not depend on the locale.
    guard value.isFinite, abs(value) < 1_000 else { return "?" }
    let tenths = Int((abs(value) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)°"
  }
}
