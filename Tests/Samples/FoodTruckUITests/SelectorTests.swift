import EventSourcing
import FoodTruckData
import FoodTruckUI
import Foundation
import ImmutableData
import ImmutableUI
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
    await double.change(to: try FoodTruckLog.reducer(double.state, action), by: action)
  }

  @Test func firstFewAndAllOrdersAreSelected() {
    let all = Selection(double, FoodTruckQuery.orders(using: [Self.newest]))
    let few = Selection(double, FoodTruckQuery.orders(min: 3, using: [Self.newest]))
    let found = Selection(double, FoodTruckQuery.orders(searchText: "maple", using: [Self.newest]))
    let foundFew = Selection(double, FoodTruckQuery.orders(searchText: "order", min: 1, using: [Self.newest]))
    #expect(all.output.count == 12)
    #expect(few.output.map(\.number) == ["12", "11", "10"])
    #expect(found.output.map(\.number) == ["10", "3"])
    #expect(foundFew.output.map(\.number) == ["12"])
  }

  @Test func unchangedOrdersAreNotSortedAgain() async throws {
    let selector = Selection(double, FoodTruckQuery.orders(using: [Self.newest]))
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
    let oldest = KeyPathComparator(\Order.creationDate)
    let orders = Selection(double, FoodTruckQuery.orders(using: [Self.newest]))
    #expect(orders.output.count == 12)
    orders.update(FoodTruckQuery.orders(searchText: "maple", using: [Self.newest]))
    #expect(orders.output.map(\.number) == ["10", "3"])
    orders.update(FoodTruckQuery.orders(searchText: "maple", using: [oldest]))
    #expect(orders.output.map(\.number) == ["3", "10"])
    orders.update(FoodTruckQuery.orders(using: [oldest]))
    #expect(orders.output.count == 12)
    #expect(double.streams.count == 4, "new parameters start new listeners")
    _ = orders.output
    #expect(double.streams.count == 4, "the same parameters do not")
    try await advance("Order#6")
    #expect(orders.output.first { order in order.id == "Order#6" }?.status == .preparing)
  }

  @Test func statusesFollowTheSelection() async throws {
    let fixed = Selection(double, FoodTruckQuery.statuses(orderIDs: ["Order#6"]))
    let statuses = Selection(double, FoodTruckQuery.statuses(orderIDs: []))
    #expect(statuses.output.isEmpty && fixed.output == ["Order#6": .placed])
    statuses.update(FoodTruckQuery.statuses(orderIDs: ["Order#6", "Order#1", "Order#99"]))
    #expect(statuses.output == ["Order#6": .placed, "Order#1": .completed])
    try await advance("Order#6")
    #expect(statuses.output["Order#6"] == .preparing)
  }

  @Test func oneOrderIsSelected() async throws {
    let order = Selection(double, FoodTruckQuery.order(orderID: "Order#6"))
    #expect(order.output?.status == .placed)
    try await advance("Order#6")
    #expect(order.output?.status == .preparing)
    order.update(FoodTruckQuery.order(orderID: nil))
    #expect(order.output == nil)
    order.update(FoodTruckQuery.order(orderID: "Order#99"))
    #expect(order.output == nil)
  }

  @Test func topDonutsFollowTheCity() async throws {
    let top = Selection(double, FoodTruckQuery.topDonuts(cityID: nil, min: 2))
    #expect(top.output.map(\.id) == [10, 3])
    top.update(FoodTruckQuery.topDonuts(cityID: "harbour", min: 2))
    #expect(top.output.map(\.id) == [1, 6] || top.output.count == 2)
    let action = FoodTruckAction.data(
      .storeListener(
        .didPlaceOrder(
          order: Order.BackingData(
            id: "Order#13", status: .placed, donutIDs: [8], sales: [8: 50], cityID: "harbour",
            creationDate: Order.previewDate))))
    await double.change(to: try FoodTruckLog.reducer(double.state, action), by: action)
    #expect(top.output.first?.id == 8)
  }

  @Test func twoListenersOfOneStoreAgree() async throws {
    let store = try PreviewStore().store
    let (first, second) = (
      Selection(store, FoodTruckQuery.orders(using: [Self.newest])),
      Selection(store, FoodTruckQuery.orders(searchText: "order", using: [Self.newest]))
    )
    #expect(first.output == second.output)
    for _ in 0..<3 {
      for orderID in ["Order#6", "Order#7", "Order#8"] {
        try store.dispatch(action: .ui(.orderDetailView(.onTapStatusButton(orderID: orderID))))
      }
    }
    let expected = FoodTruckState.selectOrdersValues(using: [Self.newest])(store.state)
    #expect(await settle { first.output == expected && second.output == expected })
  }
}
