package import Foundation
package import QuakesData
package import TerminalUI

/// The result of a key in a window.
package enum QuakesKeyResult: Hashable, Sendable {
  case handled
  case ignored
  case dispatch(QuakesAction.UI.QuakeList)
  case close
}

extension QuakesWindow {
  /// The keys of the feeds in their menu.
  static let ranges: [(key: Character, range: QuakesAction.UI.QuakeList.RefreshQuakesRange)] = [
    ("h", .allHour), ("d", .allDay), ("w", .allWeek), ("m", .allMonth),
  ]

  /// Handles a key, according to the rules of the page.
  package mutating func handle(_ key: Key, _ page: QuakesPage, calendar: Calendar) -> QuakesKeyResult {
    if searchField != nil { return handleSearch(key) }
    if let dialog { return handle(key, in: dialog, page) }
    if let command = KeyBinding.command(of: key, in: bindings(page)) { return command(&self, calendar) }
    return focus == .list ? moveInList(key, page) : moveOnMap(key, page)
  }
}

// MARK: - Search and dialogs

extension QuakesWindow {
  private mutating func handleSearch(_ key: Key) -> QuakesKeyResult {
    switch key {
    case .enter: searchField = nil
    case .escape:
      searchField = nil
      options.searchText = ""
    default:
      guard searchField?.handle(key) == true else { return .ignored }
      options.searchText = searchField?.text ?? ""
    }
    return .handled
  }

  private mutating func handle(_ key: Key, in dialog: Dialog, _ page: QuakesPage) -> QuakesKeyResult {
    switch dialog {
    case .refresh(let row): return chooseFeed(key, row)
    case .delete(let quakeId, var question):
      let answer = question.handle(key)
      self.dialog = answer == nil ? .delete(quakeId: quakeId, question) : nil
      guard answer == .confirmed else { return .handled }
      guard let quakeId else {
        selection.selectInList(nil)
        return .dispatch(.onTapDeleteAllQuakesButton)
      }
      selectNeighbor(of: quakeId, page)
      return .dispatch(.onTapDeleteSelectedQuakeButton(quakeId: quakeId))
    case .detail:
      // The arrows show the details of the next quake.
      if key == .up || key == .down { return moveInList(key, page) }
      self.dialog = key == "?" ? .help : nil
    case .help: self.dialog = nil
    }
    return .handled
  }

  /// Handles a key of the choice of a feed: arrows and Enter, or the letter of a feed.
  private mutating func chooseFeed(_ key: Key, _ row: Int) -> QuakesKeyResult {
    var chosen = Self.ranges.firstIndex { entry in .character(entry.key) == key }
    switch key {
    case .up, .backTab: dialog = .refresh(row: max(0, row - 1))
    case .down, .tab: dialog = .refresh(row: min(Self.ranges.count - 1, row + 1))
    case .home: dialog = .refresh(row: 0)
    case .end: dialog = .refresh(row: Self.ranges.count - 1)
    case .enter: chosen = row
    case "?": dialog = .help
    default: dialog = nil
    }
    guard let chosen else { return .handled }
    dialog = nil
    return .dispatch(.onTapRefreshQuakesButton(range: Self.ranges[chosen].range))
  }

  private mutating func selectNeighbor(of quakeId: Quake.ID, _ page: QuakesPage) {
    guard let row = page.row(of: quakeId) else { return }
    let next = row + 1 < page.quakes.count ? row + 1 : row - 1
    selection.selectInList(page.quakes.indices.contains(next) ? page.quakes[next].id : nil)
  }
}

// MARK: - Commands

extension QuakesWindow {
  typealias Command = @Sendable (inout QuakesWindow, Calendar) -> QuakesKeyResult

  func bindings(_ page: QuakesPage) -> [KeyBinding<Command>] {
    let rules = page.rules(selection: selection.list)
    func bind(
      _ keys: [Key], _ label: String, isEnabled: Bool = true,
      _ change: @escaping @Sendable (inout QuakesWindow) -> Void
    ) -> KeyBinding<Command> {
      KeyBinding(keys, label, isEnabled: isEnabled) { window, _ in
        change(&window)
        return .handled
      }
    }
    func move(_ key: Key, _ label: String, by days: Int) -> KeyBinding<Command> {
      KeyBinding([key], label, isEnabled: rules.isDatePickerEnabled) { window, calendar in
        let date = window.options.searchDate
        // The calendar cannot move dates that are extremely far away.
        window.options.searchDate = calendar.date(byAdding: .day, value: days, to: date) ?? date
        return .handled
      }
    }
    return [
      // First, because a narrow window does not show them all, and help does.
      bind(["?"], "help") { window in window.dialog = .help },
      KeyBinding("q", "quit") { _, _ in .close },
      bind(["r"], "refresh", isEnabled: rules.isRefreshEnabled) { window in window.dialog = .refresh(row: 0) },
      bind([.enter], "detail", isEnabled: page.selectedQuake != nil) { window in window.dialog = .detail },
      bind([.tab, .backTab, "m"], focus == .list ? "map" : "list") { window in
        window.focus = window.focus == .list ? .map : .list
      },
      bind(["s"], "sort", isEnabled: rules.isSortEnabled) { window in
        window.options.sortParameter = window.options.sortParameter == .time ? .magnitude : .time
      },
      bind(["/"], "search") { window in window.searchField = TextField(window.options.searchText) },
      move(">", "next day", by: 1),
      bind(["d"], "delete", isEnabled: rules.isDeleteSelectedEnabled) { window in window.askToDelete(page) },
      move("<", "day before", by: -1),
      bind(["t"], "today", isEnabled: rules.isDatePickerEnabled) { window in window.options.searchDate = page.now },
      bind(["o"], "order", isEnabled: rules.isSortEnabled) { window in
        window.options.sortOrder = window.options.sortOrder == .forward ? .reverse : .forward
      },
      bind(["D"], "delete all", isEnabled: rules.isDeleteEnabled) { window in
        window.dialog = .delete(
          quakeId: nil,
          ConfirmDialog(
            "Delete all earthquakes?", message: "All \(page.totalCount) of them, on every day.",
            confirmLabel: "Delete All"))
      },
      bind([.delete], "delete", isEnabled: rules.isDeleteSelectedEnabled) { window in window.askToDelete(page) },
      bind(["+", "="], "closer", isEnabled: zoom < WorldView.zoomLimit) { window in window.zoom += 1 },
      bind(["-"], "farther", isEnabled: zoom > 0) { window in window.zoom -= 1 },
      KeyBinding([.escape], "back") { window, _ in window.leave() },
    ]
  }

  private mutating func askToDelete(_ page: QuakesPage) {
    guard let row = page.row(of: selection.list) else { return }
    let quake = page.quakes[row]
    dialog = .delete(
      quakeId: quake.id,
      ConfirmDialog(
        "Delete this earthquake?", message: "\(quake.magnitudeString()) \(quake.name)", confirmLabel: "Delete"))
  }

  private mutating func leave() -> QuakesKeyResult {
    if selection.list != nil || selection.map != nil {
      selection.selectInList(nil)
    } else if !options.searchText.isEmpty {
      options.searchText = ""
    } else {
      return .ignored
    }
    return .handled
  }
}

// MARK: - Selecting

extension QuakesWindow {
  private mutating func moveInList(_ key: Key, _ page: QuakesPage) -> QuakesKeyResult {
    list.selection = selection.list
    guard list.handle(key, page.quakes.map(\.id)) else { return .ignored }
    selection.selectInList(list.selection)
    return .handled
  }

  /// Selects the nearest quake in the direction of an arrow. The list follows.
  private mutating func moveOnMap(_ key: Key, _ page: QuakesPage) -> QuakesKeyResult {
    let direction: QuakeNeighbor.Direction
    switch key {
    case .up: direction = .north
    case .down: direction = .south
    case .left: direction = .west
    case .right: direction = .east
    default: return .ignored
    }
    let target: Quake? =
      if let quake = page.selectedQuake {
        QuakeNeighbor.nearest(to: quake, direction, among: page.quakes)
      } else {
        // Without a selection, the strongest quake is selected.
        page.quakes.max { lhs, rhs in (lhs.magnitude, rhs.id) < (rhs.magnitude, lhs.id) }
      }
    // The list scrolls to its selection when it is drawn.
    if let target { _ = selection.selectOnMap(target.id) }
    return .handled
  }
}
