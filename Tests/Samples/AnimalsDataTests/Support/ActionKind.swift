import AnimalsData

/// Every action value, and for results every outcome, as a flat list.
///
/// The switch has no default: an action that is new does not compile until it is listed here, and then every table of
/// these tests has to say what it does.
enum ActionKind: CaseIterable {
  case categoryListAppeared, reloadTapped
  case animalListAppeared, deleteTappedInList
  case deleteTappedInDetail
  case addTapped, updateTapped
  case categoriesFetched, categoriesNotFetched
  case animalsFetched, animalsNotFetched
  case reloaded, notReloaded
  case added, notAdded
  case updated, notUpdated
  case deleted, notDeleted

  init(_ action: AnimalsAction) {
    self =
      switch action {
      case .ui(.categoryList(.onAppear)): .categoryListAppeared
      case .ui(.categoryList(.onTapReloadSampleDataButton)): .reloadTapped
      case .ui(.animalList(.onAppear)): .animalListAppeared
      case .ui(.animalList(.onTapDeleteSelectedAnimalButton)): .deleteTappedInList
      case .ui(.animalDetail(.onTapDeleteSelectedAnimalButton)): .deleteTappedInDetail
      case .ui(.animalEditor(.onTapAddAnimalButton)): .addTapped
      case .ui(.animalEditor(.onTapUpdateAnimalButton)): .updateTapped
      case .data(.persistentSession(.didFetchCategories(result: .success))): .categoriesFetched
      case .data(.persistentSession(.didFetchCategories(result: .failure))): .categoriesNotFetched
      case .data(.persistentSession(.didFetchAnimals(result: .success))): .animalsFetched
      case .data(.persistentSession(.didFetchAnimals(result: .failure))): .animalsNotFetched
      case .data(.persistentSession(.didReloadSampleData(result: .success))): .reloaded
      case .data(.persistentSession(.didReloadSampleData(result: .failure))): .notReloaded
      case .data(.persistentSession(.didAddAnimal(id: _, result: .success))): .added
      case .data(.persistentSession(.didAddAnimal(id: _, result: .failure))): .notAdded
      case .data(.persistentSession(.didUpdateAnimal(animalId: _, result: .success))): .updated
      case .data(.persistentSession(.didUpdateAnimal(animalId: _, result: .failure))): .notUpdated
      case .data(.persistentSession(.didDeleteAnimal(animalId: _, result: .success))): .deleted
      case .data(.persistentSession(.didDeleteAnimal(animalId: _, result: .failure))): .notDeleted
      }
  }
}
