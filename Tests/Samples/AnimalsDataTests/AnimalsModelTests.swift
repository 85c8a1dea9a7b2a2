import AnimalsData
import EventSourcing
import Testing

@Suite struct AnimalsModelTests {
  @Test func tableCoversEveryKindOfAction() {
    #expect(ActionCase.all.map(\.kind) == ActionKind.allCases)
  }

  @Test func modelHasNameAndInitialState() {
    #expect(AnimalsModel.name == "animals")
    #expect(AnimalsModel.schema == 1)
    #expect(AnimalsModel.initialState == .with())
  }

  /// In a state with all rows, every action is accepted; in the empty state, actions on a row are refused.
  @Test(arguments: ActionCase.all)
  func modelUsesTheReducer(candidate: ActionCase) throws {
    var state = AnimalsState.samples
    try AnimalsModel.reduce(into: &state, action: candidate.action)
    #expect(state == (try AnimalsModel.reducer(.samples, candidate.action)))
    #expect(state == (try AnimalsModel.reducer(.samples, candidate.action)))

    let needsRow: Set<ActionKind> = [
      .deleteTappedInList, .deleteTappedInDetail, .updateTapped, .updated, .notUpdated, .deleted, .notDeleted,
    ]
    let isRefused = (try? AnimalsModel.reducer(AnimalsModel.initialState, candidate.action)) == nil
    #expect(isRefused == needsRow.contains(candidate.kind))
  }

  @Test func sampleDataIsAsPublished() {
    #expect(Category.samples.map(\.name) == ["Amphibian", "Bird", "Fish", "Invertebrate", "Mammal", "Reptile"])
    #expect(Category.samples.allSatisfy { category in category.id == category.name })
    #expect(
      Animal.samples.map { animal in "\(animal.id)|\(animal.name)|\(animal.diet.rawValue)|\(animal.categoryId)" } == [
        "Dog|Dog|Carnivore|Mammal",
        "Cat|Cat|Carnivore|Mammal",
        "Kangaroo|Red kangaroo|Herbivore|Mammal",
        "Bibbon|Southern gibbon|Herbivore|Mammal",
        "Sparrow|House sparrow|Omnivore|Bird",
        "Newt|Newt|Carnivore|Amphibian",
      ])
    #expect(Animal.Diet.allCases == [.herbivorous, .carnivorous, .omnivorous])
  }
}
