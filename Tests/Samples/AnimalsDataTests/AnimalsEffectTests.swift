import AnimalsData
import Testing
import TreeCollections

/// The effects of actions, derived from the old and the reduced state.
@Suite struct AnimalsEffectTests {
  /// Every action in a state with all rows in which nothing was requested yet, and its effect.
  private static func effect(of kind: ActionKind) -> AnimalsEffect? {
    switch kind {
    case .categoryListAppeared: .fetchCategories
    case .animalListAppeared: .fetchAnimals
    case .reloadTapped: .reloadSampleData
    case .deleteTappedInList, .deleteTappedInDetail: .delete(animalId: "Cat")
    case .addTapped: .add(id: "t1", name: "Owl", diet: .carnivorous, categoryId: "Bird")
    case .updateTapped: .update(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Mammal")
    case .categoriesFetched, .categoriesNotFetched, .animalsFetched, .animalsNotFetched, .reloaded, .notReloaded,
      .added,
      .notAdded, .updated, .notUpdated, .deleted, .notDeleted:
      nil
    }
  }

  @Test(arguments: ActionCase.all)
  func everyActionHasItsEffect(candidate: ActionCase) throws {
    let state = AnimalsState.with(categories: Category.samples, animals: Animal.samples)
    #expect(try AnimalsEffect(of: candidate.action, in: state) == Self.effect(of: candidate.kind))
  }

  /// A pending operation is not repeated.
  @Test(arguments: ActionCase.all)
  func pendingOperationIsNotRepeated(candidate: ActionCase) throws {
    let state = AnimalsState.with(
      categories: Category.samples, .waiting, animals: Animal.samples, .waiting,
      queue: ["Cat": .waiting, "t1": .waiting])
    #expect(try AnimalsEffect(of: candidate.action, in: state) == nil)
  }

  @Test(arguments: [Status.success, .failure(error: "e"), .empty])
  func fetchedTableIsNotFetchedAgain(status: Status) throws {
    let state = AnimalsState.with(status, animals: [.cat], status, queue: ["Cat": status])
    #expect(try AnimalsEffect(of: .ui(.categoryList(.onAppear)), in: state) == nil)
    #expect(try AnimalsEffect(of: .ui(.animalList(.onAppear)), in: state) == nil)
    #expect(
      try AnimalsEffect(of: .ui(.categoryList(.onTapReloadSampleDataButton)), in: state) == .reloadSampleData)
    #expect(
      try AnimalsEffect(of: .ui(.animalDetail(.onTapDeleteSelectedAnimalButton(animalId: "Cat"))), in: state)
        == .delete(animalId: "Cat"))
  }

  @Test(arguments: [(Status.waiting, nil), (nil, Status.waiting)] as [(Status?, Status?)])
  func fetchBlocksReload(categories: Status?, animals: Status?) throws {
    let state = AnimalsState.with(categories, animals)
    #expect(try AnimalsEffect(of: .ui(.categoryList(.onTapReloadSampleDataButton)), in: state) == nil)
  }

  @Test func refusedActionHasNoEffect() {
    #expect(throws: AnimalsModel.Error.self) {
      try AnimalsEffect(of: .ui(.animalList(.onTapDeleteSelectedAnimalButton(animalId: "Cat"))), in: .with())
    }
  }
}
