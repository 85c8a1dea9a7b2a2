import EventSourcing
import FoodTruckData
import FoodTruckUI
import Foundation
import ImmutableData
import ImmutableUI
import SampleSupport
import TerminalUI
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// The screen without a terminal: presses keys and compares the text.
@Suite(.timeLimit(.minutes(60))) @MainActor struct FoodTruckScreenTests {
  private let store: Store<FoodTruckState, FoodTruckAction>
  private let listener = StoreListener(session: TruckActivitySession { Order.previewDate })
  private let driver: ScreenDriver

  init() throws {
    store = try PreviewStore().store
    let source = OrderSource(seed: 5) { number in Order.previewDate + 60 * Double(number) }
    listener.listen(to: store, placing: source)
    let feed = OrderFeed(to: store, from: source)
    driver = ScreenDriver(
      FoodTruckScreen(store, dispatch: ActionDispatch(store), feed: feed), columns: 76, rows: 22)
  }

  private func shows(_ text: String) async -> Bool {
    await settle { driver.text.contains(text) }
  }

  @Test func opensWithTheOrdersSortedByStatus() {
    #expect(
      driver.text == """
        The Rolling Ring                                          12 orders · paused
        [1 Orders] 2 Card  3 Sales  4 Donuts
        by status
            Order       Status     Donuts  City          Placed
            Order#4     completed       2  Old Harbour   09:04
            Order#2     completed       3  Old Harbour   09:01
            Order#1     completed       3  Old Harbour   09:00
            Order#11    ready           4  Old Harbour   09:11
            Order#3     ready           4  Old Harbour   09:02
            Order#7     preparing       4  Market Cross  09:07
            Order#5     preparing       2  Old Harbour   09:05
            Order#12    placed          3  Old Harbour   09:12
            Order#10    placed          1  Market Cross  09:09
            Order#9     placed          3  Market Cross  09:09
            Order#8     placed          2  Market Cross  09:08
            Order#6     placed          4  Market Cross  09:06




        (Enter View Details)  n Create Order  (c Complete Order)  (Space Mark)
        ? Help  Tab Next  s Sort  / Search  l Live  + Speed ×1  q Quit

        """)
  }

  @Test func cardShowsNewestOrdersAndTopDonuts() {
    driver.press(.tab)
    #expect(
      driver.lines[1..<13].joined(separator: "\n") == """
         1 Orders [2 Card] 3 Sales  4 Donuts

        New Orders                           │ Top Donuts
                                             │
        Order#12  placed                     │ 1. Birthday               6
        Coconut Beach, Apple Fritter         │ 2. Midnight Cocoa         4
                                             │ 3. Plain Ring             3
                                             │ 4. Berry Patch            3
        Order#11    ready      09:11         │ 5. Salted Caramel         3
        Order#10    placed     09:09         │
        Order#9     placed     09:09         │
        Order#8     placed     09:08         │
        """)
    driver.press(.enter)
    #expect(driver.text.contains("Order Details") && driver.text.contains("2 × Coconut Beach"))
  }

  @Test func orderIsPreparedAndHandedOver() async {
    driver.press(.end, .enter)
    #expect(driver.text.contains("Order#6") && driver.text.contains("placed · Market Cross · 09:06"))
    #expect(driver.text.contains("Enter Prepare") && driver.text.contains("4 × Birthday"))
    driver.press(.enter)
    #expect(await shows("preparing · Market Cross"))
    #expect(await shows("1 in preparation"))
    driver.press("p")
    #expect(await shows("completed · Market Cross"))
    #expect(await shows("(Enter Done)"))
    driver.press("p")
    #expect(await settle { store.state == Self.state(completing: ["Order#6"]) })
    driver.press(.escape)
    #expect(driver.text.contains("[1 Orders]"))
  }

  @Test func markedOrdersAreCompletedTogether() async {
    // The first order is already completed. The others are the fifth and the last of the list.
    driver.press(.down, " ", .down, .down, .down, .down, " ", .end, " ")
    #expect(driver.lines.count { line in line.contains("●") } == 3)
    driver.press("c")
    #expect(await shows("completed · Old Harbour"))
    #expect(driver.text.contains("Order Complete") && driver.text.contains("Order#3"))
    #expect(store.state == Self.state(completing: ["Order#3", "Order#6"]))
    driver.press(.escape)
    #expect(!driver.text.contains("●"))
  }

  /// The next key clears a notice, but not a recording failure.
  @Test func recordingFailureIsShownUntilItEnds() {
    let notices = ScreenNotices()
    let driver = ScreenDriver(
      FoodTruckScreen(store, dispatch: ActionDispatch(store), notices: notices), columns: 40, rows: 22)
    notices.report(recordingFailure: "not recorded: the disk of this machine, which stores the log, is full")
    notices.report("something else")
    #expect(driver.needsDrawing)
    driver.press(.down)
    #expect(driver.text.contains("not recorded: the disk of this machine,\nwhich stores the log, is full"))
    notices.report(recordingFailure: nil)
    #expect(!driver.text.contains("not recorded") && !driver.text.contains("something else"))
  }

  @Test func positionIsRestored() throws {
    let first = FoodTruckScreen(store, dispatch: ActionDispatch(store))
    let other = ScreenDriver(first, columns: 76, rows: 22)
    other.press("s", .end, .up, "3", .right, .down)
    let second = FoodTruckScreen(store, dispatch: ActionDispatch(store))
    second.place = try JSONDecoder().decode(FoodTruckPlace.self, from: try JSONEncoder().encode(first.place))
    #expect(ScreenDriver(second, columns: 76, rows: 22).text == other.text)
    let lists = [other, ScreenDriver(second, columns: 76, rows: 22)].map { driver in
      driver.press("1")
      return driver.text
    }
    #expect(lists[0] == lists[1] && lists[0].contains("›") && lists[0].contains("by newest"))
  }

  /// A city of another version is replaced by all cities.
  @Test func missingCityIsReplacedByAllCities() throws {
    let screen = FoodTruckScreen(store, dispatch: ActionDispatch(store))
    let all = ScreenDriver(screen, columns: 76, rows: 22)
    all.press("3")
    let text = all.text
    let kept = Data(#"{"pane":2,"sort":"status","searchText":"","cityID":"gone"}"#.utf8)
    screen.place = try JSONDecoder().decode(FoodTruckPlace.self, from: kept)
    #expect(ScreenDriver(screen, columns: 76, rows: 22).text == text)
    #expect(text.contains("All cities") && !text.contains("nothing sold yet"))
  }

  @Test func createdOrderIsListed() async {
    driver.press("n")
    #expect(await shows("13 orders"))
    // The list is another view, and can follow later.
    #expect(await shows("Order#13"))
  }

  @Test func ordersAreSearchedAndSorted() async {
    driver.press("/")
    driver.type("maple")
    #expect(driver.text.contains("Search: maple") && driver.text.contains("containing “maple”"))
    #expect(driver.lines[4...].filter { line in line.contains("Order#") }.count == 2)
    driver.press(.enter, "s")
    #expect(driver.text.contains("by newest   containing “maple”"))
    #expect(driver.lines[4].contains("Order#10"))
    driver.press("/", .escape)
    #expect(driver.lines.filter { line in line.contains("Order#") }.count == 12)
    driver.press("/")
    driver.type("nothing")
    #expect(driver.text.contains("no orders found"))
  }

  @Test func renamedDonutIsRenamedInAllOrders() async {
    driver.press("3", .right, .right, .right)
    #expect(driver.text.contains("Top 5 of Market Cross"))
    driver.press(.down, "e", .control("u"))
    driver.type("Name Day")
    driver.press(.tab, .tab, .tab, .tab, .enter)
    #expect(await shows("Name Day"))
    #expect(store.select(FoodTruckState.selectOrder(orderID: "Order#6"))?.donuts.map(\.name) == ["Name Day"])
    driver.press("e", .escape)
    #expect(store.select(FoodTruckState.selectDonut(donutID: 10))?.name == "Name Day")
  }

  @Test func citiesWrapAround() {
    driver.press("3")
    for title in ["Old Harbour", "Seven Hills", "Market Cross", "Millbrook", "All cities"] {
      driver.press(.right)
      #expect(driver.text.contains("Top 5 of \(title)"))
      #expect(driver.text.contains("nothing sold yet") == ["Seven Hills", "Millbrook"].contains(title))
    }
    driver.press(.left)
    #expect(driver.text.contains("Millbrook"))
  }

  @Test func feedStartsAndPauses() {
    driver.press("l")
    #expect(driver.text.contains("live ×1") && driver.text.contains("l Pause"))
    driver.press("+")
    #expect(driver.text.contains("live ×2"))
    driver.press("l")
    #expect(driver.text.contains("paused") && driver.text.contains("l Live"))
  }

  @Test func rejectionIsShown() {
    struct Refusal: Error, CustomStringConvertible { var description: String { "no more orders" } }
    let driver = ScreenDriver(FoodTruckScreen(store, dispatch: ActionDispatch { _ in throw Refusal() }))
    driver.press("n")
    #expect(driver.text.contains("no more orders"))
    driver.press(.down)
    #expect(!driver.text.contains("no more orders"))
  }

  @Test func qQuits() {
    #expect(driver.press("q") == .finish)
    #expect(driver.isFinished)
  }

  @Test(arguments: [(1, 1), (3, 2), (20, 5), (200, 60)])
  func screenDrawsAtAnySize(columns: Int, rows: Int) {
    driver.size = TerminalSize(columns: columns, rows: rows)
    for _ in 0..<4 {
      #expect(driver.lines.count == rows)
      driver.press(.tab)
    }
    driver.press(.down, .enter)
    #expect(driver.lines.count == rows)
    driver.press("?")
    #expect(driver.lines.count == rows)
    driver.press("?", .escape, "4", "n", "a", .backspace)
    #expect(driver.lines.count == rows)
  }

  @Test func questionMarkShowsTheKeys() {
    driver.press("?")
    #expect(driver.text.contains("any key closes") && driver.text.contains("Complete Order"))
    driver.press("n")
    #expect(!driver.text.contains("any key closes") && driver.text.contains("12 orders"))
    driver.press(.end, .enter, "?")
    #expect(driver.text.contains("any key closes"), "the help also opens over an order")
    driver.press("?")
    #expect(driver.text.contains("Order Details"))
    driver.press(.escape, "/", "?")
    #expect(driver.text.contains("Search: ?"), "? is text in a field")
  }

  @Test func galleryShowsAllDonuts() {
    driver.press("4")
    #expect(
      driver.lines[1..<7].joined(separator: "\n") == """
         1 Orders  2 Card  3 Sales [4 Donuts]
        by menu
          Donut             Dough   Glaze           Topping             Sold
          Plain Ring        yeast   –               –                      3
          Honey Dip         yeast   honey           –                      2
          Midnight Cocoa    cocoa   dark chocolate  cocoa nibs             4
        """)
    driver.press("s")
    #expect(driver.lines[2] == "by name" && driver.lines[4].hasPrefix("  Apple Fritter"))
    driver.press("s")
    #expect(driver.lines[2] == "by popularity" && driver.lines[4].hasPrefix("  Birthday"))
    driver.press("/")
    driver.type("co")
    #expect(driver.lines.count { line in line.hasPrefix("  Coconut Beach") || line.hasPrefix("  Midnight Cocoa") } == 2)
    #expect(driver.text.contains("containing “co”") && !driver.text.contains("Birthday"))
    driver.press(.escape, "1")
    #expect(
      driver.text.contains("Order#12") && !driver.text.contains("containing"), "orders have their own search text")
  }

  @Test func editorChangesADonutInAllOrders() async {
    driver.press("4", .down, .down, .down, .down, .down, "e")
    #expect(driver.text.contains("Edit Donut") && driver.text.contains("Name: Maple Walk"))
    driver.press(.control("u"))
    driver.type("Winter Maple")
    driver.press(.tab, .tab, .tab, "c", "c", .tab, .enter)
    #expect(await shows("Winter Maple"))
    #expect(!driver.text.contains("Edit Donut"))
    let donut = Donut(id: 5, name: "Winter Maple", dough: "rye", glaze: "maple", topping: "cinnamon")
    #expect(store.select(FoodTruckState.selectDonut(donutID: 5)) == donut)
    #expect(store.select(FoodTruckState.selectOrder(orderID: "Order#10"))?.donuts == [donut])
  }

  @Test func newDonutNeedsANameAndADough() async {
    driver.press("4", "n")
    #expect(driver.text.contains("New Donut") && !driver.text.contains("!"), "no errors before a key is pressed")
    // Pressing the disabled Save button shows the missing fields.
    driver.press(.backTab, .backTab, .enter)
    #expect(driver.text.contains("! Enter a name") && driver.text.contains("! Select a dough"))
    #expect(store.select(FoodTruckState.selectDonut(donutID: 13)) == nil)
    driver.press(.tab, .tab)
    driver.type("Night Shift")
    driver.press(.tab, "r", .tab, .tab, .tab, .enter)
    #expect(await shows("Night Shift"))
    #expect(
      store.select(FoodTruckState.selectDonut(donutID: 13)) == Donut(id: 13, name: "Night Shift", dough: "rice"))
    driver.press("n", .escape)
    #expect(store.select(FoodTruckState.selectDonutsValues()).count == 13, "Esc adds nothing")
  }

  @Test func rejectedDonutStaysInTheEditor() {
    struct Refusal: Error, CustomStringConvertible { var description: String { "no more donuts" } }
    let driver = ScreenDriver(
      FoodTruckScreen(store, dispatch: ActionDispatch { _ in throw Refusal() }), columns: 76, rows: 22)
    driver.press("4", .down, "e", "!", .backTab, .backTab, .enter)
    #expect(driver.text.contains("no more donuts") && driver.text.contains("Name: Plain Ring!"))
  }

  @Test func galleryIsRestored() throws {
    let first = FoodTruckScreen(store, dispatch: ActionDispatch(store))
    let driver = ScreenDriver(first, columns: 76, rows: 22)
    driver.press("4", "s", "/", "a", .enter, .down, .down)
    let second = FoodTruckScreen(store, dispatch: ActionDispatch(store))
    second.place = try JSONDecoder().decode(FoodTruckPlace.self, from: try JSONEncoder().encode(first.place))
    #expect(ScreenDriver(second, columns: 76, rows: 22).text == driver.text)
    #expect(driver.text.contains("containing “a”") && driver.text.contains("› "))
  }

  /// The samples with some completed orders.
  private static func state(completing orderIDs: [Order.ID]) -> FoodTruckState {
    var state = FoodTruckState()
    let actions: [FoodTruckAction] =
      [
        .data(.modelListener(.didReceiveOrders(Order.previewArray))),
        .data(.modelListener(.didReceiveDonuts(Donut.all))),
      ]
      + orderIDs.map { orderID in .ui(.ordersView(.onTapCompleteOrderButton(orderID: orderID))) }
    for action in actions { do { try FoodTruckLog.reduce(into: &state, action: action) } catch {} }
    return state
  }
}

/// The screen of a position in a history.
@Suite(.timeLimit(.minutes(60))) @MainActor struct FoodTruckPastTests {
  @Test func everyRevisionOfTheRecordedLogIsDrawn() async throws {
    let log = PackageFolder.root
      .appending(path: "logs/foodtruck").path
    let past = await HistoryObserver(try History<FoodTruckLog>(at: log).cursor(at: .start))
    struct Past: Error {}
    let driver = ScreenDriver(FoodTruckScreen(past, dispatch: ActionDispatch { _ in throw Past() }))
    #expect(driver.text.contains("0 orders") && driver.text.contains("no orders yet"))
    try await past.jump(to: 8)
    #expect(await settle { driver.text.contains("3 orders") && driver.text.contains("1 in preparation") })
    driver.press("2")
    #expect(driver.text.contains("Order#3  placed"))
    #expect(!driver.text.contains("Live"), "there is no feed in a history")
    try await past.jump(to: 21)
    #expect(await settle { driver.text.contains("Order#6  placed") })
    #expect(await settle { driver.text.contains("Winter Maple") })
  }
}
