import FoodTruckData
import FoodTruckUI
import Foundation
import Testing

@Suite struct OrdersRulesTests {
  private static let ids = ["Order#1", "Order#2", "Order#3"]

  @Test(arguments: 0...3)
  func detailsNeedExactlyOneOrder(count: Int) {
    let rules = OrdersRules(selection: Set(Self.ids.prefix(count)), statuses: [:])
    #expect(rules.isViewDetailsEnabled == (count == 1))
  }

  @Test(
    arguments: [
      ([], false), ([.completed], false), ([.completed, .completed], false), ([.placed], true), ([.preparing], true),
      ([.ready], true), ([.completed, .ready], true),
    ] as [([OrderStatus], Bool)])
  func completionNeedsAnOpenOrder(statuses: [OrderStatus], isEnabled: Bool) {
    let statuses = Dictionary(uniqueKeysWithValues: zip(Self.ids, statuses))
    #expect(OrdersRules(selection: Set(Self.ids), statuses: statuses).isCompleteOrderEnabled == isEnabled)
    #expect(!OrdersRules(selection: [], statuses: statuses).isCompleteOrderEnabled)
  }

  @Test func existingOrdersAreCompletedInOrderOfIDs() {
    let rules = OrdersRules(
      selection: ["Order#3", "Order#1", "Order#2", "Order#99"],
      statuses: ["Order#2": .placed, "Order#1": .completed, "Order#3": .ready, "Order#7": .placed])
    #expect(rules.orderIDsToComplete == ["Order#1", "Order#2", "Order#3"])
    #expect(rules.orderIDOfCompletion == "Order#2")
    #expect(OrdersRules(selection: ["Order#99"], statuses: [:]).orderIDOfCompletion == nil)
  }
}

@Suite struct OrderDetailRulesTests {
  @Test(
    arguments: [
      (.placed, true, "Prepare"), (.preparing, true, "Hand over"), (.ready, false, "Done"), (.completed, false, "Done"),
    ] as [(OrderStatus, Bool, String)])
  func buttonIsEnabledIfThereIsANextStatus(status: OrderStatus, isEnabled: Bool, title: String) {
    var order = Order.preview
    order.status = status
    let rules = OrderDetailRules(order)
    #expect(rules.isStatusButtonEnabled == isEnabled && rules.statusButtonTitle == title)
    #expect(rules.title == "Order#11")
  }

  @Test func missingOrderHasATitle() {
    let rules = OrderDetailRules(nil)
    #expect(rules.title == "missing order" && !rules.isStatusButtonEnabled)
  }
}

@Suite struct TruckOrdersCardRulesTests {
  @Test func newestOrderIsTheHeadline() {
    let rules = TruckOrdersCardRules(Array(Order.previewArray.suffix(5).reversed()))
    #expect(rules.headline?.id == "Order#12")
    #expect(rules.others.map(\.id) == ["Order#11", "Order#10", "Order#9", "Order#8"])
    #expect(TruckOrdersCardRules([]).headline == nil && TruckOrdersCardRules([]).others.isEmpty)
    #expect(TruckOrdersCardRules.count == 5)
  }
}

@Suite struct OrdersSortTests {
  @Test func sortsWrapAround() {
    #expect(OrdersSort.allCases.map(\.nextCase) == Array(OrdersSort.allCases.dropFirst()) + [.status])
    #expect(OrdersSort.allCases.map(\.title) == ["status", "newest", "oldest", "donuts"])
  }

  @Test(
    arguments: [
      (.status, ["4", "2"]), (.newest, ["12", "11"]), (.oldest, ["1", "2"]), (.donuts, ["11", "7"]),
    ] as [(OrdersSort, [String])])
  func sortOrdersRows(sort: OrdersSort, first: [String]) {
    #expect(Order.previewArray.sorted(using: sort.comparators).prefix(2).map(\.number) == first)
  }
}
