import CounterData
import JSONCoding
import Testing

/// The golden line of every action and of the state: changing one is changing the format.
@Suite struct CounterCodingTests {
  @Test(arguments: [
    (CounterAction.didTapIncrementButton, "didTapIncrementButton"),
    (.didTapDecrementButton, "didTapDecrementButton"),
  ])
  func actionsAreWrittenAsBefore(action: CounterAction, type: String) throws {
    let (bytes, path) = try StrictJSONEncoder().encodeWithCasePath(action)
    let line = #"{"\#(type)":{}}"#
    #expect(String(decoding: bytes, as: UTF8.self) == line)
    #expect(try StrictJSONDecoder().decode(CounterAction.self, from: Array(line.utf8)) == action)

    // What a log stores of it: the name of the case, and an empty payload.
    #expect(path.map(\.key) == [type])
    #expect(String(decoding: bytes[try #require(path.last).content], as: UTF8.self) == "{}")
  }

  @Test func everyActionIsPinned() {
    #expect(CounterAction.allCases == [.didTapIncrementButton, .didTapDecrementButton])
  }

  @Test(arguments: [
    (CounterState(), #"{"value":0}"#),
    (CounterState(.min), #"{"value":-9223372036854775808}"#),
  ])
  func statesAreWrittenAsBefore(state: CounterState, line: String) throws {
    #expect(String(decoding: try StrictJSONEncoder().encode(state), as: UTF8.self) == line)
    #expect(try StrictJSONDecoder().decode(CounterState.self, from: Array(line.utf8)) == state)
  }
}
