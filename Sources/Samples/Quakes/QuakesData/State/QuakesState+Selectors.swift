public import Foundation
public import TreeCollections

extension QuakesState {
  /// A selector of the quakes of one day whose name contains a text, by id.
  ///
  /// - Parameters:
  ///   - searchText: What the name contains, sensitive to case and diacritics. Every name contains the empty text.
  ///   - searchDate: Any moment of the day. The day is closed at both ends: midnight belongs to two days, as in the
  ///     guide.
  ///   - calendar: Decides, with its time zone, when days begin.
  /// - Complexity: O(n) in the number of all quakes.
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
  ///   - searchText: As for ``selectQuakes(searchText:searchDate:calendar:)``.
  ///   - searchDate: As for ``selectQuakes(searchText:searchDate:calendar:)``.
  ///   - calendar: Decides, with its time zone, when days begin.
  ///   - sort: What to sort by. Quakes that are equal in it stand in ascending order of their ids, whatever `order` is,
  ///     so that the result never depends on the order of a table.
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

  /// A selector of the number of all quakes, whatever is searched for.
  ///
  /// - Complexity: O(1).
  public static func selectQuakesCount() -> @Sendable (Self) -> Int {
    { state in state.quakes.data.count }
  }

  /// A selector of how far fetching has come; `nil` before it was asked for.
  ///
  /// - Complexity: O(1).
  public static func selectQuakesStatus() -> @Sendable (Self) -> Status? {
    { state in state.quakes.status }
  }

  /// A selector of one quake.
  ///
  /// - Parameter quakeId: Its id; `nil` selects nothing.
  /// - Complexity: O(1).
  public static func selectQuake(quakeId: Quake.ID?) -> @Sendable (Self) -> Quake? {
    { state in quakeId.flatMap { id in state.quakes.data[id] } }
  }
}
