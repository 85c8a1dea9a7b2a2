public import AnimalsData
public import EventSourcing
import TreeCollections

/// The animals' model as somebody left it who meant well: when an update fails, the name is tidied, and what stands in brackets is
/// lost.
///
/// The story that the README tells looks for it, in the log of ``PlatypusStory``. Compiled with `MENDED` the file has no bug, so
/// that a test can be seen to fail and to pass: `swift test -Xswiftc -DMENDED`.
public enum AnimalsWithBug: Model {
  /// The name that its logs carry.
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
