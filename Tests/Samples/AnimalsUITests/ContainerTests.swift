import AnimalsData
import AnimalsUI
import ImmutableData
import ImmutableUI
import Observation
import Platform
import TestSupport
import Testing
import TreeCollections

/// The container between a store and the presenters.
@Suite @MainActor struct ContainerTests {
  private let store: Store<AnimalsState, AnimalsAction>
  private let sent = Locked<[AnimalsAction]>([])
  private let errors = Locked(0)

  init() throws { store = try PreviewStore.make() }

  private var container: AnimalsContainer<Store<AnimalsState, AnimalsAction>> {
    AnimalsContainer(
      store,
      dispatch: ActionDispatch { [store, sent] action in
        sent.withLock { sent in sent.append(action) }
        try store.dispatch(action: action)
      }, onError: { [errors] _ in errors.withLock { errors in errors += 1 } })
  }

  private func send(_ action: AnimalsAction.Data.PersistentSession) throws {
    try store.dispatch(action: .data(.persistentSession(action)))
  }

  @Test func previewHasTheSampleData() {
    #expect(
      container.categoryList.categories.map(\.name) == [
        "Amphibian", "Bird", "Fish", "Invertebrate", "Mammal", "Reptile",
      ])
    #expect(container.categoryList.status == .success)
    #expect(
      container.animalList(categoryId: "Mammal").animals.map(\.name) == [
        "Cat", "Dog", "Red kangaroo", "Southern gibbon",
      ])
    #expect(container.animalDetail(animalId: "Newt").fields.map(\.value) == ["Amphibian", "Carnivore"])
    #expect(PreviewStore.actions.count == 2)
  }

  /// A list is fetched when it appears, and not without a category.
  @Test func appearancesAreDispatched() {
    let container = container
    container.categoryListAppeared()
    container.animalListAppeared(categoryId: nil)
    container.animalListAppeared(categoryId: "Fish")
    #expect(sent.withLock { sent in sent } == [.ui(.categoryList(.onAppear)), .ui(.animalList(.onAppear))])
  }

  @Test func rowsAreSwipedWithoutConfirmation() {
    container.deleteAnimals(at: [1, 3, 9, -1], categoryId: "Mammal")
    #expect(
      sent.withLock { sent in sent } == [
        .ui(.animalList(.onTapDeleteSelectedAnimalButton(animalId: "Dog"))),
        .ui(.animalList(.onTapDeleteSelectedAnimalButton(animalId: "Bibbon"))),
      ])
    #expect(store.state.animals.queue["Dog"] == .waiting)
  }

  @Test func rejectedActionIsReported() {
    container.deleteAnimal(animalId: "Owl")
    #expect(errors.withLock { errors in errors } == 1)
  }

  @Test func completeFormIsSavedOnce() async throws {
    let container = container
    var form = AnimalEditorForm(placeholder: "t1")
    container.save(form)
    #expect(sent.withLock { sent in sent } == [])
    (form.name, form.diet, form.categoryId) = ("Owl", .carnivorous, "Bird")
    container.save(form)
    #expect(store.state.animals.queue["t1"] == .waiting)
    #expect(await settle { container.status(of: form) == .waiting })
    container.save(form)
    #expect(sent.withLock { sent in sent.count } == 1)
  }

  /// The guide's check: with Fish selected, adding a mammal must not update the list, and adding a fish must.
  @Test func onlyAnAnimalOfTheCategoryUpdatesItsList() async throws {
    let fish = Selection(store, AnimalsQuery.animals(categoryId: "Fish"))
    #expect(fish.output == [])
    let isChanged = Locked(false)
    withObservationTracking {
      _ = fish.output
    } onChange: {
      isChanged.withLock { isChanged in isChanged = true }
    }
    let ape = Animal(animalId: "Ape", name: "Ape", diet: .herbivorous, categoryId: "Mammal")
    try send(.didAddAnimal(id: "t1", result: .success(animal: ape)))
    // Another selection is updated; the list would have been updated by then.
    let mammals = Selection(store, AnimalsQuery.animals(categoryId: "Mammal"))
    #expect(await settle { mammals.output.contains(ape) })
    for _ in 0..<100 { await Task.yield() }
    #expect(!isChanged.withLock { isChanged in isChanged })
    let eel = Animal(animalId: "Eel", name: "Eel", diet: .carnivorous, categoryId: "Fish")
    try send(.didAddAnimal(id: "t2", result: .success(animal: eel)))
    #expect(await settle { isChanged.withLock { isChanged in isChanged } })
    #expect(fish.output == [eel])
  }

  @Test func selectionsFollowTheirIds() async throws {
    let container = container
    #expect(container.animalList(categoryId: nil) == AnimalListPresenter(category: nil, animals: [], status: .success))
    #expect(
      container.animalList(categoryId: "Bird")
        == AnimalListPresenter(category: .bird, animals: [.sparrow], status: .success))
    #expect(
      container.animalDetail(animalId: "Cat") == AnimalDetailPresenter(animal: .cat, category: .mammal, status: nil))
    #expect(
      container.animalDetail(animalId: "Newt")
        == AnimalDetailPresenter(animal: .newt, category: .amphibian, status: nil))
    #expect(container.animalDetail(animalId: nil).animal == nil)
    #expect(container.categoryList.status == .success)
    try send(.didUpdateAnimal(animalId: "Cat", result: .failure(error: "e")))
    #expect(await settle { container.animalDetail(animalId: "Cat").status == .failure(error: "e") })
  }
}
