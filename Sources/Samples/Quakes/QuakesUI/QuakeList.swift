public import Foundation
public import QuakesData

/// What the list of quakes shows and allows, as functions of what is there.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
public struct QuakeListRules: Hashable, Sendable {
  /// How many quakes the list shows.
  public var shownCount: Int
  /// How many quakes there are.
  public var totalCount: Int
  /// The quake that is selected in the list.
  public var selection: Quake.ID?

  /// Makes the rules of a moment.
  public init(shownCount: Int, totalCount: Int, selection: Quake.ID? = nil) {
    self.shownCount = shownCount
    self.totalCount = totalCount
    self.selection = selection
  }
}

extension QuakeListRules {
  /// Always: also while a feed is awaited, when a tap changes nothing.
  public var isRefreshEnabled: Bool { true }

  /// When there are quakes, whether the list shows them or not.
  public var isDeleteEnabled: Bool { totalCount > 0 }

  /// When one is selected in the list.
  public var isDeleteSelectedEnabled: Bool { isDeleteEnabled && selection != nil }

  /// When the list shows some.
  public var isSortEnabled: Bool { shownCount > 0 }

  /// When there are quakes, whether the list shows them or not.
  public var isDatePickerEnabled: Bool { totalCount > 0 }

  /// For instance `1 earthquake`.
  public var countText: String { shownCount == 1 ? "1 earthquake" : "\(shownCount) earthquakes" }

  /// For instance `8 total`.
  public var totalText: String { "\(totalCount) total" }

  /// What stands in place of an empty list; `nil` when it shows quakes.
  public var placeholder: Placeholder? {
    guard shownCount == 0 else { return nil }
    return totalCount == 0 ? .nothingLoaded : .nothingFound
  }
}

extension QuakeListRules {
  /// What stands in place of an empty list.
  public enum Placeholder: Hashable, Sendable {
    /// There are no quakes: `Refresh to load earthquakes`.
    case nothingLoaded
    /// None of the quakes is what was searched for: what the platform says then.
    case nothingFound

    /// The text, where it is ours.
    public var text: String? {
      switch self {
      case .nothingLoaded: "Refresh to load earthquakes"
      case .nothingFound: nil
      }
    }
  }
}

/// How one window shows the list: local state, which no action and no log holds.
public struct QuakeListOptions: Hashable, Sendable {
  /// What the names contain.
  public var searchText = ""
  /// A moment of the day whose quakes are shown.
  public var searchDate: Date
  /// What the list is sorted by.
  public var sortParameter = SortParameter.time
  /// In which direction.
  public var sortOrder = SortOrder.forward

  /// Makes the options with which a window opens.
  ///
  /// - Parameter now: The moment. Only the front end knows it.
  public init(now: Date) {
    searchDate = now
  }
}

extension QuakeListOptions {
  /// What lists are sorted by.
  public enum SortParameter: String, Hashable, Codable, Sendable, CaseIterable {
    /// When the quakes happened.
    case time
    /// How strong they were.
    case magnitude

    /// What a menu shows: `Time`, `Magnitude`.
    public var title: String { rawValue.capitalized }
  }

  /// What a menu shows for a direction: `Forward`, `Reverse`.
  public static func title(of order: SortOrder) -> String {
    order == .forward ? "Forward" : "Reverse"
  }
}

extension QuakeListOptions {
  /// A selector of the quakes that the list shows, in its order.
  ///
  /// - Parameter calendar: Decides, with its time zone, when days begin.
  /// - Complexity: O(n + m log m) for *m* of *n* quakes on that day.
  public func selectQuakesValues(
    calendar: Calendar = .autoupdatingCurrent
  ) -> @Sendable (QuakesState) -> [Quake] {
    switch sortParameter {
    case .time:
      QuakesState.selectQuakesValues(
        searchText: searchText, searchDate: searchDate, calendar: calendar, sort: \.time, order: sortOrder)
    case .magnitude:
      QuakesState.selectQuakesValues(
        searchText: searchText, searchDate: searchDate, calendar: calendar, sort: \.magnitude, order: sortOrder)
    }
  }
}

/// Which quake is selected in the list and which on the map of one window: the one follows the other.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12.
public struct QuakeSelection: Hashable, Sendable {
  /// The quake that is selected in the list.
  public private(set) var list: Quake.ID?
  /// The quake that is selected on the map.
  public private(set) var map: Quake.ID?

  /// Makes the selection with which a window opens: the map follows the list.
  public init(list: Quake.ID? = nil) {
    self.list = list
    self.map = list
  }

  /// Somebody selected in the list; the map follows.
  public mutating func selectInList(_ quakeId: Quake.ID?) {
    list = quakeId
    if map != quakeId { map = quakeId }
  }

  /// Somebody selected on the map; the list follows, and scrolls there.
  ///
  /// - Returns: The quake to which the list scrolls; `nil` when it is selected there already, or nothing is.
  public mutating func selectOnMap(_ quakeId: Quake.ID?) -> Quake.ID? {
    map = quakeId
    guard list != quakeId else { return nil }
    list = quakeId
    return quakeId
  }
}

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
