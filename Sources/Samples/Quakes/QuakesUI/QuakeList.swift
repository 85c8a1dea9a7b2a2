package import Foundation
package import QuakesData

/// The rules of the list of quakes: its texts and enabled commands.
package struct QuakeListRules: Hashable, Sendable {
  /// The number of quakes in the list.
  package var shownCount: Int
  /// The number of all quakes.
  package var totalCount: Int
  /// The selected quake of the list.
  package var selection: Quake.ID?

  /// Creates the rules.
  package init(shownCount: Int, totalCount: Int, selection: Quake.ID? = nil) {
    self.shownCount = shownCount
    self.totalCount = totalCount
    self.selection = selection
  }
}

extension QuakeListRules {
  /// Always `true`. While a feed is being fetched, the command has no effect.
  package var isRefreshEnabled: Bool { true }

  /// Whether there are quakes, in the list or not.
  package var isDeleteEnabled: Bool { totalCount > 0 }

  /// Whether a quake of the list is selected.
  package var isDeleteSelectedEnabled: Bool { isDeleteEnabled && selection != nil }

  /// Whether the list is not empty.
  package var isSortEnabled: Bool { shownCount > 0 }

  /// Whether there are quakes, in the list or not.
  package var isDatePickerEnabled: Bool { totalCount > 0 }

  /// For instance `1 earthquake`.
  package var countText: String { shownCount == 1 ? "1 earthquake" : "\(shownCount) earthquakes" }

  /// For instance `8 total`.
  package var totalText: String { "\(totalCount) total" }

  /// The placeholder of an empty list; `nil` if it is not empty.
  package var placeholder: Placeholder? {
    guard shownCount == 0 else { return nil }
    return totalCount == 0 ? .nothingLoaded : .nothingFound
  }
}

extension QuakeListRules {
  /// The placeholder of an empty list.
  package enum Placeholder: Hashable, Sendable {
    case nothingLoaded
    /// No quake matches the search: the platform's own text is shown.
    case nothingFound

    /// The text; `nil` for that of the platform.
    package var text: String? {
      switch self {
      case .nothingLoaded: "Refresh to load earthquakes"
      case .nothingFound: nil
      }
    }
  }
}

/// The options of the list in one window. They are local state and not recorded.
package struct QuakeListOptions: Hashable, Sendable {
  /// The text that the names contain.
  package var searchText = ""
  /// A time of the day whose quakes are shown.
  package var searchDate: Date
  /// The value by which the list is sorted.
  package var sortParameter = SortParameter.time
  /// The direction of the order.
  package var sortOrder = SortOrder.forward

  /// Creates the initial options of a window.
  package init(now: Date) {
    searchDate = now
  }
}

extension QuakeListOptions {
  /// The values by which lists are sorted.
  package enum SortParameter: String, Hashable, Codable, Sendable, CaseIterable {
    case time
    case magnitude

    /// The title in a menu: `Time`, `Magnitude`.
    package var title: String { rawValue.capitalized }
  }
}

/// The selections in the list and on the map of a window. Each follows the other.
package struct QuakeSelection: Hashable, Sendable {
  /// The selected quake of the list.
  package private(set) var list: Quake.ID?
  /// The selected quake of the map.
  package private(set) var map: Quake.ID?

  /// Creates the initial selection of a window. The map follows the list.
  package init(list: Quake.ID? = nil) {
    self.list = list
    self.map = list
  }

  /// The user selected a quake in the list. The map follows.
  package mutating func selectInList(_ quakeId: Quake.ID?) {
    list = quakeId
    if map != quakeId { map = quakeId }
  }

  /// The user selected a quake on the map. The list follows, and scrolls to it.
  package mutating func selectOnMap(_ quakeId: Quake.ID?) -> Quake.ID? {
    map = quakeId
    guard list != quakeId else { return nil }
    list = quakeId
    return quakeId
  }
}

/// The title above the list and the map.
package struct QuakeTitle: Hashable, Sendable {
  /// The name of the quake that is selected on the map, or else `Earthquakes`.
  package let title: String
  /// The complete date and time of the selected quake; empty if there is none.
  package let subtitle: String

  /// Creates the title.
  package init(
    _ quake: Quake?, locale: Locale = .autoupdatingCurrent, calendar: Calendar = .autoupdatingCurrent,
    timeZone: TimeZone = .autoupdatingCurrent
  ) {
    title = quake?.name ?? "Earthquakes"
    subtitle = quake?.fullDate(locale: locale, calendar: calendar, timeZone: timeZone) ?? ""
  }
}
