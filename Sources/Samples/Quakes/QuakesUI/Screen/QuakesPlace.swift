import Foundation
import QuakesData

/// Where a person is in the window of the quakes: local to it, and no part of the log.
///
/// The day is not kept when it is today: the next start shows the day that is today then.
public struct QuakesPlace: Hashable, Codable, Sendable {
  var sortParameter = QuakeListOptions.SortParameter.time
  var sortOrder = SortOrder.forward
  var searchText = ""
  var searchDate: Date?
  var quakeId: Quake.ID?
  var isOnMap = false
  var zoom = 0
}

extension QuakesWindow {
  /// Where the person is.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - calendar: Decides what is today.
  func place(now: Date, calendar: Calendar) -> QuakesPlace {
    QuakesPlace(
      sortParameter: options.sortParameter, sortOrder: options.sortOrder, searchText: options.searchText,
      searchDate: calendar.isDate(options.searchDate, inSameDayAs: now) ? nil : options.searchDate,
      quakeId: selection.list, isOnMap: focus == .map, zoom: zoom)
  }

  /// Goes to a place, as far as what was selected is still there.
  mutating func go(to place: QuakesPlace) {
    (options.sortParameter, options.sortOrder) = (place.sortParameter, place.sortOrder)
    options.searchText = place.searchText
    if let date = place.searchDate { options.searchDate = date }
    selection.selectInList(place.quakeId)
    focus = place.isOnMap ? .map : .list
    zoom = min(max(0, place.zoom), WorldView.zoomLimit)
  }
}
