import SampleSupport

// What the store answers. A row that vanished in the meantime makes a failure, which the reducer then refuses: that is
// the row that waits for ever.

extension AnimalsWorkload {
  /// How many deleted animals can still be tapped somewhere.
  private static let deletedLimit = 16

  mutating func answer(_ request: Request) -> AnimalsAction {
    switch request {
    case .fetchCategories: .data(.persistentSession(.didFetchCategories(result: fetchCategories())))
    case .fetchAnimals: .data(.persistentSession(.didFetchAnimals(result: fetchAnimals())))
    case .reloadSampleData: .data(.persistentSession(.didReloadSampleData(result: reload())))
    case .add(let id, let name, let diet, let categoryId):
      .data(
        .persistentSession(.didAddAnimal(id: id, result: add(name: name, diet: diet, categoryId: categoryId))))
    case .update(let animal):
      .data(.persistentSession(.didUpdateAnimal(animalId: animal.id, result: update(animal))))
    case .delete(let animalId):
      .data(.persistentSession(.didDeleteAnimal(animalId: animalId, result: delete(animalId))))
    }
  }

  private typealias Session = AnimalsAction.Data.PersistentSession

  /// The text of a failure, in one of `total` cases.
  private mutating func failure(oneIn total: Int) -> String? {
    generator.chance(1, in: total) ? generator.element(of: Vocabulary.storeErrors) : nil
  }

  private mutating func fetchCategories() -> Session.FetchCategoriesResult {
    if let error = failure(oneIn: 20) {
      categoriesStatus = .failure
      return .failure(error: error)
    }
    categoriesStatus = .success
    hasCategories = true
    return .success(categories: Category.samples)
  }

  private mutating func fetchAnimals() -> Session.FetchAnimalsResult {
    if let error = failure(oneIn: 20) {
      animalsStatus = .failure
      return .failure(error: error)
    }
    animalsStatus = .success
    for animal in Animal.samples { animals.put(animal) }
    return .success(animals: Animal.samples)
  }

  private mutating func reload() -> Session.ReloadSampleDataResult {
    // With many rows only the failing case is played: nobody throws that much away.
    let error = animals.count < 32 ? failure(oneIn: 8) : failure(oneIn: 1)
    if let error {
      categoriesStatus = .failure
      animalsStatus = .failure
      return .failure(error: error)
    }
    categoriesStatus = .success
    hasCategories = true
    animalsStatus = .success
    animals.removeAll()
    for animal in Animal.samples { animals.put(animal) }
    return .success(animals: Animal.samples, categories: Category.samples)
  }

  private mutating func add(name: String, diet: Animal.Diet, categoryId: Category.ID) -> Session.AddAnimalResult {
    if let error = failure(oneIn: 50) { return .failure(error: error) }
    let animal = Animal(animalId: generator.uuidString(), name: name, diet: diet, categoryId: categoryId)
    animals.put(animal)
    return .success(animal: animal)
  }

  private mutating func update(_ animal: Animal) -> Session.UpdateAnimalResult {
    guard animals[animal.id] != nil else { return .failure(error: Vocabulary.missingRowError) }
    if let error = failure(oneIn: 50) { return .failure(error: error) }
    animals.put(animal)
    return .success(animal: animal)
  }

  private mutating func delete(_ animalId: Animal.ID) -> Session.DeleteAnimalResult {
    guard let animal = animals[animalId] else { return .failure(error: Vocabulary.missingRowError) }
    if let error = failure(oneIn: 50) { return .failure(error: error) }
    animals.remove(id: animalId)
    if deleted.count == Self.deletedLimit { deleted.removeFirst() }
    deleted.append(animal)
    return .success(animal: animal)
  }
}
