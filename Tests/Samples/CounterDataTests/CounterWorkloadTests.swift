import CounterData
import SampleSupport
import Testing

@Suite struct CounterWorkloadTests {
  @Test func equalSeedsGiveEqualActions() {
    let text = CounterWorkload(seed: 7).prefix(48).map { action in action == .didTapIncrementButton ? "+" : "-" }
    #expect(text.joined() == "++++++++--+++++++--++--+-++++-+-++++-++++++-++++")
  }

  @Test func differentSeedsGiveDifferentActions() {
    #expect(Array(CounterWorkload(seed: 1).prefix(64)) != Array(CounterWorkload(seed: 2).prefix(64)))
  }

  @Test func valueGrowsWithoutRefusals() throws {
    let state = try CounterWorkload(seed: 7).prefix(3_000).reduce(into: CounterState()) { state, action in
      try CounterModel.reduce(into: &state, action: action)
    }
    #expect(state == CounterState(952))
  }

  @Test func storyEndsAtFour() throws {
    #expect(CounterWorkload.story.count == 10)
    #expect(CounterWorkload.story.allSatisfy { step in step.pause > .zero })
    let state = try CounterWorkload.story.reduce(into: CounterState()) { state, step in
      try CounterModel.reduce(into: &state, action: step.action)
    }
    #expect(state == CounterState(4))
  }
}
