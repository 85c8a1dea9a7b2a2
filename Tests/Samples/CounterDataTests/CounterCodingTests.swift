import CounterData
import Foundation
import Testing

/// The golden lines of all actions and of the state. Changing one changes the format.
@Suite struct CounterCodingTests {
  @Test(arguments: [
    (CounterAction.didTapIncrementButton, #"{"didTapIncrementButton":{}}"#),
    (.didTapDecrementButton, #"{"didTapDecrementButton":{}}"#),
  ])
  func encodedActionsMatchGoldenLines(action: CounterAction, line: String) throws {
    #expect(String(decoding: try JSONEncoder().encode(action), as: UTF8.self) == line)
    #expect(try JSONDecoder().decode(CounterAction.self, from: Foundation.Data(line.utf8)) == action)
  }

  @Test(arguments: [
    (CounterState(), #"{"value":0}"#),
    (CounterState(.min), #"{"value":-9223372036854775808}"#),
  ])
  func encodedStatesMatchGoldenLines(state: CounterState, line: String) throws {
    #expect(String(decoding: try JSONEncoder().encode(state), as: UTF8.self) == line)
    #expect(try JSONDecoder().decode(CounterState.self, from: Foundation.Data(line.utf8)) == state)
  }
}
