import EventSourcing
import QuakesData
import Testing
import TreeCollections

@Suite struct QuakesFilterTests {
  @Test(arguments: ActionCase.all)
  func filterIncludesEveryChangeOfTheTable(candidate: ActionCase) {
    let kinds: Set<ActionKind> = [.deleteTapped, .deleteAllTapped, .storedFetched, .feedFetched, .deletionFailed]
    #expect(QuakesFilter.filterQuakes()(.samples, candidate.action) == kinds.contains(candidate.kind))
  }

  /// The filter includes every action that changes the table: a filter that is wrong loses updates.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func noChangeIsLost(seed: UInt64) {
    var state = QuakesState()
    var changes = 0
    for (position, action) in QuakesWorkload(seed: seed).prefix(1_500).enumerated() {
      guard let next = try? QuakesModel.reducer(state, action) else { continue }
      if state.quakes.data != next.quakes.data {
        changes += 1
        #expect(QuakesFilter.filterQuakes()(state, action), "seed \(seed), position \(position)")
      }
      state = next
    }
    #expect(changes > 100)
  }
}
