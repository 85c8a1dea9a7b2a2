import AnimalsData
import Platform
import TestSupport
import TreeCollections

/// A call of a double.
enum StoreCall: Hashable, Sendable {
  case fetchCategories
  case fetchAnimals
  case add(name: String, diet: Animal.Diet, categoryId: String)
  case update(animalId: String, name: String, diet: Animal.Diet, categoryId: String)
  case delete(animalId: String)
  case reload
}

/// A store in memory, which records its calls and returns prepared answers.
final class PersistentStoreDouble: PersistentSessionPersistentStore, GatedDouble {
  struct Contents: Sendable {
    var rows: [String: Animal] = [:]
  }

  let gate = CallGate<StoreCall>()
  let contents: Locked<Contents>

  init(_ animals: [Animal] = Animal.samples) {
    var contents = Contents()
    for animal in animals { contents.rows[animal.id] = animal }
    self.contents = Locked(contents)
  }

  func fetchCategoriesQuery() async throws -> [AnimalsData.Category] {
    try await gate.enter(.fetchCategories)
    return Category.samples
  }

  func fetchAnimalsQuery() async throws -> [Animal] {
    try await gate.enter(.fetchAnimals)
    return contents.withLock { contents in contents.rows.values.sorted { lhs, rhs in lhs.id < rhs.id } }
  }

  func addAnimalMutation(name: String, diet: Animal.Diet, categoryId: String) async throws -> Animal {
    try await gate.enter(.add(name: name, diet: diet, categoryId: categoryId))
    let animal = Animal(animalId: "new \(name)", name: name, diet: diet, categoryId: categoryId)
    contents.withLock { contents in contents.rows[animal.id] = animal }
    return animal
  }

  func updateAnimalMutation(
    animalId: String, name: String, diet: Animal.Diet, categoryId: String
  ) async throws -> Animal {
    try await gate.enter(.update(animalId: animalId, name: name, diet: diet, categoryId: categoryId))
    let animal = Animal(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
    return try contents.withLock { contents in
      guard contents.rows[animalId] != nil else { throw Refusal() }
      contents.rows[animalId] = animal
      return animal
    }
  }

  func deleteAnimalMutation(animalId: String) async throws -> Animal {
    try await gate.enter(.delete(animalId: animalId))
    return try contents.withLock { contents in
      guard let animal = contents.rows.removeValue(forKey: animalId) else { throw Refusal() }
      return animal
    }
  }

  func reloadSampleDataMutation() async throws -> (animals: [Animal], categories: [AnimalsData.Category]) {
    try await gate.enter(.reload)
    contents.withLock { contents in
      contents.rows = [:]
      for animal in Animal.samples { contents.rows[animal.id] = animal }
    }
    return (animals: Animal.samples, categories: Category.samples)
  }
}
