import TreeCollections

/// What has to be done because of an action: decided from the state before and the folded state, never from the live
/// one, which after a burst of actions is that of a later moment.
package enum AnimalsEffect: Hashable, Sendable {
  /// Fetch the categories.
  case fetchCategories
  /// Fetch the animals.
  case fetchAnimals
  /// Replace everything with the sample data.
  case reloadSampleData
  /// Add an animal, which is waited for under a temporary id.
  case add(id: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
  /// Change an animal.
  case update(animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
  /// Delete an animal.
  case delete(animalId: Animal.ID)

  /// Decides.
  ///
  /// - Parameters:
  ///   - oldState: The state that the action met.
  ///   - action: The action, which was accepted.
  /// - Returns: `nil` when nothing has to be done: for news of the data layer, and when what the action asks for is being
  ///   waited for already.
  /// - Throws: The reducer's error, when it would refuse the action.
  /// - Complexity: That of the reducer.
  package init?(of action: AnimalsAction, in oldState: AnimalsState) throws {
    guard case .ui(let ui) = action else { return nil }
    let newState = try AnimalsReducer.reduce(state: oldState, action: action)
    let (effect, isDue) = Self.candidate(ui, from: oldState, to: newState)
    guard isDue else { return nil }
    self = effect
  }

  /// What an action asks for, and whether it was the one that began the waiting.
  private static func candidate(
    _ action: AnimalsAction.UI, from oldState: AnimalsState, to newState: AnimalsState
  ) -> (effect: AnimalsEffect, isDue: Bool) {
    func begins(_ animalId: Animal.ID) -> Bool {
      oldState.animals.queue[animalId] != .waiting && newState.animals.queue[animalId] == .waiting
    }
    let (oldCategories, newCategories) = (oldState.categories.status, newState.categories.status)
    let (oldAnimals, newAnimals) = (oldState.animals.status, newState.animals.status)
    switch action {
    case .categoryList(.onAppear):
      return (.fetchCategories, oldCategories == nil && newCategories == .waiting)
    case .categoryList(.onTapReloadSampleDataButton):
      let wereIdle = oldCategories != .waiting && oldAnimals != .waiting
      return (.reloadSampleData, wereIdle && newCategories == .waiting && newAnimals == .waiting)
    case .animalList(.onAppear):
      return (.fetchAnimals, oldAnimals == nil && newAnimals == .waiting)
    case .animalList(.onTapDeleteSelectedAnimalButton(let animalId)),
      .animalDetail(.onTapDeleteSelectedAnimalButton(let animalId)):
      return (.delete(animalId: animalId), begins(animalId))
    case .animalEditor(.onTapAddAnimalButton(let id, let name, let diet, let categoryId)):
      return (.add(id: id, name: name, diet: diet, categoryId: categoryId), begins(id))
    case .animalEditor(.onTapUpdateAnimalButton(let animalId, let name, let diet, let categoryId)):
      return (.update(animalId: animalId, name: name, diet: diet, categoryId: categoryId), begins(animalId))
    }
  }
}
