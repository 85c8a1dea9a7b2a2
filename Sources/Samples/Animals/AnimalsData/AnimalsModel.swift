package import ActionLog
public import EventSourcing
import JSONCoding
import TreeCollections

/// The model of the animals sample, which replays an ``AnimalsState`` from a log.
///
/// Every rule of the reducer checks before it writes, so a refused action leaves the state unchanged in place as well.
public enum AnimalsModel: Model {
  /// The model name in logs.
  public static let name = "animals"
  /// The schema version of ``AnimalsAction``.
  public static let schema = 1
  /// Empty tables that were never fetched.
  public static let initialState = AnimalsState()
  /// The first version of the reducer: the text changes with it.
  public static let sourceFingerprint: String? = ""

  /// Folds `action` into `state`.
  ///
  /// - Throws: An error with the message "animal not found" if the action names a row that does not exist; `state` is
  ///   then unchanged.
  public static func reduce(into state: inout AnimalsState, action: AnimalsAction) throws {
    switch action {
    case .ui(.categoryList(let action)): reduce(into: &state, action)
    case .ui(.animalList(let action)): try reduce(into: &state, action)
    case .ui(.animalDetail(let action)): try reduce(into: &state, action)
    case .ui(.animalEditor(let action)): try reduce(into: &state, action)
    case .data(.persistentSession(let action)): try reduce(into: &state, action)
    }
  }

  /// Marks the row as waiting for an operation.
  private static func wait(for animalId: Animal.ID, in state: inout AnimalsState) throws {
    try requireAnimal(animalId, in: state)
    state.animals.queue[animalId] = .waiting
  }

  private static func requireAnimal(_ animalId: Animal.ID, in state: AnimalsState) throws {
    guard state.animals.data.keys.contains(animalId) else { throw Error(animalId: animalId) }
  }
}

extension AnimalsModel {
  private static func reduce(into state: inout AnimalsState, _ action: AnimalsAction.UI.CategoryList) {
    switch action {
    case .onAppear:
      if state.categories.status == nil { state.categories.status = .waiting }
    case .onTapReloadSampleDataButton:
      guard state.categories.status != .waiting, state.animals.status != .waiting else { return }
      state.categories.status = .waiting
      state.animals.status = .waiting
    }
  }

  private static func reduce(into state: inout AnimalsState, _ action: AnimalsAction.UI.AnimalList) throws {
    switch action {
    case .onAppear:
      if state.animals.status == nil { state.animals.status = .waiting }
    case .onTapDeleteSelectedAnimalButton(let animalId):
      try wait(for: animalId, in: &state)
    }
  }

  private static func reduce(into state: inout AnimalsState, _ action: AnimalsAction.UI.AnimalDetail) throws {
    switch action {
    case .onTapDeleteSelectedAnimalButton(let animalId):
      try wait(for: animalId, in: &state)
    }
  }

  private static func reduce(into state: inout AnimalsState, _ action: AnimalsAction.UI.AnimalEditor) throws {
    switch action {
    case .onTapAddAnimalButton(let id, name: _, diet: _, categoryId: _):
      // The row comes with the result; until then, only the temporary id is known.
      state.animals.queue[id] = .waiting
    case .onTapUpdateAnimalButton(let animalId, name: _, diet: _, categoryId: _):
      try wait(for: animalId, in: &state)
    }
  }
}

extension AnimalsModel {
  private static func reduce(into state: inout AnimalsState, _ action: AnimalsAction.Data.PersistentSession) throws {
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
      // The last of two rows with the same id wins, as in a fetch. `init(uniqueKeysWithValues:)` would trap.
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

extension AnimalsModel {
  /// An action was refused because it names a row that does not exist.
  package struct Error: DescribedError, Equatable {
    package enum Code: String, Sendable {
      case animalNotFound
    }

    package let animalId: Animal.ID

    package init(animalId: Animal.ID) {
      self.animalId = animalId
    }

    package var code: Code { .animalNotFound }
    package var message: String { "animal not found: there is no animal with the id '\(animalId)'" }
    package var location: ErrorLocation { ErrorLocation(pointer: JSONPointer(["animals", "data", animalId])) }
    package var intact: String? { "The state is unchanged." }
    /// The message, which names the location.
    package var headline: String { message }
  }
}
