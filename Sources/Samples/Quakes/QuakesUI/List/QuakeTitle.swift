public import Foundation
public import QuakesData

/// What stands above the list and the map.
public struct QuakeTitle: Hashable, Sendable {
  /// The name of the quake that is selected on the map; `Earthquakes` when none is.
  public let title: String
  /// Its time in full; empty when none is.
  public let subtitle: String

  /// Makes the title.
  ///
  /// - Parameters:
  ///   - quake: The quake that is selected on the map.
  ///   - locale: The language of its time.
  ///   - calendar: The calendar of its time.
  ///   - timeZone: The zone of its time.
  public init(
    _ quake: Quake?, locale: Locale = .autoupdatingCurrent, calendar: Calendar = .autoupdatingCurrent,
    timeZone: TimeZone = .autoupdatingCurrent
  ) {
    title = quake?.name ?? "Earthquakes"
    subtitle = quake?.fullDate(locale: locale, calendar: calendar, timeZone: timeZone) ?? ""
  }
}
