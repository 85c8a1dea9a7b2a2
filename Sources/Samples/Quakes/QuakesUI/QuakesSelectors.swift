import EventSourcing
package import Foundation
package import ImmutableData
package import ImmutableUI
package import QuakesData
import TreeCollections

/// A store of the quakes, or a position in their history.
package typealias QuakesSource = ImmutableData.Selector<QuakesState> & ImmutableData.Streamer<QuakesState, QuakesAction>
  & AnyObject

/// The function with which screens dispatch actions.
package typealias QuakesDispatch = ActionDispatch<QuakesAction>

/// What the screens of the quakes select.
package enum QuakesQuery {
  /// The quakes of a table.
  package typealias Table = QuakesState.Table<Quake.ID, Quake>
  /// A value.
  package typealias Value<Output: Sendable> = SelectorParameters<QuakesState, QuakesAction, Output>

  /// The quakes of a day whose names contain a text, by id.
  package static func quakes(
    searchText: String, searchDate: Date, calendar: Calendar = .autoupdatingCurrent
  ) -> Value<Table> {
    let search = QuakeSearch(text: searchText, date: searchDate)
    return Value(
      id: search, label: "SelectQuakes(\(search))", filter: QuakesFilter.filterQuakes(),
      outputSelector: QuakesState.selectQuakes(searchText: searchText, searchDate: searchDate, calendar: calendar))
  }

  /// The quakes of a day whose names contain a text, sorted. They are sorted again only if the matching quakes have changed.
  package static func values<Sorted: Comparable & SendableMetatype>(
    searchText: String, searchDate: Date, calendar: Calendar = .autoupdatingCurrent,
    sort keyPath: any KeyPath<Quake, Sorted> & Sendable, order: SortOrder = .forward
  ) -> SelectorParameters<QuakesState, QuakesAction, Table, [Quake]> {
    let search = QuakeSearch(text: searchText, date: searchDate, keyPath: keyPath, order: order)
    return SelectorParameters(
      id: search, label: "SelectQuakesValues(\(search))", filter: QuakesFilter.filterQuakes(),
      dependencySelector: QuakesState.selectQuakes(searchText: searchText, searchDate: searchDate, calendar: calendar),
      outputSelector: QuakesState.selectQuakesValues(
        searchText: searchText, searchDate: searchDate, calendar: calendar, sort: keyPath, order: order))
  }

  /// The quakes of a list, in its order.
  package static func values(
    _ options: QuakeListOptions, calendar: Calendar = .autoupdatingCurrent
  ) -> SelectorParameters<QuakesState, QuakesAction, Table, [Quake]> {
    switch options.sortParameter {
    case .time:
      values(
        searchText: options.searchText, searchDate: options.searchDate, calendar: calendar, sort: \Quake.time,
        order: options.sortOrder)
    case .magnitude:
      values(
        searchText: options.searchText, searchDate: options.searchDate, calendar: calendar, sort: \Quake.magnitude,
        order: options.sortOrder)
    }
  }

  /// The number of all quakes.
  package static var count: Value<Int> {
    Value(label: "SelectQuakesCount()", outputSelector: QuakesState.selectQuakesCount())
  }

  /// The status of fetching; `nil` before the first fetch.
  package static var status: Value<Status?> {
    Value(label: "SelectQuakesStatus()", outputSelector: QuakesState.selectQuakesStatus())
  }

  /// One quake; an id of `nil` selects none.
  package static func quake(quakeId: Quake.ID?) -> Value<Quake?> {
    Value(
      id: quakeId, label: "SelectQuake(quakeId: \(quakeId ?? "nil"))",
      outputSelector: QuakesState.selectQuake(quakeId: quakeId))
  }
}

/// The parameters of a selection of quakes, which are its id.
private struct QuakeSearch: Hashable, CustomStringConvertible {
  let text: String
  let date: Date
  var keyPath: AnyKeyPath?
  var order: SortOrder?

  var description: String {
    let sort = keyPath.map { keyPath in ", keyPath: \(keyPath)" } ?? ""
    let direction = order.map { order in ", order: \(order == .forward ? "forward" : "reverse")" } ?? ""
    return "searchText: \"\(text)\", searchDate: \(date)\(sort)\(direction)"
  }
}

/// Creates a store with the eight sample quakes, by dispatching the answer of a local store.
package enum PreviewStore {
  /// Creates the store.
  @MainActor package static func make() throws -> Store<QuakesState, QuakesAction> {
    let store = Store(initialState: QuakesState(), reducer: QuakesModel.reducer)
    try store.dispatch(
      action: .data(
        .persistentSession(.localStore(.didFetchQuakes(result: .success(quakes: Quake.previewQuakes))))))
    return store
  }
}
