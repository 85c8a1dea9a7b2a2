import EventSourcing
import QuakesData
import Testing

@Suite struct QuakesModelTests {
  @Test func tableCoversEveryKindOfAction() {
    #expect(ActionCase.all.map(\.kind) == ActionKind.allCases)
  }

  @Test func modelHasNameAndInitialState() {
    #expect(QuakesModel.name == "quakes")
    #expect(QuakesModel.schema == 1)
    #expect(QuakesModel.initialState == .with())
  }

  /// In a state with all rows, every action is accepted; in the empty state, the action on a row is refused.
  @Test(arguments: ActionCase.all)
  func modelUsesTheReducer(candidate: ActionCase) throws {
    var state = QuakesState.samples
    try QuakesModel.reduce(into: &state, action: candidate.action)
    #expect(state == (try QuakesModel.reducer(.samples, candidate.action)))
    #expect(state == (try QuakesModel.reducer(.samples, candidate.action)))
    let isRefused = (try? QuakesModel.reducer(QuakesModel.initialState, candidate.action)) == nil
    #expect(isRefused == (candidate.kind == .deleteTapped))
  }

  @Test func sampleDataIsAsPublished() {
    let quakes = Quake.previewQuakes
    #expect(
      quakes.map(\.id) == ["xxsmall", "xsmall", "small", "medium", "large", "xlarge", "xxlarge", "xxxlarge"])
    #expect(quakes.map(\.magnitude) == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5])
    #expect(quakes.allSatisfy { quake in quake.name == "West of California" })
    #expect(quakes.allSatisfy { quake in quake.longitude == -125 && quake.latitude == 35 })
    #expect(quakes.allSatisfy { quake in quake.time == Quake.sampleDate && quake.updated == Quake.sampleDate })
  }
}
