public import Foundation
import SampleSupport
public import TreeCollections

extension QuakesState {
  /// A selector of the quakes of one day whose name contains a text, by id.
  ///
  /// - Parameters:
  ///   - searchText: A text that the name contains, sensitive to case and diacritics. Every name contains the empty
  ///     text.
  ///   - searchDate: Any time of the day. The interval is closed at both ends: midnight belongs to two days, as in the
  ///     guide.
  ///   - calendar: The calendar whose time zone determines when days begin.
  /// - Complexity: O(*n*) in the number of all quakes.
  public static func selectQuakes(
    searchText: String, searchDate: Date, calendar: Calendar = .autoupdatingCurrent
  ) -> @Sendable (Self) -> Table<Quake.ID, Quake> {
    { state in
      let search = QuakeSearch(text: searchText, date: searchDate, calendar: calendar)
      return state.quakes.data.filter { _, quake in search.includes(quake) }
    }
  }

  /// A selector of the quakes of one day whose name contains a text, sorted.
  ///
  /// - Parameters:
  ///   - searchText: A text that the name contains; see ``selectQuakes(searchText:searchDate:calendar:)``.
  ///   - searchDate: Any time of the day; see ``selectQuakes(searchText:searchDate:calendar:)``.
  ///   - calendar: The calendar whose time zone determines when days begin.
  ///   - sort: The property to sort by. Quakes with equal values are in ascending order of their ids, whatever `order`
  ///     is, so the result never depends on the order of a table.
  ///   - order: Ascending (`forward`) or descending.
  /// - Complexity: O(n + m log m) for *m* of *n* quakes on that day.
  public static func selectQuakesValues<Value: Comparable & SendableMetatype>(
    searchText: String,
    searchDate: Date,
    calendar: Calendar = .autoupdatingCurrent,
    sort: any KeyPath<Quake, Value> & Sendable,
    order: SortOrder = .forward
  ) -> @Sendable (Self) -> [Quake] {
    { state in
      let search = QuakeSearch(text: searchText, date: searchDate, calendar: calendar)
      return state.quakes.data.values.filter { quake in search.includes(quake) }.sorted(by: sort, order: order)
    }
  }

  /// A selector of the number of all quakes, independent of a search.
  ///
  /// - Complexity: O(1).
  public static func selectQuakesCount() -> @Sendable (Self) -> Int {
    { state in state.quakes.data.count }
  }

  /// A selector of the status of the last fetch; `nil` before the first one.
  ///
  /// - Complexity: O(1).
  public static func selectQuakesStatus() -> @Sendable (Self) -> Status? {
    { state in state.quakes.status }
  }

  /// A selector of one quake.
  ///
  /// - Parameter quakeId: The id of the quake; `nil` selects nothing.
  /// - Complexity: O(1).
  public static func selectQuake(quakeId: Quake.ID?) -> @Sendable (Self) -> Quake? {
    { state in quakeId.flatMap { id in state.quakes.data[id] } }
  }
}

/// A search in the list: a day and a part of the name.
struct QuakeSearch: Sendable {
  private let text: String
  private let day: ClosedRange<Date>

  init(text: String, date: Date, calendar: Calendar) {
    self.text = text
    let start = calendar.startOfDay(for: date)
    // For very remote dates, the calendar cannot add a day; a day then has 24 hours.
    let end = calendar.date(byAdding: DateComponents(day: 1), to: start) ?? start.addingTimeInterval(86_400)
    day = start...max(start, end)
  }

  func includes(_ quake: Quake) -> Bool {
    day.contains(quake.time) && (text.isEmpty || quake.name.contains(text))
  }
}
