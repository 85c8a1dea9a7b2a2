package import Foundation
package import QuakesData
package import TerminalUI

/// The local state of a window, which is not recorded.
package struct QuakesWindow: Sendable {
  /// The search and the order of the list.
  package var options: QuakeListOptions
  /// The quakes that are selected in the list and on the map.
  package var selection = QuakeSelection()
  /// The component that the arrow keys control.
  package var focus = Focus.list
  /// The zoom of the map, 0 to ``WorldView/zoomLimit``.
  package var zoom = 0
  /// The open dialog, which handles all keys.
  package var dialog: Dialog?
  /// The field for the search text; `nil` if it is closed.
  package var searchField: TextField?
  var list = SelectableList<Quake.ID>()

  /// The component that the arrow keys control.
  package enum Focus: Hashable, Sendable {
    case list
    case map
  }

  /// A dialog.
  package enum Dialog: Hashable, Sendable {
    case refresh(row: Int)
    case detail
    /// The question before a quake is deleted; with an id of `nil`, all quakes.
    case delete(quakeId: Quake.ID?, ConfirmDialog)
    case help
  }

  /// Creates the initial state of a window.
  package init(now: Date) {
    options = QuakeListOptions(now: now)
  }

  /// The center of the map; `nil` for the complete world.
  package func mapCenter(_ quake: Quake?) -> QuakePlace? {
    // A map of the complete world does not follow the selection.
    zoom == 0 ? nil : quake.map { quake in QuakePlace(quake) }
  }
}

/// The values of the store for a window: the input of the presenter.
package struct QuakesPage: Hashable, Sendable {
  /// The quakes of the list, in its order.
  package var quakes: [Quake]
  /// The number of all quakes.
  package var totalCount: Int
  /// The status of fetching.
  package var status: Status?
  /// The quake that is selected on the map.
  package var selectedQuake: Quake?
  /// A notice, for instance about a deletion that was rolled back.
  package var notice: String?
  /// The current time.
  package var now: Date

  /// The rules of the list.
  package func rules(selection: Quake.ID?) -> QuakeListRules {
    QuakeListRules(
      shownCount: quakes.count, totalCount: totalCount, selection: row(of: selection) == nil ? nil : selection)
  }

  /// The row of a quake in the list; `nil` if the list does not show it.
  func row(of quakeId: Quake.ID?) -> Int? {
    guard let quakeId else { return nil }
    return quakes.firstIndex { quake in quake.id == quakeId }
  }
}

/// The position of the user in the window of the quakes. It is local state and not part of the log.
///
/// The current day is not stored, so that the next start shows the day of that start.
package struct QuakesPlace: Hashable, Codable, Sendable {
  var sortParameter = QuakeListOptions.SortParameter.time
  var sortOrder = SortOrder.forward
  var searchText = ""
  var searchDate: Date?
  var quakeId: Quake.ID?
  var isOnMap = false
  var zoom = 0
}

extension QuakesWindow {
  /// The position of the user.
  func place(now: Date, calendar: Calendar) -> QuakesPlace {
    QuakesPlace(
      sortParameter: options.sortParameter, sortOrder: options.sortOrder, searchText: options.searchText,
      searchDate: calendar.isDate(options.searchDate, inSameDayAs: now) ? nil : options.searchDate,
      quakeId: selection.list, isOnMap: focus == .map, zoom: zoom)
  }

  /// Restores a position, with the selection as far as it still exists.
  mutating func go(to place: QuakesPlace) {
    (options.sortParameter, options.sortOrder) = (place.sortParameter, place.sortOrder)
    options.searchText = place.searchText
    if let date = place.searchDate { options.searchDate = date }
    selection.selectInList(place.quakeId)
    focus = place.isOnMap ? .map : .list
    zoom = min(max(0, place.zoom), WorldView.zoomLimit)
  }
}
