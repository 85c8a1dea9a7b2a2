import ActionLog
import FoodTruckData
import JSONCoding
import Testing

/// The golden lines of all actions and of the state. Changing one changes the format.
@Suite struct FoodTruckCodingTests {
  @Test(arguments: ActionCase.all)
  func encodedActionsMatchGoldenLines(candidate: ActionCase) throws {
    let form = try ActionCoding.encode(candidate.action)
    #expect(form.type == candidate.type)
    #expect(String(decoding: form.data, as: UTF8.self) == candidate.data)
    #expect(try ActionCoder<FoodTruckAction>().encode(candidate.action) == form)
  }

  @Test(arguments: ActionCase.all)
  func goldenLinesDecodeToActions(candidate: ActionCase) throws {
    let action = try ActionCoding.decode(FoodTruckAction.self, type: candidate.type, data: Array(candidate.data.utf8))
    #expect(action == candidate.action)
  }

  @Test(arguments: zip(OrderStatus.allCases, ["placed", "preparing", "ready", "completed"]))
  func encodedStatusesMatchGoldenLines(status: OrderStatus, name: String) throws {
    #expect(try storedText([status]) == #"["\#(name)"]"#)
  }

  @Test func encodedStatesMatchGoldenLines() throws {
    #expect(try storedText(FoodTruckState()) == #"{"orders":{},"donuts":{},"activities":[]}"#)
    let state = FoodTruckState.with([.sample(5)], donuts: [Donut.all[0]], activities: ["Order#5"])
    let line = """
      {"orders":{"Order#5":{"id":"Order#5","status":"preparing","donutIDs":[8,9],"sales":{"8":1,"9":1},\
      "cityID":"harbour","creationDate":"2026-11-21T09:05:00Z"}},\
      "donuts":{"1":{"id":1,"name":"Plain Ring","dough":"yeast"}},"activities":["Order#5"]}
      """
    #expect(try storedText(state) == line)
    #expect(try StrictJSONDecoder().decode(FoodTruckState.self, from: Array(line.utf8)) == state)
  }

  @Test(arguments: [
    ("ui.orderDetailView.onTapStatusButton", "{}"),
    ("ui.ordersView.onTapDeleteOrderButton", #"{"orderID":"Order#5"}"#),
    ("data.modelListener.didReceiveOrders", #"{"_0":[{}]}"#),
    ("data.storeListener.didPlaceOrder", #"{"order":{"id":"Order#5"}}"#),
  ])
  func otherShapesAreNotActions(type: String, data: String) {
    #expect(throws: (any Error).self) {
      try ActionCoding.decode(FoodTruckAction.self, type: type, data: Array(data.utf8))
    }
  }

  /// Returns the stored form of a value.
  private func storedText(_ value: some Encodable) throws -> String {
    String(decoding: try StrictJSONEncoder().encode(value), as: UTF8.self)
  }
}
