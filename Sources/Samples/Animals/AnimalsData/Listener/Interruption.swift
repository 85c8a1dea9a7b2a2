import SampleSupport
import TreeCollections

/// What a state waits for in vain, because the process that asked for it is gone.
struct Interruption: Sendable {
  /// Whether a whole domain is being waited for: that can be asked for again without harm.
  let isFetching: Bool
  /// Whether people had asked for categories.
  let hasAskedForCategories: Bool
  /// Whether people had asked for animals.
  let hasAskedForAnimals: Bool
  /// What ends the waiting of rows, in ascending order of their ids. Whether the operations were carried out is not
  /// known, so they are not begun again.
  let failures: [AnimalsAction]

  init(_ state: AnimalsState) {
    hasAskedForCategories = state.categories.status != nil
    hasAskedForAnimals = state.animals.status != nil
    isFetching = state.categories.status == .waiting || state.animals.status == .waiting
    let text = ErrorSummary(code: "interrupted", message: "the application ended before an answer came").description
    let waiting = state.animals.queue.compactMap { id, status in status == .waiting ? id : nil }
    failures = waiting.sorted().map { id in
      .data(
        .persistentSession(
          state.animals.data[id] == nil
            ? .didAddAnimal(id: id, result: .failure(error: text))
            : .didUpdateAnimal(animalId: id, result: .failure(error: text))))
    }
  }
}
