import EventSourcing
import FoodTruckData
import Testing
import TreeCollections

/// A row of a reducer's table: an action in a state leads to another state.
struct Rule: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let before: FoodTruckState
  let action: FoodTruckAction
  let after: FoodTruckState

  init(_ name: String, _ before: FoodTruckState, _ action: FoodTruckAction, _ after: FoodTruckState) {
    testDescription = name
    self.before = before
    self.action = action
    self.after = after
  }
}

@Suite struct FoodTruckReducerTests {
  private static let order = Order.sample(6)

  @Test(
    arguments: [(.placed, .preparing), (.preparing, .completed), (.ready, .ready), (.completed, .completed)]
      as [(OrderStatus, OrderStatus)])
  func statusButtonAdvancesTheOrder(before: OrderStatus, after: OrderStatus) throws {
    try check(
      Rule("", .with([Self.order.with(before)]), .tapStatus(Self.order.id), .with([Self.order.with(after)])))
  }

  @Test(arguments: OrderStatus.allCases)
  func orderIsCompletedFromAnyStatus(status: OrderStatus) throws {
    try check(
      Rule("", .with([Self.order.with(status)]), .complete(Self.order.id), .with([Self.order.with(.completed)])))
  }

  @Test(arguments: [
    Rule("a tap on an order that is not there", .samples, .tapStatus("Order#99"), .samples),
    Rule("completing an order that is not there", .samples, .complete("Order#99"), .samples),
    Rule("a wish for an order", .samples, .add, .samples),
    Rule("an order comes in", .with([]), .place(order), .with([order])),
    Rule(
      "an order with a known id replaces it", .with([order]), .place(order.with(.ready)), .with([order.with(.ready)])),
    Rule(
      "a donut is edited", .with([order]), .save(Donut.all[0].named("New")),
      .with([order], donuts: [Donut.all[0].named("New")] + Donut.all.dropFirst())),
    Rule(
      "a donut is made", .with([], donuts: []), .save(Donut.all[3]), .with([], donuts: [Donut.all[3]])),
    Rule("orders replace all orders", .with([.sample(1), .sample(2)]), .orders([order]), .with([order])),
    Rule(
      "of two orders with one id the last one wins", .with([]), .orders([order, order.with(.ready)]),
      .with([order.with(.ready)])),
    Rule("donuts replace all donuts", .with([]), .donuts([Donut.all[2]]), .with([], donuts: [Donut.all[2]])),
    Rule(
      "of two donuts with one id the last one wins", .with([]), .donuts([Donut.all[2].named("Old"), Donut.all[2]]),
      .with([], donuts: [Donut.all[2]])),
    Rule(
      "an activity starts", .with([order]), .data(.storeListener(.didStartActivity(orderID: order.id))),
      .with([order], activities: [order.id])),
    Rule(
      "an activity ends", .with([order], activities: [order.id]),
      .data(.storeListener(.didEndActivity(orderID: order.id))), .with([order])),
    Rule(
      "an activity that does not run ends", .with([order]),
      .data(.storeListener(.didEndActivity(orderID: order.id))), .with([order])),
  ])
  func whatHappensChangesTheState(rule: Rule) throws { try check(rule) }

  private func check(_ rule: Rule) throws {
    #expect(try FoodTruckLog.reducer(rule.before, rule.action) == rule.after)
    #expect(try FoodTruckLog.reducer(rule.before, rule.action) == rule.after)
    var state = rule.before
    try FoodTruckLog.reduce(into: &state, action: rule.action)
    #expect(state == rule.after)
  }
}

@Suite struct FoodTruckMirrorReducerTests {
  /// The walk-through's table: actions of the user change nothing, and complete tables replace those of the state.
  @Test(arguments: ActionCase.all)
  func onlyTablesChangeTheState(candidate: ActionCase) throws {
    let expected: FoodTruckState =
      switch candidate.kind {
      case .ordersReceived: .with([.sample(5)], activities: ["Order#5"])
      case .donutsReceived: .with(Order.previewArray, donuts: [Donut.all[1]], activities: ["Order#5"])
      default: .samples
      }
    #expect(try FoodTruckMirrorLog.reducer(.samples, candidate.action) == expected)
    #expect(try FoodTruckMirrorLog.reducer(.samples, candidate.action) == expected)
    var state = FoodTruckState.samples
    try FoodTruckMirrorLog.reduce(into: &state, action: candidate.action)
    #expect(state == expected)
  }

  @Test func lastRowWithAnIDWins() throws {
    let orders = [Order.sample(1), Order.sample(1).with(.placed)]
    let donuts = [Donut.all[0], Donut.all[0].named("Later")]
    var state = try FoodTruckMirrorLog.reducer(FoodTruckState(), .orders(orders))
    state = try FoodTruckMirrorLog.reducer(state, .donuts(donuts))
    #expect(state == .with([orders[1]], donuts: [donuts[1]]))
  }
}

@Suite struct FoodTruckLogTests {
  @Test func tableCoversEveryKindOfAction() {
    #expect(ActionCase.all.map(\.kind) == ActionKind.allCases)
  }

  @Test func modelsHaveNamesAndInitialStates() {
    #expect(FoodTruckLog.name == "foodtruck")
    #expect(FoodTruckMirrorLog.name == "foodtruck-mirror")
    #expect([FoodTruckLog.schema, FoodTruckMirrorLog.schema] == [1, 1])
    #expect(FoodTruckLog.initialState == .with([], donuts: []))
    #expect(FoodTruckMirrorLog.initialState == .with([], donuts: []))
  }
}
