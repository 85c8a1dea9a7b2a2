import CounterData
import EventSourcing
import Testing

@Suite struct CounterReducerTests {
  @Test(arguments: [
    (0, CounterAction.didTapIncrementButton, 1),
    (0, .didTapDecrementButton, -1),
    (41, .didTapIncrementButton, 42),
    (-41, .didTapDecrementButton, -42),
    (.max - 1, .didTapIncrementButton, .max),
    (.min + 1, .didTapDecrementButton, .min),
    (.max, .didTapDecrementButton, .max - 1),
    (.min, .didTapIncrementButton, .min + 1),
  ])
  func tapsCountByOne(value: Int, action: CounterAction, expected: Int) throws {
    #expect(try CounterModel.reducer(CounterState(value), action) == CounterState(expected))

    var state = CounterState(value)
    try CounterModel.reduce(into: &state, action: action)
    #expect(state == CounterState(expected))
  }

  @Test(arguments: [
    (Int.max, CounterAction.didTapIncrementButton),
    (.min, .didTapDecrementButton),
  ])
  func overflowIsRefusedAndLeavesTheState(value: Int, action: CounterAction) {
    let expected = CounterModel.Error(value: value, action: action)
    #expect(throws: expected) { try CounterModel.reducer(CounterState(value), action) }

    var state = CounterState(value)
    #expect(throws: expected) { try CounterModel.reduce(into: &state, action: action) }
    #expect(state == CounterState(value))
  }

  @Test func errorNamesTheOverflow() {
    let error = CounterModel.Error(value: .max, action: .didTapIncrementButton)
    #expect(
      "\(error)"
        == "overflow: didTapIncrementButton cannot be applied to 9223372036854775807. The value is unchanged.")
  }

  @Test func modelUsesTheReducer() throws {
    #expect(CounterModel.name == "counter")
    #expect(CounterModel.schema == 1)
    #expect(CounterModel.initialState == CounterState(0))
    let reducer = CounterModel.reducer
    #expect(try reducer(CounterState(6), .didTapIncrementButton) == CounterState(7))
    #expect(throws: CounterModel.Error.self) { try reducer(CounterState(.max), .didTapIncrementButton) }
  }

  @Test func selectsTheValue() {
    #expect(CounterState.selectValue()(CounterState(7)) == 7)
    #expect(CounterState.selectValue()(CounterState()) == 0)
  }
}
