public import Foundation
public import QuakesData
public import TerminalUI

/// The local state of one window: what it shows and how, which no action and no log holds.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 12 (`Content`, the root of the components).
public struct QuakesWindow: Sendable {
  /// What the list shows, and in which order.
  public var options: QuakeListOptions
  /// The quakes that are selected in the list and on the map.
  public var selection = QuakeSelection()
  /// What the arrows move in.
  public var focus = Focus.list
  /// How far the map is zoomed in, 0 to ``WorldView/zoomLimit``.
  public var zoom = 0
  /// What stands above everything else and takes the keys.
  public var dialog: Dialog?
  /// The field in which somebody types what to search for; `nil` when nobody does.
  public var searchField: TextField?
  /// The rows, and how far they are scrolled.
  var list = SelectableList<Quake.ID>()

  /// What the arrows move in.
  public enum Focus: Hashable, Sendable {
    /// The list of quakes.
    case list
    /// The map.
    case map
  }

  /// What stands above everything else.
  public enum Dialog: Hashable, Sendable {
    /// The choice of a feed, and the row of the one that Enter takes.
    case refresh(row: Int)
    /// Everything that is known of the selected quake.
    case detail
    /// The question whether a quake is to be deleted.
    case deleteSelected(quakeId: Quake.ID, ConfirmDialog)
    /// The question whether all are to be deleted.
    case deleteAll(ConfirmDialog)
    /// What the keys do.
    case help
  }

  /// Makes the state with which a window opens.
  ///
  /// - Parameter now: The moment.
  public init(now: Date) {
    options = QuakeListOptions(now: now)
  }

  /// What the camera of the map looks at; `nil` for the world as it is printed mostly.
  ///
  /// - Parameter quake: The quake that is selected on the map.
  public func mapCentre(_ quake: Quake?) -> QuakePlace? {
    // The whole world stays where it is; only a part of it follows the selection.
    zoom == 0 ? nil : quake.map { quake in QuakePlace(quake) }
  }
}

/// What the store has to say to a window at a moment: all that a presenter is given.
public struct QuakesPage: Hashable, Sendable {
  /// The quakes of the list, in its order.
  public var quakes: [Quake]
  /// How many quakes there are.
  public var totalCount: Int
  /// How far fetching has come.
  public var status: Status?
  /// The quake that is selected on the map.
  public var selectedQuake: Quake?
  /// What happened that a person should know, for instance that a deletion was taken back.
  public var notice: String?
  /// The moment.
  public var now: Date

  /// Makes a page from its parts.
  public init(
    quakes: [Quake], totalCount: Int, status: Status? = nil, selectedQuake: Quake? = nil, notice: String? = nil,
    now: Date
  ) {
    self.quakes = quakes
    self.totalCount = totalCount
    self.status = status
    self.selectedQuake = selectedQuake
    self.notice = notice
    self.now = now
  }

  /// What the list shows and allows.
  ///
  /// - Parameter selection: The quake that is selected in the list. One that the list does not show cannot be deleted.
  public func rules(selection: Quake.ID?) -> QuakeListRules {
    QuakeListRules(
      shownCount: quakes.count, totalCount: totalCount, selection: row(of: selection) == nil ? nil : selection)
  }

  /// The row of a quake in the list; `nil` when it does not show it.
  ///
  /// - Complexity: O(number of quakes).
  func row(of quakeId: Quake.ID?) -> Int? {
    guard let quakeId else { return nil }
    return quakes.firstIndex { quake in quake.id == quakeId }
  }
}

/// What a key of the main screen asks for.
public enum QuakesCommand: Hashable, Sendable {
  /// Choose a feed.
  case refresh
  /// Sort by the other parameter.
  case sort
  /// Turn the order around.
  case order
  /// Type what to search for.
  case search
  /// Go so many days on, or back.
  case moveDay(Int)
  /// Go to the day of today.
  case today
  /// Show everything that is known of a quake.
  case detail
  /// Ask whether to delete the selected quake.
  case deleteSelected
  /// Ask whether to delete all.
  case deleteAll
  /// Go from the list to the map, or back.
  case changeFocus
  /// Look closer, or from farther away.
  case zoom(Int)
  /// Tell what the keys do.
  case help
  /// Take back one thing: the selection, or the search.
  case leave
  /// Close the window.
  case quit

  /// What the keys mean at a moment, and which of them can do something.
  ///
  /// - Parameters:
  ///   - page: What the window shows.
  ///   - window: How it shows it.
  public static func bindings(_ page: QuakesPage, _ window: QuakesWindow) -> [KeyBinding<QuakesCommand>] {
    let rules = page.rules(selection: window.selection.list)
    return [
      // First, because a narrow window does not show them all, and help does.
      KeyBinding("?", "help", .help), KeyBinding("q", "quit", .quit),
      KeyBinding("r", "refresh", .refresh, isEnabled: rules.isRefreshEnabled),
      KeyBinding([.enter], "detail", .detail, isEnabled: page.selectedQuake != nil),
      KeyBinding([.tab, .backTab, .character("m")], window.focus == .list ? "map" : "list", .changeFocus),
      KeyBinding("s", "sort", .sort, isEnabled: rules.isSortEnabled),
      KeyBinding("/", "search", .search),
      KeyBinding("]", "next day", .moveDay(1), isEnabled: rules.isDatePickerEnabled),
      KeyBinding("d", "delete", .deleteSelected, isEnabled: rules.isDeleteSelectedEnabled),
      KeyBinding("[", "day before", .moveDay(-1), isEnabled: rules.isDatePickerEnabled),
      KeyBinding("t", "today", .today, isEnabled: rules.isDatePickerEnabled),
      KeyBinding("o", "order", .order, isEnabled: rules.isSortEnabled),
      KeyBinding("D", "delete all", .deleteAll, isEnabled: rules.isDeleteEnabled),
      KeyBinding([.delete], "delete", .deleteSelected, isEnabled: rules.isDeleteSelectedEnabled),
      KeyBinding([.character("+"), .character("=")], "closer", .zoom(1), isEnabled: window.zoom < WorldView.zoomLimit),
      KeyBinding("-", "farther", .zoom(-1), isEnabled: window.zoom > 0),
      KeyBinding([.escape], "back", .leave),
    ]
  }
}

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
