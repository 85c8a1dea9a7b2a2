// One result type per operation, not `Swift.Result`: an error is a text here, because it has to be stored and compared.

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
    /// Everything that the store holds now.
    case success(animals: [Animal], categories: [Category])
    /// The store is as it was.
    case failure(error: String)
  }

  /// The outcome of adding an animal.
  public enum AddAnimalResult: Hashable, Codable, Sendable {
    /// The animal with its real id.
    case success(animal: Animal)
    /// The animal was not added.
    case failure(error: String)
  }

  /// The outcome of changing an animal.
  public enum UpdateAnimalResult: Hashable, Codable, Sendable {
    /// The animal as it is now.
    case success(animal: Animal)
    /// The animal is as it was.
    case failure(error: String)
  }

  /// The outcome of deleting an animal.
  public enum DeleteAnimalResult: Hashable, Codable, Sendable {
    /// The animal as it was.
    case success(animal: Animal)
    /// The animal is still there.
    case failure(error: String)
  }
}
