/// The actions of the animals sample, grouped by their source.
///
/// The names of cases and labels are the types and members of the records in a log. Changing one changes the format and
/// requires a new schema version.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 6.
public enum AnimalsAction: Hashable, Codable, Sendable {
  /// The user did something on a screen.
  case ui(_ action: UI)
  /// An operation of the data layer ended.
  case data(_ action: Data)
}

extension AnimalsAction {
  /// Actions of the user, by screen.
  public enum UI: Hashable, Codable, Sendable {
    /// The list of categories.
    case categoryList(_ action: CategoryList)
    /// The list of the animals of one category.
    case animalList(_ action: AnimalList)
    /// One animal.
    case animalDetail(_ action: AnimalDetail)
    /// The form that adds or edits an animal.
    case animalEditor(_ action: AnimalEditor)
  }
}

extension AnimalsAction.UI {
  /// Actions on the list of categories.
  public enum CategoryList: Hashable, Codable, Sendable {
    /// The list came into view.
    case onAppear
    /// The user confirmed that all changes are discarded.
    case onTapReloadSampleDataButton
  }

  /// Actions on the list of animals.
  public enum AnimalList: Hashable, Codable, Sendable {
    /// The list came into view.
    case onAppear
    /// The user deleted a row.
    case onTapDeleteSelectedAnimalButton(animalId: Animal.ID)
  }

  /// Actions on the page of one animal.
  public enum AnimalDetail: Hashable, Codable, Sendable {
    /// The user confirmed the deletion of the animal.
    case onTapDeleteSelectedAnimalButton(animalId: Animal.ID)
  }

  /// Actions in the form.
  public enum AnimalEditor: Hashable, Codable, Sendable {
    /// The user saved a new animal. The form created the temporary `id`; the final id comes with the result.
    case onTapAddAnimalButton(id: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
    /// The user saved changes to an animal.
    case onTapUpdateAnimalButton(animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
  }
}

extension AnimalsAction {
  /// Actions of the data layer. In extensions of `AnimalsAction`, the name hides `Foundation.Data`.
  public enum Data: Hashable, Codable, Sendable {
    /// The session with the persistent store.
    case persistentSession(_ action: PersistentSession)
  }
}

extension AnimalsAction.Data {
  /// Results of operations on the persistent store.
  public enum PersistentSession: Hashable, Codable, Sendable {
    /// The result of fetching all categories.
    case didFetchCategories(result: FetchCategoriesResult)
    /// The result of fetching all animals.
    case didFetchAnimals(result: FetchAnimalsResult)
    /// The result of replacing everything with the sample data.
    case didReloadSampleData(result: ReloadSampleDataResult)
    /// The result of adding an animal; `id` is the temporary id of the form.
    case didAddAnimal(id: Animal.ID, result: AddAnimalResult)
    /// The result of changing an animal.
    case didUpdateAnimal(animalId: Animal.ID, result: UpdateAnimalResult)
    /// The result of deleting an animal.
    case didDeleteAnimal(animalId: Animal.ID, result: DeleteAnimalResult)
  }
}

// One result type per operation instead of `Swift.Result`: an error is a text, because it is stored and compared.

extension AnimalsAction.Data.PersistentSession {
  /// The outcome of fetching the categories.
  public enum FetchCategoriesResult: Hashable, Codable, Sendable {
    /// All categories of the store.
    case success(categories: [Category])
    /// Nothing was fetched.
    case failure(error: String)
  }

  /// The outcome of fetching the animals.
  public enum FetchAnimalsResult: Hashable, Codable, Sendable {
    /// All animals of the store.
    case success(animals: [Animal])
    /// Nothing was fetched.
    case failure(error: String)
  }

  /// The outcome of reloading the sample data.
  public enum ReloadSampleDataResult: Hashable, Codable, Sendable {
    /// The new contents of the store.
    case success(animals: [Animal], categories: [Category])
    /// The store is unchanged.
    case failure(error: String)
  }

  /// The outcome of adding an animal.
  public enum AddAnimalResult: Hashable, Codable, Sendable {
    /// The animal with its final id.
    case success(animal: Animal)
    /// The animal was not added.
    case failure(error: String)
  }

  /// The outcome of changing an animal.
  public enum UpdateAnimalResult: Hashable, Codable, Sendable {
    /// The changed animal.
    case success(animal: Animal)
    /// The animal is unchanged.
    case failure(error: String)
  }

  /// The outcome of deleting an animal.
  public enum DeleteAnimalResult: Hashable, Codable, Sendable {
    /// The deleted animal.
    case success(animal: Animal)
    /// The animal was not deleted.
    case failure(error: String)
  }
}
