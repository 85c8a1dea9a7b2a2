public import AnimalsData
public import EventSourcing
import TreeCollections

/// The animals' model with a bug: when an update fails, the name is tidied, and its part in brackets is lost.
///
/// The README and the handbook find it in the log of ``PlatypusStory``. Compiled with `MENDED`, the file has no bug,
/// so that a test fails without and passes with the fix: `swift test -Xswiftc -DMENDED`. It is a module of its own
/// because the tests that `action-log test` writes import it.
public enum AnimalsWithBug: Model {
  /// The name in its logs.
  public static let name = "animals-with-bug"
  /// The schema of the animals' model.
  public static let schema = 1
  /// The animals' initial state.
  public static let initialState = AnimalsState()

  /// Folds an action as the animals' model does, and tidies a name.
  public static func reduce(into state: inout AnimalsState, action: AnimalsAction) throws {
    try AnimalsModel.reduce(into: &state, action: action)
    #if !MENDED
    guard case .data(.persistentSession(.didUpdateAnimal(let id, .failure))) = action,
      let animal = state.animals.data[id]
    else { return }
    state.animals.data[id] = Animal(
      animalId: animal.animalId, name: String(animal.name.prefix { character in character != "(" }),
      diet: animal.diet, categoryId: animal.categoryId)
    #endif
  }
}
