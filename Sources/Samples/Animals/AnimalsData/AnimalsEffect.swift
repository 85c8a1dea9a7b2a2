import TreeCollections

/// A side effect of an action.
///
/// It is derived from the state before the action and the reduced state, never from the live state, which can include
/// later actions.
package enum AnimalsEffect: Hashable, Sendable {
  /// Fetch the categories.
  case fetchCategories
  /// Fetch the animals.
  case fetchAnimals
  /// Replace everything with the sample data.
  case reloadSampleData
  /// Add an animal, which the state tracks under a temporary id.
  case add(id: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
  /// Change an animal.
  case update(animalId: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
  /// Delete an animal.
  case delete(animalId: Animal.ID)

  /// Creates the effect of an accepted action.
  ///
  /// - Parameters:
  ///   - oldState: The state before the action.
  ///   - action: The action.
  /// - Returns: `nil` if the action has no effect: it comes from the data layer, or its operation is already pending.
  /// - Throws: The reducer's error if it refuses the action.
  /// - Complexity: The complexity of the reducer.
  package init?(of action: AnimalsAction, in oldState: AnimalsState) throws {
    guard case .ui(let ui) = action else { return nil }
    let newState = try AnimalsReducer.reduce(state: oldState, action: action)
    let (effect, isDue) = Self.candidate(ui, from: oldState, to: newState)
    guard isDue else { return nil }
    self = effect
  }

  /// Returns the requested effect, and whether this action was the first to request it.
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
