import CounterData
import SampleSupport
import Testing

@Suite struct CounterWorkloadTests {
  @Test func equalSeedsGiveEqualActions() {
    let text = CounterWorkload(seed: 7, count: 48).map { action in action == .didTapIncrementButton ? "+" : "-" }
    #expect(text.joined() == "++++++++--+++++++--++--+-++++-+-++++-++++++-++++")
  }

  @Test func shorterWorkloadIsAPrefix() {
    #expect(Array(CounterWorkload(seed: 3, count: 1_000).prefix(100)) == Array(CounterWorkload(seed: 3, count: 100)))
  }

  @Test func differentSeedsGiveDifferentActions() {
    #expect(Array(CounterWorkload(seed: 1, count: 64)) != Array(CounterWorkload(seed: 2, count: 64)))
  }

  @Test(arguments: [0, 1, 1_000])
  func workloadHasTheRequestedCount(count: Int) {
    let workload = CounterWorkload(seed: 5, count: count)
    #expect(workload.underestimatedCount == count)
    #expect(Array(workload).count == count)
  }

  @Test func valueGrowsWithoutRefusals() throws {
    let state = try CounterWorkload(seed: 7, count: 3_000).reduce(into: CounterState()) { state, action in
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
