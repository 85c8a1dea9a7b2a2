public import AnimalsData
public import ImmutableData
public import ImmutableUI

/// Between a store and what is shown of it: makes presenters of its slices, and dispatches what people do.
///
/// Presenters know nothing of a store; what knows it is here. An action that is refused changes nothing, and is told to
/// `onError`.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8 (Root, Container, Presenter).
@MainActor public final class AnimalsContainer<Source>
where
  Source: ImmutableData.Selector & Streamer & AnyObject, Source.State == AnimalsState, Source.Action == AnimalsAction
{
  private let selections: AnimalsSelections<Source>
  private let dispatch: ActionDispatch<AnimalsAction>
  private let onError: @MainActor (any Error) -> Void

  /// Makes a container.
  ///
  /// - Parameters:
  ///   - store: What is shown.
  ///   - dispatch: Where actions go.
  ///   - onError: Told of actions that were refused.
  public init(
    _ store: Source, dispatch: ActionDispatch<AnimalsAction>, onError: @escaping @MainActor (any Error) -> Void
  ) {
    self.selections = AnimalsSelections(store)
    self.dispatch = dispatch
    self.onError = onError
  }
}

// MARK: - What is shown

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

  /// How far saving a form has come.
  public func status(of form: AnimalEditorForm) -> Status? { selections.animalStatus(animalId: form.id) }
}

// MARK: - What people do

extension AnimalsContainer {
  /// The list of categories came into view.
  public func categoryListAppeared() { send(.ui(.categoryList(.onAppear))) }

  /// Somebody confirmed that everything is to be replaced by the sample data.
  public func reloadSampleData() { send(.ui(.categoryList(.onTapReloadSampleDataButton))) }

  /// The list of the animals of a category came into view. Without a category there is no list, and nothing is fetched.
  public func animalListAppeared(categoryId: Category.ID?) {
    if categoryId != nil { send(.ui(.animalList(.onAppear))) }
  }

  /// Somebody swiped rows away, which is not asked about.
  ///
  /// - Parameters:
  ///   - indices: The places of the rows.
  ///   - categoryId: The category whose list it was.
  public func deleteAnimals(at indices: some Sequence<Int>, categoryId: Category.ID?) {
    let animals = selections.animals(categoryId: categoryId)
    for index in indices where animals.indices.contains(index) {
      send(.ui(.animalList(.onTapDeleteSelectedAnimalButton(animalId: animals[index].id))))
    }
  }

  /// Somebody confirmed on its page that an animal is to be deleted.
  public func deleteAnimal(animalId: Animal.ID) {
    send(.ui(.animalDetail(.onTapDeleteSelectedAnimalButton(animalId: animalId))))
  }

  /// Somebody saved a form. Nothing happens when something is missing, or when it is being saved.
  public func save(_ form: AnimalEditorForm) {
    guard form.isSaveEnabled(status: status(of: form)), let action = form.action else { return }
    send(action)
  }

  private func send(_ action: AnimalsAction) {
    do { try dispatch(action) } catch { onError(error) }
  }
}
