public import Foundation
public import QuakesData

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
