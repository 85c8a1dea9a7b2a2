import TreeCollections

extension AnimalsReducer {
  static func reduce(into state: inout AnimalsState, action: AnimalsAction.Data.PersistentSession) throws {
    switch action {
    case .didFetchCategories(let result): fetchCategories(into: &state, result: result)
    case .didFetchAnimals(let result): fetchAnimals(into: &state, result: result)
    case .didReloadSampleData(let result): reloadSampleData(into: &state, result: result)
    case .didAddAnimal(let id, let result): addAnimal(into: &state, id: id, result: result)
    case .didUpdateAnimal(let animalId, let result):
      try updateAnimal(into: &state, animalId: animalId, result: result)
    case .didDeleteAnimal(let animalId, let result):
      try deleteAnimal(into: &state, animalId: animalId, result: result)
    }
  }

  private typealias Session = AnimalsAction.Data.PersistentSession

  private static func fetchCategories(into state: inout AnimalsState, result: Session.FetchCategoriesResult) {
    switch result {
    case .success(let categories):
      for category in categories { state.categories.data[category.id] = category }
      state.categories.status = .success
    case .failure(let error):
      state.categories.status = .failure(error: error)
    }
  }

  private static func fetchAnimals(into state: inout AnimalsState, result: Session.FetchAnimalsResult) {
    switch result {
    case .success(let animals):
      for animal in animals { state.animals.data[animal.id] = animal }
      state.animals.status = .success
    case .failure(let error):
      state.animals.status = .failure(error: error)
    }
  }

  private static func reloadSampleData(into state: inout AnimalsState, result: Session.ReloadSampleDataResult) {
    switch result {
    case .success(let animals, let categories):
      // The last of two rows with one id wins, as in a fetch; building a table from unique keys would trap.
      state.categories.data = [:]
      for category in categories { state.categories.data[category.id] = category }
      state.categories.status = .success
      state.animals.data = [:]
      for animal in animals { state.animals.data[animal.id] = animal }
      state.animals.status = .success
    case .failure(let error):
      state.categories.status = .failure(error: error)
      state.animals.status = .failure(error: error)
    }
  }

  private static func addAnimal(into state: inout AnimalsState, id: Animal.ID, result: Session.AddAnimalResult) {
    switch result {
    case .success(let animal):
      state.animals.data[animal.id] = animal
      state.animals.queue[id] = .success
    case .failure(let error):
      state.animals.queue[id] = .failure(error: error)
    }
  }

  private static func updateAnimal(
    into state: inout AnimalsState, animalId: Animal.ID, result: Session.UpdateAnimalResult
  ) throws {
    try requireAnimal(animalId, in: state)
    switch result {
    case .success(let animal):
      state.animals.data[animal.id] = animal
      state.animals.queue[animalId] = .success
    case .failure(let error):
      state.animals.queue[animalId] = .failure(error: error)
    }
  }

  private static func deleteAnimal(
    into state: inout AnimalsState, animalId: Animal.ID, result: Session.DeleteAnimalResult
  ) throws {
    try requireAnimal(animalId, in: state)
    switch result {
    case .success(let animal):
      state.animals.data[animal.id] = nil
      state.animals.queue[animal.id] = .success
    case .failure(let error):
      state.animals.queue[animalId] = .failure(error: error)
    }
  }
}
