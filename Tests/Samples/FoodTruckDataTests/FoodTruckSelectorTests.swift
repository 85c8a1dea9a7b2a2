import FoodTruckData
import Foundation
import TestSupport
import Testing
import TreeCollections

@Suite struct FoodTruckSelectorTests {
  private static let newest = [KeyPathComparator(\Order.creationDate, order: .reverse)]
  private static let byStatus = [KeyPathComparator(\Order.status, order: .reverse)] + newest

  @Test func ordersAreJoinedWithCurrentDonuts() {
    let state = FoodTruckState.with([.sample(1)], donuts: [Donut.all[0].named("Renamed"), Donut.all[2]])
    let donuts = [Donut.all[0].named("Renamed"), Donut.all[2]]
    #expect(state.order("Order#1")?.donuts == donuts)
    #expect(FoodTruckState.selectOrders()(state)["Order#1"]?.donuts == donuts)
    #expect(FoodTruckState.selectOrdersValues(using: Self.newest)(state).map(\.donuts) == [donuts])
    #expect(FoodTruckState.selectOrdersValues(min: 1, using: Self.newest)(state).map(\.donuts) == [donuts])
  }

  @Test func missingDonutsAreOmittedFromOrders() {
    #expect(FoodTruckState.with([.sample(7)], donuts: [Donut.all[3]]).order("Order#7")?.donuts == [Donut.all[3]])
    #expect(FoodTruckState.with([.sample(7)], donuts: []).order("Order#7")?.donuts == [])
  }

  @Test(arguments: [
    ("", 12), ("order#1", 4), ("ORDER#12", 1), ("maple", 2), ("CAFÉ", 2), ("ring", 2), ("order", 12), ("nothing", 0),
  ])
  func searchRunsOnTheJoinedOrder(text: String, count: Int) {
    #expect(FoodTruckState.selectOrders(searchText: text)(.samples).count == count)
    let values = FoodTruckState.selectOrdersValues(searchText: text, using: Self.newest)(.samples)
    #expect(values.count == count)
    #expect(Set(values.map(\.id)) == Set(FoodTruckState.selectOrders(searchText: text)(.samples).keys))
  }

  @Test func aDonutIsFoundByItsNewName() {
    let state = FoodTruckState.with(
      Order.previewArray, donuts: [Donut.all[4].named("Walk of Maple")] + Donut.all.filter { donut in donut.id != 5 })
    #expect(FoodTruckState.selectOrders(searchText: "Maple Walk")(state).isEmpty)
    #expect(FoodTruckState.selectOrders(searchText: "walk of")(state).count == 2)
  }

  @Test func ordersAreSortedByStatusThenDateThenID() {
    let ids = FoodTruckState.selectOrdersValues(using: Self.byStatus)(.samples).map(\.number)
    // The ninth and tenth orders have the same time: their ids are sorted as strings in ascending order, in both
    // directions.
    #expect(ids == ["4", "2", "1", "11", "3", "7", "5", "12", "10", "9", "8", "6"])
  }

  @Test(arguments: 0...13)
  func limitedSelectionIsASortedPrefix(count: Int) {
    let few = FoodTruckState.selectOrdersValues(searchText: "order", min: count, using: Self.byStatus)(.samples)
    let all = FoodTruckState.selectOrdersValues(searchText: "order", using: Self.byStatus)(.samples)
    #expect(few == Array(all.prefix(count)))
    let one = FoodTruckState.selectOrdersValues(min: count, using: Self.newest)(.samples)
    #expect(one == Array(FoodTruckState.selectOrdersValues(using: Self.newest)(.samples).prefix(count)))
  }

  @Test func statusesAreOfKnownOrdersOnly() {
    let statuses = FoodTruckState.selectOrdersStatuses(orderIDs: ["Order#1", "Order#6", "Order#99", "Order#1"])(
      .samples)
    #expect(statuses == ["Order#1": .completed, "Order#6": .placed])
    #expect(FoodTruckState.selectOrdersStatuses(orderIDs: [])(.samples).isEmpty)
  }

  @Test func oneOrderOrNone() {
    #expect(FoodTruckState.selectOrder(orderID: "Order#5")(.samples) == .sample(5))
    #expect(FoodTruckState.selectOrder(orderID: "Order#99")(.samples) == nil)
    #expect(FoodTruckState.selectOrder(orderID: nil)(.samples) == nil)
    #expect(FoodTruckState.selectOrdersCount()(.samples) == 12)
    #expect(FoodTruckState.selectActivities()(.samples) == ["Order#5"])
  }

  @Test func donutsAreSortedByID() {
    #expect(FoodTruckState.selectDonutsValues()(.samples) == Donut.all)
    #expect(FoodTruckState.selectDonut(donutID: 3)(.samples) == Donut.all[2])
    #expect(FoodTruckState.selectDonut(donutID: 99)(.samples) == nil)
    #expect(FoodTruckState.selectDonut(donutID: nil)(.samples) == nil)
  }

  @Test func galleryIsSortedAndSearched() {
    let menu = FoodTruckState.selectDonutSales()(.samples)
    #expect(menu.map(\.donut) == Donut.all)
    #expect(menu.map(\.count) == Donut.all.map { donut in FoodTruckState.selectSales()(.samples)[donut.id] ?? 0 })
    let names = FoodTruckState.selectDonutSales(searchText: "C", sort: .name)(.samples).map(\.donut.name)
    #expect(names == names.sorted() && names.contains("Midnight Cocoa") && !names.contains("Maple Walk"))
    let counts = FoodTruckState.selectDonutSales(sort: .popularity)(.samples).map(\.count)
    #expect(counts == counts.sorted(by: >))
    #expect(FoodTruckState.selectDonutSales()(FoodTruckState()).isEmpty)
    #expect(DonutSort.allCases.map(\.nextCase) == [.name, .popularity, .menu])
  }

  @Test func newDonutIDIsUnused() {
    #expect(FoodTruckState.selectNewDonutID()(.samples) == 13)
    #expect(FoodTruckState.selectNewDonutID()(FoodTruckState()) == 1)
    let last = FoodTruckState.with([], donuts: [Donut(id: .max, name: "last", dough: "rye")])
    #expect(FoodTruckState.selectNewDonutID()(last) == nil)
  }

  @Test func salesAreCountedByCity() {
    let all = FoodTruckState.selectSales()(.samples)
    let harbour = FoodTruckState.selectSales(cityID: "harbour")(.samples)
    let market = FoodTruckState.selectSales(cityID: "market")(.samples)
    #expect(harbour[12] == 3 && market[12] == nil && all[12] == 3)
    #expect(harbour[3] == 1 && market[3] == 3 && all[3] == 4)
    #expect(all == harbour.merging(market, uniquingKeysWith: +))
    #expect(FoodTruckState.selectSales(cityID: "nowhere")(.samples).isEmpty)
  }

  @Test func topDonutsAreSortedByCountThenID() {
    let top = FoodTruckState.selectTopDonuts(min: 5)(.samples).map { sales in "\(sales.id):\(sales.count)" }
    #expect(top == ["10:6", "3:4", "1:3", "6:3", "7:3"])
    #expect(FoodTruckState.selectTopDonuts(cityID: "market", min: 2)(.samples).map(\.id) == [10, 3])
    #expect(FoodTruckState.selectTopDonuts(min: 99)(.samples).count == 12)
    #expect(FoodTruckState.selectTopDonuts(min: 99)(.with(Order.previewArray, donuts: [Donut.all[0]])).map(\.id) == [1])
  }

  /// Counts from a log can have any value.
  @Test func salesDoNotOverflow() {
    var order = Order.sample(1)
    order.sales = [1: .max, 3: .max]
    var other = Order.sample(2)
    other.sales = [1: 1]
    #expect(FoodTruckState.selectSales()(.with([order, other]))[1] == .max)
    #expect(order.donutCount == .max)
  }
}

@Suite struct OrderTests {
  @Test func statusesAreOrdered() {
    #expect(OrderStatus.allCases == OrderStatus.allCases.sorted())
    #expect(OrderStatus.allCases.map(\.next) == [.preparing, .completed, nil, nil])
  }

  @Test(arguments: OrderStatus.allCases)
  func nextStatusIsReportedIfAny(status: OrderStatus) {
    var order = Order.preview.with(status)
    var told: [OrderStatus] = []
    order.markAsNextStep { status in told.append(status) }
    #expect(told == (status.next.map { next in [next] } ?? []))
    #expect(order == Order.preview.with(status.next ?? status))
    #expect(Order.preview.with(status).isComplete == (status == .completed))
  }

  @Test func samplesAreWellFormed() {
    #expect(Order.preview.status == .ready && Order.previewArray.contains(.preview))
    #expect(Order.previewArray.map(\.id) == (1...12).map { number in "Order#\(number)" })
    #expect(Order.preview.number == "11" && Order.preview.donutCount == 4)
    for order in Order.previewArray {
      #expect(order.donuts.map(\.id) == order.sales.keys.sorted(), "\(order.id)")
      #expect(City.all.contains { city in city.id == order.cityID })
    }
    #expect(Donut.all.map(\.id) == Array(1...12))
    #expect(Set(Donut.all.map(\.name)).count == 12)
  }
}
