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
    case .ui(let action): try reduce(into: &state, action)
    case .data(.persistentSession(let action)): try reduce(into: &state, action)
    }
  }

  private static func reduce(into state: inout AnimalsState, _ action: AnimalsAction.UI) throws {
    switch action {
    case .categoryList(.onAppear):
      if state.categories.status == nil { state.categories.status = .waiting }
    case .categoryList(.onTapReloadSampleDataButton):
      guard state.categories.status != .waiting, state.animals.status != .waiting else { return }
      state.categories.status = .waiting
      state.animals.status = .waiting
    case .animalList(.onAppear):
      if state.animals.status == nil { state.animals.status = .waiting }
    case .animalEditor(.onTapAddAnimalButton(let id, name: _, diet: _, categoryId: _)):
      // The row comes with the result; until then, only the temporary id is known.
      state.animals.queue[id] = .waiting
    case .animalList(.onTapDeleteSelectedAnimalButton(let animalId)),
      .animalDetail(.onTapDeleteSelectedAnimalButton(let animalId)),
      .animalEditor(.onTapUpdateAnimalButton(let animalId, name: _, diet: _, categoryId: _)):
      try requireAnimal(animalId, in: state)
      state.animals.queue[animalId] = .waiting
    }
  }

  private static func reduce(
    into state: inout AnimalsState, _ action: AnimalsAction.Data.PersistentSession
  ) throws {
    switch action {
    case .didFetchCategories(.success(let categories)):
      for category in categories { state.categories.data[category.id] = category }
      state.categories.status = .success
    case .didFetchCategories(.failure(let error)):
      state.categories.status = .failure(error: error)
    case .didFetchAnimals(.success(let animals)):
      for animal in animals { state.animals.data[animal.id] = animal }
      state.animals.status = .success
    case .didFetchAnimals(.failure(let error)):
      state.animals.status = .failure(error: error)
    case .didReloadSampleData(.success(let animals, let categories)):
      // The last of two rows with the same id wins, as in a fetch. `init(uniqueKeysWithValues:)` would trap.
      state.categories.data = [:]
      for category in categories { state.categories.data[category.id] = category }
      state.categories.status = .success
      state.animals.data = [:]
      for animal in animals { state.animals.data[animal.id] = animal }
      state.animals.status = .success
    case .didReloadSampleData(.failure(let error)):
      state.categories.status = .failure(error: error)
      state.animals.status = .failure(error: error)
    case .didAddAnimal(let id, .success(let animal)):
      state.animals.data[animal.id] = animal
      state.animals.queue[id] = .success
    case .didUpdateAnimal(let animalId, .success(let animal)):
      try requireAnimal(animalId, in: state)
      state.animals.data[animal.id] = animal
      state.animals.queue[animalId] = .success
    case .didDeleteAnimal(let animalId, .success(let animal)):
      try requireAnimal(animalId, in: state)
      state.animals.data[animal.id] = nil
      state.animals.queue[animal.id] = .success
    case .didAddAnimal(let id, .failure(let error)):
      state.animals.queue[id] = .failure(error: error)
    case .didUpdateAnimal(let animalId, .failure(let error)), .didDeleteAnimal(let animalId, .failure(let error)):
      try requireAnimal(animalId, in: state)
      state.animals.queue[animalId] = .failure(error: error)
    }
  }

  private static func requireAnimal(_ animalId: Animal.ID, in state: AnimalsState) throws {
    guard state.animals.data.keys.contains(animalId) else { throw Error(animalId: animalId) }
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
