import QuakesData
public import TerminalUI

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
