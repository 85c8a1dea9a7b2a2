import AnimalsData
import TreeCollections

extension AnimalsState {
  /// A state from lists of rows, to be read in one line.
  static func with(
    categories: [Category] = [],
    _ categoriesStatus: Status? = nil,
    animals: [Animal] = [],
    _ animalsStatus: Status? = nil,
    queue: [Animal.ID: Status] = [:]
  ) -> AnimalsState {
    var state = AnimalsState(
      categories: AnimalsState.Categories(status: categoriesStatus),
      animals: AnimalsState.Animals(status: animalsStatus))
    for category in categories { state.categories.data[category.id] = category }
    for animal in animals { state.animals.data[animal.id] = animal }
    for (id, status) in queue { state.animals.queue[id] = status }
    return state
  }

  /// The six categories and six animals, both fetched.
  static let samples = AnimalsState.with(
    categories: Category.samples, .success, animals: Animal.samples, .success)
}

extension Animal {
  /// The same animal with some of its fields changed.
  func with(name: String? = nil, categoryId: Category.ID? = nil) -> Animal {
    Animal(animalId: animalId, name: name ?? self.name, diet: diet, categoryId: categoryId ?? self.categoryId)
  }
}
