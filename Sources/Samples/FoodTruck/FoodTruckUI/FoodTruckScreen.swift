package import FoodTruckData
package import Foundation
package import ImmutableUI
package import SampleSupport
package import TerminalUI

/// The screen of the food truck: orders, the card of the newest ones, sales, and the gallery of donuts.
///
/// Search, order and selection are local state. The source can also be a position in a history.
@MainActor
package final class FoodTruckScreen<Source: FoodTruckSource>: TerminalScreen {
  enum Pane: Int, CaseIterable {
    case orders, card, sales, donuts
  }

  /// An overlay over the panes, which handles all keys.
  enum Overlay {
    case search
    case detail(OrderDetailView<Source>)
    case completion(OrderDetailView<Source>)
    case editor(DonutEditor)
  }

  let truck: Truck
  let notices: ScreenNotices
  let feed: OrderFeed?
  let board: SalesBoard?
  let calendar: Calendar
  let orders: OrdersView<Source>
  let card: TruckOrdersCard<Source>
  let favorites: Selection<Source, [DonutSales]>
  let gallery: DonutGallery<Source>
  let activities: Selection<Source, Int>
  let orderCount: Selection<Source, Int>

  private let selectTopDonuts: Selection<Source, [DonutSales]>
  private let source: Source
  private let dispatch: ActionDispatch<FoodTruckAction>

  /// The city whose most ordered donuts are shown; `nil` for all.
  var cityID: City.ID?
  var topDonuts: [DonutSales] { selectTopDonuts.output(for: FoodTruckQuery.topDonuts(cityID: cityID)) }
  var pane = Pane.orders
  var overlay: Overlay?
  var orderList = SelectableList<Order.ID>()
  var donutList = SelectableList<Donut.ID>()
  var galleryList = SelectableList<Donut.ID>()
  var showsHelp = false
  private var response = KeyResponse.handled
  var field = TextField()
  /// The orders that the user marked, to complete them together.
  var marked: Set<Order.ID> = []

  /// Creates a screen.
  package init(
    _ source: Source, dispatch: ActionDispatch<FoodTruckAction>, truck: Truck = Truck(), feed: OrderFeed? = nil,
    board: SalesBoard? = nil, notices: ScreenNotices? = nil, timeZone: TimeZone = .gmt
  ) {
    self.source = source
    self.dispatch = dispatch
    self.truck = truck
    self.feed = feed
    self.board = board
    self.notices = notices ?? ScreenNotices()
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    self.calendar = calendar
    orders = OrdersView(source, dispatch: dispatch)
    card = TruckOrdersCard(source)
    selectTopDonuts = Selection(source, FoodTruckQuery.topDonuts(cityID: nil))
    favorites = Selection(source, FoodTruckQuery.topDonuts(cityID: nil))
    gallery = DonutGallery(source)
    activities = Selection(
      source, label: "SelectActivities", filter: FoodTruckFilter.filterActivities(),
      outputSelector: { state in FoodTruckState.selectActivities()(state).count })
    orderCount = Selection(
      source, label: "SelectOrdersCount", filter: FoodTruckFilter.filterOrders(),
      outputSelector: FoodTruckState.selectOrdersCount())
  }

  /// Handles a key.
  package func handle(_ key: Key) -> KeyResponse {
    notices.clear()
    if showsHelp {
      showsHelp = false
      return .handled
    }
    switch overlay {
    case .search: return handleSearch(key)
    case .editor(let editor): return handle(key, in: editor)
    case .detail, .completion, nil: break
    }
    if overlay == nil, moves(key) { return .handled }
    guard let command = KeyBinding.command(of: key, in: bindings + commonBindings) else { return .ignored }
    response = .handled
    command(self)
    reportFailures()
    return response
  }

  /// Moves to another pane or row.
  private func moves(_ key: Key) -> Bool {
    var tabs = TabBar(Pane.allCases.map { _ in "" }, selectedIndex: pane.rawValue)
    if tabs.handle(key) {
      pane = Pane(rawValue: tabs.selectedIndex) ?? pane
      return true
    }
    switch pane {
    case .orders:
      guard orderList.handle(key, orders.orders.map(\.id)) else { return false }
      select()
      return true
    case .card: return false
    case .sales: return donutList.handle(key, topDonuts.map(\.id))
    case .donuts: return galleryList.handle(key, gallery.donuts.map(\.id))
    }
  }

  /// Selects the marked orders, or else the current row.
  func select() {
    orders.selection = marked.isEmpty ? Set([orderList.selection].compactMap(\.self)) : marked
  }
}

// MARK: - Text input

extension FoodTruckScreen {
  private func handleSearch(_ key: Key) -> KeyResponse {
    switch key {
    case .enter: overlay = nil
    case .escape:
      overlay = nil
      field.text = ""
      searchText = ""
    default:
      guard field.handle(key) else { return .ignored }
      searchText = field.text
    }
    return .handled
  }

  private var searchText: String {
    get { pane == .donuts ? gallery.searchText : orders.searchText }
    set { if pane == .donuts { gallery.searchText = newValue } else { orders.searchText = newValue } }
  }

  /// Passes a key to the editor of donuts. A rejected donut stays in the editor.
  private func handle(_ key: Key, in editor: DonutEditor) -> KeyResponse {
    var editor = editor
    let outcome = editor.handle(key)
    overlay = .editor(editor)
    switch outcome {
    case .pressed(DonutEditor.saveButton):
      guard let action = editor.draft.action, send(action) else { return .handled }
      galleryList.selection = editor.draft.id
      overlay = nil
    case .pressed, .cancelled: overlay = nil
    case .handled: break
    case .ignored: return .ignored
    }
    return .handled
  }

  private func send(_ action: FoodTruckAction) -> Bool {
    do { try dispatch(action) } catch {
      notices.report("\(error)")
      return false
    }
    return true
  }
}

// MARK: - Commands

extension FoodTruckScreen {
  typealias Command = @MainActor @Sendable (FoodTruckScreen) -> Void

  /// The current key bindings, without those that move the selection.
  var bindings: [KeyBinding<Command>] {
    let back: Command = { screen in screen.overlay = nil }
    return switch overlay {
    case .search: [KeyBinding([.enter], "Search", back), KeyBinding([.escape], "Show all", back)]
    case .editor: []
    case .completion: [KeyBinding([.escape, .enter], "Back", back)]
    case .detail(let view):
      [
        KeyBinding([.enter, "p"], view.rules.statusButtonTitle, isEnabled: view.rules.isStatusButtonEnabled) { _ in
          view.tapStatusButton()
        },
        KeyBinding([.escape, .backspace], "Back", back),
      ]
    case nil: paneBindings
    }
  }

  private var paneBindings: [KeyBinding<Command>] {
    let rules = orders.rules
    return switch pane {
    case .orders:
      [
        KeyBinding([.enter], "View Details", isEnabled: rules.isViewDetailsEnabled) { screen in screen.showDetails() },
        KeyBinding("n", "Create Order") { screen in screen.orders.createOrder() },
        KeyBinding("c", "Complete Order", isEnabled: rules.isCompleteOrderEnabled) { screen in screen.complete() },
        KeyBinding(" ", "Mark", isEnabled: orderList.selection != nil) { screen in screen.mark() },
      ]
    case .card:
      [KeyBinding([.enter], "View Details", isEnabled: card.rules.headline != nil) { screen in screen.showDetails() }]
    case .sales:
      [
        KeyBinding([.right], "Next city") { screen in screen.changeCity(by: 1) },
        KeyBinding([.left], "Previous city") { screen in screen.changeCity(by: -1) },
        KeyBinding("e", "Edit", isEnabled: donutList.selection != nil) { screen in
          screen.edit(screen.topDonuts.first { sales in sales.id == screen.donutList.selection })
        },
      ] + boardBindings
    case .donuts:
      [
        KeyBinding([.enter, "e"], "Edit", isEnabled: galleryList.selection != nil) { screen in
          screen.edit(screen.gallery.donuts.first { sales in sales.id == screen.galleryList.selection })
        },
        KeyBinding("n", "New Donut") { screen in
          if let form = screen.gallery.newForm { screen.overlay = .editor(DonutEditor(form)) }
        },
      ]
    }
  }

  private var boardBindings: [KeyBinding<Command>] {
    guard let board else { return [] }
    return [
      KeyBinding("<", "Earlier", isEnabled: board.revision > 0) { _ in Task { await board.stepBack() } },
      KeyBinding(">", "Later", isEnabled: !board.isLive) { _ in Task { await board.stepForward() } },
    ]
  }

  var isTyping: Bool {
    switch overlay {
    case .search, .editor: true
    case .detail, .completion, nil: false
    }
  }

  var commonBindings: [KeyBinding<Command>] {
    let help = KeyBinding<Command>("?", "Help") { screen in screen.showsHelp = true }
    let quit = KeyBinding<Command>("q", "Quit") { screen in screen.response = .finish }
    guard overlay == nil else { return isTyping ? [] : [help, quit] }
    // `moves` handles Tab.
    var bindings = [help, KeyBinding([.tab], "Next") { _ in }]
    if pane == .orders || pane == .donuts {
      bindings += [
        KeyBinding("s", "Sort") { screen in screen.sort() },
        KeyBinding("/", "Search") { screen in
          screen.field = TextField(screen.searchText)
          screen.overlay = .search
        },
      ]
    }
    if let feed {
      bindings += [
        KeyBinding("l", feed.isRunning ? "Pause" : "Live") { _ in
          if feed.isRunning { feed.pause() } else { feed.start() }
        },
        KeyBinding("+", "Speed ×\(feed.speed)") { _ in feed.changeSpeed() },
      ]
    }
    return bindings + [quit]
  }

  private func sort() {
    if pane == .donuts { gallery.sort = gallery.sort.nextCase } else { orders.sort = orders.sort.nextCase }
  }

  /// Opens the editor of a donut, if it is shown.
  private func edit(_ sales: DonutSales?) {
    if let sales { overlay = .editor(DonutEditor(DonutEditorForm(editing: sales.donut))) }
  }

  private func showDetails() {
    let orderID = pane == .card ? card.rules.headline?.id : orders.selection.first
    guard let orderID else { return }
    overlay = .detail(OrderDetailView(source, dispatch: dispatch, orderID: orderID))
  }

  private func complete() {
    orders.completion = nil
    orders.completeOrder()
    marked = []
    select()
    guard let orderID = orders.completion else { return }
    overlay = .completion(OrderDetailView(source, dispatch: dispatch, orderID: orderID))
  }

  private func mark() {
    guard let orderID = orderList.selection else { return }
    if marked.remove(orderID) == nil { marked.insert(orderID) }
    select()
  }

  /// Selects the next city. The first choice is all cities together.
  private func changeCity(by step: Int) {
    let choices: [City.ID?] = [nil] + City.all.map(\.id)
    let place = choices.firstIndex(of: cityID) ?? 0
    cityID = choices[(place + step + choices.count) % choices.count]
  }

  private func reportFailures() {
    if let error = orders.lastError ?? feed?.lastError { notices.report("\(error)") }
    if case .detail(let view) = overlay, let error = view.lastError { notices.report("\(error)") }
  }
}

/// The position of the user on the food truck's screen. It is local state and not part of the log.
package struct FoodTruckPlace: Hashable, Codable, Sendable {
  var pane = 0
  var sort = OrdersSort.status
  var searchText = ""
  var orderID: Order.ID?
  var cityID: City.ID?
  var donutID: Donut.ID?
  // Optional, so that files of earlier versions can be read.
  var gallerySort: DonutSort?
  var gallerySearchText: String?
  var galleryDonutID: Donut.ID?
}

extension FoodTruckScreen {
  /// The position of the user. Setting it restores the selection as far as it still exists.
  package var place: FoodTruckPlace {
    get {
      FoodTruckPlace(
        pane: pane.rawValue, sort: orders.sort, searchText: orders.searchText, orderID: orderList.selection,
        cityID: cityID, donutID: donutList.selection, gallerySort: gallery.sort,
        gallerySearchText: gallery.searchText, galleryDonutID: galleryList.selection)
    }
    set {
      pane = Pane(rawValue: newValue.pane) ?? .orders
      orders.sort = newValue.sort
      orders.searchText = newValue.searchText
      orderList.selection = newValue.orderID
      // A city that no longer exists is replaced by all cities.
      cityID = City.all.first { city in city.id == newValue.cityID }?.id
      donutList.selection = newValue.donutID
      gallery.sort = newValue.gallerySort ?? .menu
      gallery.searchText = newValue.gallerySearchText ?? ""
      galleryList.selection = newValue.galleryDonutID
      select()
    }
  }
}
