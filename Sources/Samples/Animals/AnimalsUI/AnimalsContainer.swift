public import AnimalsData
public import ImmutableData
public import ImmutableUI
import TreeCollections

/// The container between a store and the presenters: creates presenters from selections, and dispatches actions.
///
/// A rejected action changes nothing, and its error is passed to `onError`.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8 (Root, Container, Presenter).
@MainActor public final class AnimalsContainer<Source>
where
  Source: ImmutableData.Selector & Streamer & AnyObject, Source.State == AnimalsState, Source.Action == AnimalsAction
{
  private let selections: AnimalsSelections<Source>
  private let dispatch: ActionDispatch<AnimalsAction>
  private let onError: @MainActor (any Error) -> Void

  /// Creates a container.
  ///
  /// - Parameters:
  ///   - store: The store, or a position in a history.
  ///   - dispatch: Dispatches actions.
  ///   - onError: Called with the errors of rejected actions.
  public init(
    _ store: Source, dispatch: ActionDispatch<AnimalsAction>, onError: @escaping @MainActor (any Error) -> Void
  ) {
    self.selections = AnimalsSelections(store)
    self.dispatch = dispatch
    self.onError = onError
  }
}

// MARK: - Presenters

extension AnimalsContainer {
  /// The list of categories.
  public var categoryList: CategoryListPresenter {
    CategoryListPresenter(categories: selections.categories, status: selections.categoriesStatus)
  }

  /// The list of the animals of a category; `nil` for none.
  public func animalList(categoryId: Category.ID?) -> AnimalListPresenter {
    AnimalListPresenter(
      category: selections.category(categoryId: categoryId), animals: selections.animals(categoryId: categoryId),
      status: selections.animalsStatus)
  }

  /// The page of an animal; `nil` for none.
  public func animalDetail(animalId: Animal.ID?) -> AnimalDetailPresenter {
    AnimalDetailPresenter(
      animal: selections.animal(animalId: animalId), category: selections.category(animalId: animalId),
      status: selections.animalStatus(animalId: animalId))
  }

  /// The status of saving a form.
  public func status(of form: AnimalEditorForm) -> Status? { selections.animalStatus(animalId: form.id) }
}

// MARK: - User actions

extension AnimalsContainer {
  /// The list of categories appeared.
  public func categoryListAppeared() { send(.ui(.categoryList(.onAppear))) }

  /// The user confirmed replacing everything by the sample data.
  public func reloadSampleData() { send(.ui(.categoryList(.onTapReloadSampleDataButton))) }

  /// The animals of a category appeared. Without a category nothing is fetched.
  public func animalListAppeared(categoryId: Category.ID?) {
    if categoryId != nil { send(.ui(.animalList(.onAppear))) }
  }

  /// The user deleted rows by swiping, without confirmation.
  ///
  /// - Parameters:
  ///   - indices: The indices of the rows.
  ///   - categoryId: The category of the list.
  public func deleteAnimals(at indices: some Sequence<Int>, categoryId: Category.ID?) {
    let animals = selections.animals(categoryId: categoryId)
    for index in indices where animals.indices.contains(index) {
      send(.ui(.animalList(.onTapDeleteSelectedAnimalButton(animalId: animals[index].id))))
    }
  }

  /// The user confirmed the deletion of an animal.
  public func deleteAnimal(animalId: Animal.ID) {
    send(.ui(.animalDetail(.onTapDeleteSelectedAnimalButton(animalId: animalId))))
  }

  /// The user saved a form. Has no effect if a value is missing, or while the form is being saved.
  public func save(_ form: AnimalEditorForm) {
    guard form.isSaveEnabled(status: status(of: form)), let action = form.action else { return }
    send(action)
  }

  private func send(_ action: AnimalsAction) {
    do { try dispatch(action) } catch { onError(error) }
  }
}

/// The selections of the animals' screens. A selection is updated only by actions that can change it, and only if its
/// dependencies have changed.
///
/// Each selection keeps its last id, so a screen that shows two categories at once needs two instances. Reading is observed
/// (`Observation`).
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8 (`SelectCategoriesValues` and its like).
@MainActor public final class AnimalsSelections<Source>
where
  Source: ImmutableData.Selector & Streamer & AnyObject, Source.State == AnimalsState, Source.Action == AnimalsAction
{
  private typealias Table<Row> = AnimalsState.Table<String, Row>

  private let categoriesValues: Selection<Source, Table<Category>, [Category]>
  private let categoriesState: Selection<Source, Status?>
  private let categoryById: Selection<Source, Category?>
  private let categoryByAnimal: Selection<Source, Category?>
  private let animalsValues: Selection<Source, Table<Animal>, [Animal]>
  private let animalsState: Selection<Source, Status?>
  private let animalById: Selection<Source, Animal?>
  private let animalState: Selection<Source, Status?>

  /// Creates the selections of a store, or of a position in a history.
  public init(_ store: Source) {
    categoriesValues = Selection(
      store, label: "SelectCategoriesValues", filter: AnimalsFilter.filterCategories(),
      dependencySelector: AnimalsState.selectCategories(),
      outputSelector: AnimalsState.selectCategoriesValues(sort: \Category.name))
    categoriesState = Selection(
      store, label: "SelectCategoriesStatus", outputSelector: AnimalsState.selectCategoriesStatus())
    categoryById = Selection(
      store, id: String?.none, label: Self.label("SelectCategory", categoryId: nil),
      outputSelector: AnimalsState.selectCategory(categoryId: nil))
    categoryByAnimal = Selection(
      store, id: String?.none, label: Self.label("SelectCategory", animalId: nil),
      outputSelector: AnimalsState.selectCategory(animalId: nil))
    animalsValues = Selection(
      store, id: String?.none, label: Self.label("SelectAnimalsValues", categoryId: nil),
      filter: AnimalsFilter.filterAnimals(categoryId: nil),
      dependencySelector: AnimalsState.selectAnimals(categoryId: nil),
      outputSelector: AnimalsState.selectAnimalsValues(categoryId: nil, sort: \Animal.name))
    animalsState = Selection(store, label: "SelectAnimalsStatus", outputSelector: AnimalsState.selectAnimalsStatus())
    animalById = Selection(
      store, id: String?.none, label: Self.label("SelectAnimal", animalId: nil),
      outputSelector: AnimalsState.selectAnimal(animalId: nil))
    animalState = Selection(
      store, id: String?.none, label: Self.label("SelectAnimalStatus", animalId: nil),
      outputSelector: AnimalsState.selectAnimalStatus(animalId: nil))
  }
}

extension AnimalsSelections {
  /// All categories, by name.
  public var categories: [Category] { categoriesValues.output }

  /// The status of fetching the categories.
  public var categoriesStatus: Status? { categoriesState.output }

  /// The status of fetching the animals.
  public var animalsStatus: Status? { animalsState.output }

  /// A category.
  public func category(categoryId: Category.ID?) -> Category? {
    categoryById.update(
      id: categoryId, label: Self.label("SelectCategory", categoryId: categoryId),
      outputSelector: AnimalsState.selectCategory(categoryId: categoryId))
    return categoryById.output
  }

  /// The category of an animal.
  public func category(animalId: Animal.ID?) -> Category? {
    categoryByAnimal.update(
      id: animalId, label: Self.label("SelectCategory", animalId: animalId),
      outputSelector: AnimalsState.selectCategory(animalId: animalId))
    return categoryByAnimal.output
  }

  /// The animals of a category, by name.
  public func animals(categoryId: Category.ID?) -> [Animal] {
    animalsValues.update(
      id: categoryId, label: Self.label("SelectAnimalsValues", categoryId: categoryId),
      filter: AnimalsFilter.filterAnimals(categoryId: categoryId),
      dependencySelector: AnimalsState.selectAnimals(categoryId: categoryId),
      outputSelector: AnimalsState.selectAnimalsValues(categoryId: categoryId, sort: \Animal.name))
    return animalsValues.output
  }

  /// An animal.
  public func animal(animalId: Animal.ID?) -> Animal? {
    animalById.update(
      id: animalId, label: Self.label("SelectAnimal", animalId: animalId),
      outputSelector: AnimalsState.selectAnimal(animalId: animalId))
    return animalById.output
  }

  /// The status of the last operation on an animal.
  public func animalStatus(animalId: Animal.ID?) -> Status? {
    animalState.update(
      id: animalId, label: Self.label("SelectAnimalStatus", animalId: animalId),
      outputSelector: AnimalsState.selectAnimalStatus(animalId: animalId))
    return animalState.output
  }

  private static func label(_ name: String, categoryId: Category.ID?) -> String {
    "\(name)(categoryId: \(categoryId ?? "nil"))"
  }

  private static func label(_ name: String, animalId: Animal.ID?) -> String {
    "\(name)(animalId: \(animalId ?? "nil"))"
  }
}

/// Creates stores for previews by dispatching actions.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8.
public enum PreviewStore {
  /// The actions that fetch the sample data.
  public static let actions: [AnimalsAction] = [
    .data(
      .persistentSession(
        .didFetchCategories(
          result: .success(categories: [.amphibian, .bird, .fish, .invertebrate, .mammal, .reptile])))),
    .data(
      .persistentSession(
        .didFetchAnimals(result: .success(animals: [.dog, .cat, .kangaroo, .gibbon, .sparrow, .newt])))),
  ]

  /// Creates a store with the six categories and the six animals.
  ///
  /// - Throws: The reducer's error. It accepts these actions.
  @MainActor public static func make() throws -> Store<AnimalsState, AnimalsAction> {
    let store = Store(initialState: AnimalsState(), reducer: AnimalsReducer.reduce)
    for action in actions { try store.dispatch(action: action) }
    return store
  }
}
