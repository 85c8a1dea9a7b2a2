import AnimalsData
import TreeCollections

/// The state of the Animals sample in plain dictionaries, with the reducer in the form that returns a new value: the
/// baseline that copies at every action.
struct DictionaryAnimals {
  private(set) var animals: [Animal.ID: Animal] = [:]
  private(set) var queue: [Animal.ID: Status] = [:]

  /// The same rows as a state of the sample.
  init(_ state: AnimalsState) {
    for (id, animal) in state.animals.data { animals[id] = animal }
    for (id, status) in state.animals.queue { queue[id] = status }
  }

  /// A number that tells results apart.
  var weight: UInt64 { UInt64(animals.count) << 32 | UInt64(queue.count) }

  /// Returns the state after an update of a row. Other actions do not change it.
  func reduced(_ action: AnimalsAction) -> DictionaryAnimals {
    var next = self
    switch action {
    case .ui(.animalEditor(.onTapUpdateAnimalButton(let id, _, _, _))):
      next.queue[id] = .waiting
    case .data(.persistentSession(.didUpdateAnimal(let id, .success(let animal)))):
      next.animals[animal.id] = animal
      next.queue[id] = .success
    default:
      break
    }
    return next
  }
}
