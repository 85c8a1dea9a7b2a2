extension AnimalsAction {
  /// What the data layer tells. Inside this type's extensions the name hides `Foundation.Data`.
  public enum Data: Hashable, Codable, Sendable {
    /// The session that talks to the persistent store.
    case persistentSession(_ action: PersistentSession)
  }
}

extension AnimalsAction.Data {
  /// Results of operations on the persistent store.
  public enum PersistentSession: Hashable, Codable, Sendable {
    /// All categories were asked for.
    case didFetchCategories(result: FetchCategoriesResult)
    /// All animals were asked for.
    case didFetchAnimals(result: FetchAnimalsResult)
    /// Everything was to be replaced by the sample data.
    case didReloadSampleData(result: ReloadSampleDataResult)
    /// An animal was to be added; `id` is the temporary id of the form.
    case didAddAnimal(id: Animal.ID, result: AddAnimalResult)
    /// An animal was to be changed.
    case didUpdateAnimal(animalId: Animal.ID, result: UpdateAnimalResult)
    /// An animal was to be deleted.
    case didDeleteAnimal(animalId: Animal.ID, result: DeleteAnimalResult)
  }
}
