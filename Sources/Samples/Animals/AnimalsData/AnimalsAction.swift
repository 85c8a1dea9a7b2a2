/// The actions of the animals sample, grouped by their source.
///
/// The names of cases and labels are the types and members of the records in a log. Changing one changes the format and
/// requires a new schema version.
public enum AnimalsAction: Hashable, Codable, Sendable {
  case ui(_ action: UI)
  case data(_ action: Data)
}

extension AnimalsAction {
  /// Actions of the user, by screen.
  public enum UI: Hashable, Codable, Sendable {
    case categoryList(_ action: CategoryList)
    case animalList(_ action: AnimalList)
    case animalDetail(_ action: AnimalDetail)
    case animalEditor(_ action: AnimalEditor)
  }
}

extension AnimalsAction.UI {
  /// Actions on the list of categories.
  public enum CategoryList: Hashable, Codable, Sendable {
    case onAppear
    case onTapReloadSampleDataButton
  }

  /// Actions on the list of animals.
  public enum AnimalList: Hashable, Codable, Sendable {
    case onAppear
    case onTapDeleteSelectedAnimalButton(animalId: Animal.ID)
  }

  /// Actions on the page of one animal.
  public enum AnimalDetail: Hashable, Codable, Sendable {
    case onTapDeleteSelectedAnimalButton(animalId: Animal.ID)
  }

  /// Actions in the form.
  public enum AnimalEditor: Hashable, Codable, Sendable {
    /// The user saved a new animal. The form created the temporary `id`; the final id comes with the result.
    case onTapAddAnimalButton(id: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
    case onTapUpdateAnimalButton(animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
  }
}

extension AnimalsAction {
  /// Actions of the data layer. In extensions of `AnimalsAction`, the name hides `Foundation.Data`.
  public enum Data: Hashable, Codable, Sendable {
    case persistentSession(_ action: PersistentSession)
  }
}

extension AnimalsAction.Data {
  /// Results of operations on the persistent store.
  public enum PersistentSession: Hashable, Codable, Sendable {
    case didFetchCategories(result: FetchCategoriesResult)
    case didFetchAnimals(result: FetchAnimalsResult)
    case didReloadSampleData(result: ReloadSampleDataResult)
    /// The result of adding an animal; `id` is the temporary id of the form.
    case didAddAnimal(id: Animal.ID, result: AddAnimalResult)
    case didUpdateAnimal(animalId: Animal.ID, result: UpdateAnimalResult)
    case didDeleteAnimal(animalId: Animal.ID, result: DeleteAnimalResult)
  }
}

// One result type per operation instead of `Swift.Result`: an error is a text, because it is stored and compared.

extension AnimalsAction.Data.PersistentSession {
  /// The outcome of fetching the categories.
  public enum FetchCategoriesResult: Hashable, Codable, Sendable {
    case success(categories: [Category])
    /// Nothing was fetched.
    case failure(error: String)
  }

  /// The outcome of fetching the animals.
  public enum FetchAnimalsResult: Hashable, Codable, Sendable {
    case success(animals: [Animal])
    /// Nothing was fetched.
    case failure(error: String)
  }

  /// The outcome of reloading the sample data.
  public enum ReloadSampleDataResult: Hashable, Codable, Sendable {
    case success(animals: [Animal], categories: [Category])
    /// The store is unchanged.
    case failure(error: String)
  }

  /// The outcome of adding an animal.
  public enum AddAnimalResult: Hashable, Codable, Sendable {
    /// The animal with its final id.
    case success(animal: Animal)
    case failure(error: String)
  }

  /// The outcome of changing an animal.
  public enum UpdateAnimalResult: Hashable, Codable, Sendable {
    case success(animal: Animal)
    /// The animal is unchanged.
    case failure(error: String)
  }

  /// The outcome of deleting an animal.
  public enum DeleteAnimalResult: Hashable, Codable, Sendable {
    case success(animal: Animal)
    case failure(error: String)
  }
}
