import FoodTruckData
import FoodTruckUI
import ImmutableUI
import TerminalUI
import TestSupport
import Testing

/// The sales by city and day on the screen, live and in the past.
@MainActor @Suite struct SalesBoardTests {
  /// The past of the board: as many orders as the revision.
  private nonisolated static func sales(_ orders: Int) -> CitySales.State {
    var sales = CitySales.Sales()
    sales.orders = orders
    sales.donuts = 2 * orders
    var state = CitySales.State()
    state.cities["mill"] = ["2026-11-21": sales]
    return state
  }

  private struct Unreadable: Error {}

  @Test func aStepBackShowsTheHistory() async {
    let board = SalesBoard { revision in Self.sales(revision) }
    board.take(Self.sales(25), at: 25)
    #expect(board.isLive)
    await board.stepBack()
    await board.stepBack()
    #expect(!board.isLive)
    #expect(board.revision == 5)
    #expect(board.sales == Self.sales(5))
    // New sales do not disturb the past.
    board.take(Self.sales(26), at: 26)
    #expect(board.revision == 5)
    await board.stepBack()
    #expect(board.revision == 0)
    for _ in 1...3 { await board.stepForward() }
    #expect(board.isLive)
    #expect(board.sales == Self.sales(26))
  }

  @Test func aFailureIsShownUntilTheLatest() async {
    let board = SalesBoard { _ in throw Unreadable() }
    board.take(Self.sales(3), at: 3)
    await board.stepBack()
    #expect(board.failure != nil)
    await board.stepForward()
    #expect(board.failure == nil)
    #expect(board.sales == Self.sales(3))
  }

  @Test func theScreenShowsItNextToTheSales() async throws {
    let store = try PreviewStore().store
    let board = SalesBoard { revision in Self.sales(revision) }
    let driver = ScreenDriver(
      FoodTruckScreen(store, dispatch: ActionDispatch(store), board: board), columns: 100, rows: 22)
    board.take(Self.sales(30), at: 30)
    driver.press("3")
    #expect(await settle { driver.text.contains("By city and day  live") })
    #expect(driver.text.contains("2026-11-21  Millbrook          30      60"))
    driver.press("<")
    #expect(await settle { driver.text.contains("at revision 20") })
    #expect(driver.text.contains("2026-11-21  Millbrook          20      40"))
    driver.press(">")
    #expect(await settle { driver.text.contains("By city and day  live") })
  }
}
