import AnimalsData
import EventSourcing
import Testing

@Suite struct AnimalsFilterTests {
  @Test(arguments: ActionCase.all)
  func categoriesChangeByFetchAndReload(candidate: ActionCase) {
    let expected = [.categoriesFetched, .reloaded].contains(candidate.kind)
    #expect(AnimalsFilter.filterCategories()(.samples, candidate.action) == expected)
  }

  /// The actions of the table concern the cat, a mammal, except the one that adds a sparrow.
  @Test(arguments: ActionCase.all)
  func animalsOfACategoryChangeByTheirOwnActions(candidate: ActionCase) {
    let expected: [Category.ID?: Set<ActionKind>] = [
      "Mammal": [.animalsFetched, .reloaded, .updated, .deleted],
      "Bird": [.animalsFetched, .reloaded, .added],
      "Fish": [.animalsFetched, .reloaded],
      nil: [.animalsFetched, .reloaded],
    ]
    for (categoryId, kinds) in expected {
      let isIncluded = AnimalsFilter.filterAnimals(categoryId: categoryId)(.samples, candidate.action)
      #expect(isIncluded == kinds.contains(candidate.kind), "category \(categoryId ?? "nil")")
    }
  }

  @Test(arguments: [("Mammal", true), ("Fish", true), ("Bird", false), (nil, false)] as [(Category.ID?, Bool)])
  func movedAnimalChangesBothCategories(categoryId: Category.ID?, expected: Bool) {
    let move = AnimalsAction.data(
      .persistentSession(
        .didUpdateAnimal(animalId: "Cat", result: .success(animal: .cat.with(categoryId: "Fish")))))
    #expect(AnimalsFilter.filterAnimals(categoryId: categoryId)(.samples, move) == expected)
  }

  @Test func updateOfUnknownRowUsesTheNewCategory() {
    let update = AnimalsAction.data(
      .persistentSession(.didUpdateAnimal(animalId: "Cat", result: .success(animal: .cat))))
    #expect(AnimalsFilter.filterAnimals(categoryId: "Mammal")(AnimalsState(), update))
    #expect(!AnimalsFilter.filterAnimals(categoryId: nil)(AnimalsState(), update))
  }

  /// The example of the guide: with Fish selected, a mammal must not update the list, but a fish must.
  @Test func addingAMammalDoesNotUpdateTheListOfFish() {
    let fish = AnimalsFilter.filterAnimals(categoryId: "Fish")
    func added(_ animal: Animal) -> AnimalsAction {
      .data(.persistentSession(.didAddAnimal(id: "t", result: .success(animal: animal))))
    }
    #expect(!fish(.samples, added(.cat)))
    #expect(fish(.samples, added(.cat.with(categoryId: "Fish"))))
  }

  /// The filter includes every action that changes the selection: a filter that is wrong loses updates.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func noChangeIsLost(seed: UInt64) {
    var state = AnimalsState()
    for (position, action) in AnimalsWorkload(seed: seed).prefix(1_500).enumerated() {
      guard let next = try? AnimalsModel.reducer(state, action) else { continue }
      let categories = AnimalsState.selectCategories()
      if categories(state) != categories(next) {
        #expect(AnimalsFilter.filterCategories()(state, action), "seed \(seed), position \(position)")
      }
      for categoryId in Category.samples.map(\.id) {
        let animals = AnimalsState.selectAnimals(categoryId: categoryId)
        if animals(state) != animals(next) {
          #expect(
            AnimalsFilter.filterAnimals(categoryId: categoryId)(state, action), "seed \(seed), position \(position)")
        }
      }
      state = next
    }
  }
}
