import FoodTruckData
import FoodTruckUI
import Foundation
import ImmutableData
import ImmutableUI
import TestSupport
import Testing
import TreeCollections

@Suite(.timeLimit(.minutes(60))) @MainActor struct OrdersViewTests {
  private typealias Root = OrdersView<Store<FoodTruckState, FoodTruckAction>>

  /// Creates a view that records dispatched actions.
  private func view() throws -> (Root, () -> [FoodTruckAction]) {
    let recorded = Recorded()
    let store = try PreviewStore().store
    return (Root(store, dispatch: ActionDispatch { action in recorded.actions.append(action) }), { recorded.actions })
  }

  private final class Recorded {
    var actions: [FoodTruckAction] = []
  }

  @Test func opensSortedByStatus() throws {
    let (view, _) = try view()
    #expect(view.orders.prefix(5).map(\.number) == ["4", "2", "1", "11", "3"])
    #expect(view.sort == .status && view.selection.isEmpty && view.searchText.isEmpty)
    view.searchText = "maple"
    #expect(view.orders.map(\.number) == ["3", "10"])
    view.sort = .newest
    #expect(view.orders.map(\.number) == ["10", "3"])
  }

  @Test func createDispatchesOneAction() throws {
    let (view, actions) = try view()
    view.createOrder()
    #expect(actions() == [.ui(.ordersView(.onTapAddOrderButton))])
  }

  @Test func completionDispatchesForEveryExistingOrder() throws {
    let (view, actions) = try view()
    view.selection = ["Order#9", "Order#1", "Order#6", "Order#99"]
    view.completeOrder()
    #expect(
      actions()
        == ["Order#1", "Order#6", "Order#9"].map { id in .ui(.ordersView(.onTapCompleteOrderButton(orderID: id))) })
    #expect(view.completion == "Order#6")
  }

  @Test(arguments: [[], ["Order#1", "Order#2"], ["Order#99"]] as [Set<Order.ID>])
  func emptyCompletionDispatchesNothing(selection: Set<Order.ID>) throws {
    let (view, actions) = try view()
    view.selection = selection
    #expect(!view.rules.isCompleteOrderEnabled)
    view.completeOrder()
    #expect(actions().isEmpty && view.completion == nil)
  }

  @Test func rejectionIsShown() throws {
    struct Refusal: Error {}
    let view = Root(try PreviewStore().store, dispatch: ActionDispatch { _ in throw Refusal() })
    #expect(view.lastError == nil)
    view.createOrder()
    #expect(view.lastError is Refusal)
    let detail = OrderDetailView(
      try PreviewStore().store, dispatch: ActionDispatch { _ in throw Refusal() }, orderID: "Order#6")
    detail.tapStatusButton()
    #expect(detail.lastError is Refusal)
  }

  @Test(arguments: Order.previewArray.map(\.id) + ["Order#99"])
  func statusButtonDispatchesIfEnabled(orderID: Order.ID) throws {
    let recorded = Recorded()
    let view = OrderDetailView(
      try PreviewStore().store, dispatch: ActionDispatch { action in recorded.actions.append(action) }, orderID: orderID
    )
    let isEnabled = [.placed, .preparing].contains(view.rules.order?.status)
    #expect(view.rules.isStatusButtonEnabled == isEnabled)
    view.tapStatusButton()
    #expect(recorded.actions == (isEnabled ? [.ui(.orderDetailView(.onTapStatusButton(orderID: orderID)))] : []))
  }

  @Test func cardShowsTheFiveNewestOrders() throws {
    let card = TruckOrdersCard(try PreviewStore().store)
    #expect(card.rules.headline?.number == "12")
    #expect(card.rules.others.map(\.number) == ["11", "10", "9", "8"])
  }

  @Test func previewMirrorsAModel() async throws {
    let model = FoodTruckModel(orders: Order.previewArray, customers: 0)
    let preview = PreviewStore(model: model)
    #expect(await settle { preview.store.select(FoodTruckState.selectOrdersCount()) == 12 })
    try preview.store.dispatch(action: .ui(.orderDetailView(.onTapStatusButton(orderID: "Order#6"))))
    #expect(await settle { preview.store.select(FoodTruckState.selectOrder(orderID: "Order#6"))?.status == .preparing })
    #expect(model.orders[5].status == .preparing)
  }

  private protocol Maker {
    @MainActor func make(_ model: FoodTruckModel) -> Root
  }

  private struct LegacyMaker: Maker {
    @available(*, deprecated) func make(_ model: FoodTruckModel) -> Root { OrdersView(model: model) }
  }

  /// The deprecated initializer still works.
  @Test func legacyViewUsesTheModel() async throws {
    let maker: any Maker = LegacyMaker()
    let model = FoodTruckModel(orders: Order.previewArray, customers: 0)
    let view = maker.make(model)
    #expect(await settle { view.orders.count == 12 && view.orders.allSatisfy { !$0.donuts.isEmpty } })
    view.createOrder()
    #expect(await settle { view.orders.count == 13 })
    #expect(model.orders.count == 13)
  }
}
