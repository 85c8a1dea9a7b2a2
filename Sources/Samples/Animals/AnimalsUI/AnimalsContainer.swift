package import AnimalsData
import EventSourcing
package import ImmutableData
package import ImmutableUI
import TreeCollections

/// A store of the animals, or a position in their history.
package typealias AnimalsSource = ImmutableData.Selector<AnimalsState> & Streamer<AnimalsState, AnimalsAction>
  & AnyObject

/// The container between a store and the presenters: creates presenters from selections, and dispatches actions.
///
/// A rejected action changes nothing, and its error is passed to `onError`. Reading is observed (`Observation`). Each selection keeps its
/// last id, so a screen that shows two categories at once needs two instances.
@MainActor package final class AnimalsContainer<Source: AnimalsSource> {
  private let categories: Selection<Source, AnimalsState.Table<String, Category>, [Category]>
  private let categoriesStatus: Selection<Source, Status?>
  private let categoryById: Selection<Source, Category?>
  private let categoryByAnimal: Selection<Source, Category?>
  private let animals: Selection<Source, AnimalsState.Table<String, Animal>, [Animal]>
  private let animalsStatus: Selection<Source, Status?>
  private let animal: Selection<Source, Animal?>
  private let animalStatus: Selection<Source, Status?>
  private let dispatch: ActionDispatch<AnimalsAction>
  private let onError: @MainActor (any Error) -> Void

  /// Creates a container.
  package init(
    _ store: Source, dispatch: ActionDispatch<AnimalsAction>, onError: @escaping @MainActor (any Error) -> Void
  ) {
    categories = Selection(store, AnimalsQuery.categories)
    categoriesStatus = Selection(store, AnimalsQuery.categoriesStatus)
    categoryById = Selection(store, AnimalsQuery.category(categoryId: nil))
    categoryByAnimal = Selection(store, AnimalsQuery.category(animalId: nil))
    animals = Selection(store, AnimalsQuery.animals(categoryId: nil))
    animalsStatus = Selection(store, AnimalsQuery.animalsStatus)
    animal = Selection(store, AnimalsQuery.animal(animalId: nil))
    animalStatus = Selection(store, AnimalsQuery.animalStatus(animalId: nil))
    self.dispatch = dispatch
    self.onError = onError
  }
}

// MARK: - Presenters

extension AnimalsContainer {
  /// The list of categories.
  package var categoryList: CategoryListPresenter {
    CategoryListPresenter(categories: categories.output, status: categoriesStatus.output)
  }

  /// The list of the animals of a category; `nil` for none.
  package func animalList(categoryId: Category.ID?) -> AnimalListPresenter {
    AnimalListPresenter(
      category: categoryById.output(for: AnimalsQuery.category(categoryId: categoryId)),
      animals: animals.output(for: AnimalsQuery.animals(categoryId: categoryId)), status: animalsStatus.output)
  }

  /// The page of an animal; `nil` for none.
  package func animalDetail(animalId: Animal.ID?) -> AnimalDetailPresenter {
    AnimalDetailPresenter(
      animal: animal.output(for: AnimalsQuery.animal(animalId: animalId)),
      category: categoryByAnimal.output(for: AnimalsQuery.category(animalId: animalId)),
      status: animalStatus.output(for: AnimalsQuery.animalStatus(animalId: animalId)))
  }

  /// The status of saving a form.
  package func status(of form: AnimalEditorForm) -> Status? {
    animalStatus.output(for: AnimalsQuery.animalStatus(animalId: form.id))
  }
}

// MARK: - User actions

extension AnimalsContainer {
  /// The list of categories appeared.
  package func categoryListAppeared() { send(.ui(.categoryList(.onAppear))) }

  /// The user confirmed replacing everything by the sample data.
  package func reloadSampleData() { send(.ui(.categoryList(.onTapReloadSampleDataButton))) }

  /// The animals of a category appeared. Without a category nothing is fetched.
  package func animalListAppeared(categoryId: Category.ID?) {
    if categoryId != nil { send(.ui(.animalList(.onAppear))) }
  }

  /// The user deleted rows by swiping, without confirmation.
  package func deleteAnimals(at indices: some Sequence<Int>, categoryId: Category.ID?) {
    let animals = animals.output(for: AnimalsQuery.animals(categoryId: categoryId))
    for index in indices where animals.indices.contains(index) {
      send(.ui(.animalList(.onTapDeleteSelectedAnimalButton(animalId: animals[index].id))))
    }
  }

  /// The user confirmed the deletion of an animal.
  package func deleteAnimal(animalId: Animal.ID) {
    send(.ui(.animalDetail(.onTapDeleteSelectedAnimalButton(animalId: animalId))))
  }

  /// The user saved a form. Has no effect if a value is missing, or while the form is being saved.
  package func save(_ form: AnimalEditorForm) {
    guard form.isSaveEnabled(status: status(of: form)), let action = form.action else { return }
    send(action)
  }

  private func send(_ action: AnimalsAction) {
    do { try dispatch(action) } catch { onError(error) }
  }
}

/// What the animals' screens select. A selection is updated only by actions that can change it, and only if its dependencies have
/// changed.
package enum AnimalsQuery {
  /// Rows of a table.
  package typealias Rows<Row: Hashable & Sendable> = SelectorParameters<
    AnimalsState, AnimalsAction, AnimalsState.Table<String, Row>, [Row]
  >
  /// A value.
  package typealias Value<Output: Sendable> = SelectorParameters<AnimalsState, AnimalsAction, Output>

  /// All categories, by name.
  package static var categories: Rows<Category> {
    Rows<Category>(
      label: "SelectCategoriesValues", filter: AnimalsFilter.filterCategories(),
      dependencySelector: AnimalsState.selectCategories(),
      outputSelector: AnimalsState.selectCategoriesValues(sort: \Category.name))
  }

  /// The status of fetching the categories.
  package static var categoriesStatus: Value<Status?> {
    Value(label: "SelectCategoriesStatus", outputSelector: AnimalsState.selectCategoriesStatus())
  }

  /// A category.
  package static func category(categoryId: Category.ID?) -> Value<Category?> {
    Value(
      id: categoryId, label: label("SelectCategory", "categoryId", categoryId),
      outputSelector: AnimalsState.selectCategory(categoryId: categoryId))
  }

  /// The category of an animal.
  package static func category(animalId: Animal.ID?) -> Value<Category?> {
    Value(
      id: animalId, label: label("SelectCategory", "animalId", animalId),
      outputSelector: AnimalsState.selectCategory(animalId: animalId))
  }

  /// The animals of a category, by name.
  package static func animals(categoryId: Category.ID?) -> Rows<Animal> {
    Rows<Animal>(
      id: categoryId, label: label("SelectAnimalsValues", "categoryId", categoryId),
      filter: AnimalsFilter.filterAnimals(categoryId: categoryId),
      dependencySelector: AnimalsState.selectAnimals(categoryId: categoryId),
      outputSelector: AnimalsState.selectAnimalsValues(categoryId: categoryId, sort: \Animal.name))
  }

  /// The status of fetching the animals.
  package static var animalsStatus: Value<Status?> {
    Value(label: "SelectAnimalsStatus", outputSelector: AnimalsState.selectAnimalsStatus())
  }

  /// An animal.
  package static func animal(animalId: Animal.ID?) -> Value<Animal?> {
    Value(
      id: animalId, label: label("SelectAnimal", "animalId", animalId),
      outputSelector: AnimalsState.selectAnimal(animalId: animalId))
  }

  /// The status of the last operation on an animal.
  package static func animalStatus(animalId: Animal.ID?) -> Value<Status?> {
    Value(
      id: animalId, label: label("SelectAnimalStatus", "animalId", animalId),
      outputSelector: AnimalsState.selectAnimalStatus(animalId: animalId))
  }

  private static func label(_ name: String, _ parameter: String, _ id: String?) -> String {
    "\(name)(\(parameter): \(id ?? "nil"))"
  }
}

/// Creates stores for previews by dispatching actions.
package enum PreviewStore {
  /// The actions that fetch the sample data.
  package static let actions: [AnimalsAction] = [
    .data(
      .persistentSession(
        .didFetchCategories(
          result: .success(categories: [.amphibian, .bird, .fish, .invertebrate, .mammal, .reptile])))),
    .data(
      .persistentSession(
        .didFetchAnimals(result: .success(animals: [.dog, .cat, .kangaroo, .gibbon, .sparrow, .newt])))),
  ]

  /// Creates a store with the six categories and the six animals.
  @MainActor package static func make() throws -> Store<AnimalsState, AnimalsAction> {
    let store = Store(initialState: AnimalsState(), reducer: AnimalsModel.reducer)
    for action in actions { try store.dispatch(action: action) }
    return store
  }
}
