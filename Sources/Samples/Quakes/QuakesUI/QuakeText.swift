public import Foundation
public import QuakesData
import TerminalUI

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

/// The colour in which a magnitude is shown, by its name: what draws knows what the name looks like.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
public enum QuakeColor: String, Hashable, Sendable, CaseIterable {
  /// From 0.
  case green
  /// From 1.
  case yellow
  /// From 2.
  case orange
  /// From 3.
  case red
  /// From 5.
  case purple
  /// From 7.
  case indigo
  /// What is below 0, infinite, or not a number.
  case gray

  /// The colour of a magnitude.
  public init(magnitude: Double) {
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
  /// The colour in which the quake is shown.
  public var color: QuakeColor { QuakeColor(magnitude: magnitude) }
}

extension QuakesAction.UI.QuakeList.RefreshQuakesRange {
  /// What the menu shows, for instance `All Hour`.
  public var title: String {
    switch self {
    case .allHour: "All Hour"
    case .allDay: "All Day"
    case .allWeek: "All Week"
    case .allMonth: "All Month"
    }
  }
}

extension QuakeColor {
  /// The colour of a terminal's palette that comes nearest.
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
  /// What stands in the place of the name: feeds do not know all.
  var shownName: String { name.isEmpty ? "Unnamed place" : name }
}

extension QuakePlace {
  /// For instance `38.8° N, 122.8° W`.
  var text: String {
    let north = "\(Self.degrees(latitude)) \(latitude < 0 ? "S" : "N")"
    return "\(north), \(Self.degrees(longitude)) \(longitude < 0 ? "W" : "E")"
  }

  private static func degrees(_ value: Double) -> String {
    // Tenths as whole numbers: the text is the same in every language.
    guard value.isFinite, abs(value) < 1_000 else { return "?" }
    let tenths = Int((abs(value) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)°"
  }
}
