import FoodTruckData
import FoodTruckUI
import Foundation
import ImmutableData
import TestSupport
import Testing
import TreeCollections

@Suite(.timeLimit(.minutes(60))) @MainActor struct FoodTruckSelectionTests {
  private typealias Double = StoreDouble<FoodTruckState, FoodTruckAction>

  private let double: Double
  private static let newest = KeyPathComparator(\Order.creationDate, order: .reverse)
  private static let noOrder = FoodTruckAction.ui(.ordersView(.onTapAddOrderButton))
  private static let tap = FoodTruckAction.ui(.orderDetailView(.onTapStatusButton(orderID: "Order#6")))

  init() throws {
    double = Double(state: try PreviewStore().store.state)
  }

  private func advance(_ orderID: Order.ID) async throws {
    let action = FoodTruckAction.ui(.orderDetailView(.onTapStatusButton(orderID: orderID)))
    await double.change(to: try FoodTruckReducer.reduce(state: double.state, action: action), by: action)
  }

  @Test func firstFewAndAllOrdersAreSelected() {
    let all = SelectOrdersValues(double, using: Self.newest)
    let few = SelectOrdersValues(double, min: 3, using: Self.newest)
    let found = SelectOrdersValues(double, searchText: "maple", using: [Self.newest])
    let foundFew = SelectOrdersValues(double, searchText: "order", min: 1, using: [Self.newest])
    #expect(all.output.count == 12)
    #expect(few.output.map(\.number) == ["12", "11", "10"])
    #expect(found.output.map(\.number) == ["10", "3"])
    #expect(foundFew.output.map(\.number) == ["12"])
  }

  @Test func unchangedOrdersAreNotSortedAgain() async throws {
    let selector = SelectOrdersValues(double, using: Self.newest)
    _ = selector.output
    let before = double.selections
    await double.send(Self.noOrder)
    #expect(double.selections == before, "the filter")
    await double.send(Self.tap)
    #expect(double.selections == before + 1, "the dependency is the same")
    try await advance("Order#6")
    #expect(double.selections == before + 3, "dependency and output")
    #expect(selector.output.first { order in order.id == "Order#6" }?.status == .preparing)
  }

  @Test func parametersChangeWithTheNextRead() async throws {
    let orders = SelectOrders(double, sortOrder: [Self.newest])
    #expect(orders.output.count == 12)
    orders.searchText = "maple"
    #expect(orders.output.map(\.number) == ["10", "3"])
    orders.sortOrder = [KeyPathComparator(\Order.creationDate)]
    #expect(orders.output.map(\.number) == ["3", "10"])
    orders.searchText = ""
    #expect(orders.output.count == 12)
    #expect(double.streams.count == 4, "new parameters start new listeners")
    _ = orders.output
    #expect(double.streams.count == 4, "the same parameters do not")
    try await advance("Order#6")
    #expect(orders.output.first { order in order.id == "Order#6" }?.status == .preparing)
  }

  @Test func statusesFollowTheSelection() async throws {
    let fixed = SelectOrdersStatuses(double, orderIDs: ["Order#6"])
    let statuses = SelectStatuses(double)
    #expect(statuses.output.isEmpty && fixed.output == ["Order#6": .placed])
    statuses.orderIDs = ["Order#6", "Order#1", "Order#99"]
    #expect(statuses.output == ["Order#6": .placed, "Order#1": .completed])
    try await advance("Order#6")
    #expect(statuses.output["Order#6"] == .preparing)
  }

  @Test func oneOrderIsSelected() async throws {
    let order = SelectOrder(double, orderID: "Order#6")
    #expect(order.output?.status == .placed)
    try await advance("Order#6")
    #expect(order.output?.status == .preparing)
    order.orderID = nil
    #expect(order.output == nil)
    order.orderID = "Order#99"
    #expect(order.output == nil)
  }

  @Test func topDonutsFollowTheCity() async throws {
    let top = SelectTopDonuts(double, min: 2)
    #expect(top.output.map(\.id) == [10, 3])
    top.cityID = "harbour"
    #expect(top.output.map(\.id) == [1, 6] || top.output.count == 2)
    let action = FoodTruckAction.data(
      .storeListener(
        .didPlaceOrder(
          order: Order.BackingData(
            id: "Order#13", status: .placed, donutIDs: [8], sales: [8: 50], cityID: "harbour",
            creationDate: Order.previewDate))))
    await double.change(to: try FoodTruckReducer.reduce(state: double.state, action: action), by: action)
    #expect(top.output.first?.id == 8)
  }

  @Test func twoListenersOfOneStoreAgree() async throws {
    let store = try PreviewStore().store
    let (first, second) = (
      SelectOrders(store, sortOrder: [Self.newest]), SelectOrders(store, searchText: "order", sortOrder: [Self.newest])
    )
    #expect(first.output == second.output)
    for _ in 0..<3 {
      for orderID in ["Order#6", "Order#7", "Order#8"] {
        try store.dispatch(action: .ui(.orderDetailView(.onTapStatusButton(orderID: orderID))))
      }
    }
    let expected = FoodTruckState.selectOrdersValues(using: Self.newest)(store.state)
    #expect(await settle { first.output == expected && second.output == expected })
  }
}
