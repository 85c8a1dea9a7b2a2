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
  /// The first version of the reducer: the text changes with it.
  public static let sourceFingerprint: String? = ""

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

/// A hundred thousand actions of users of the animals sample, in which ``AnimalsWithBug`` spoils one name once.
///
/// One user adds a platypus, and later an update of it fails. Other updates fail, too, but no other animal has a name
/// with brackets. The actions are the same each time, and the reducer accepts all of them.
public struct PlatypusStory: Sequence, Sendable {
  /// The number of actions.
  public static let length = 100_000
  /// The revision of the action that adds the platypus.
  public static let birth = 61_234
  /// The revision at which its name goes wrong.
  public static let wrong = 61_803

  /// Creates the story.
  public init() {}

  /// Returns an iterator at the beginning of the story.
  public func makeIterator() -> Iterator { Iterator() }

  /// Generates the actions in order.
  public struct Iterator: IteratorProtocol, Sendable {
    private var people = AnimalsWorkload(seed: 7)
    private var state = AnimalsWithBug.initialState
    private var revision = 0

    fileprivate init() {}

    /// The next action.
    public mutating func next() -> AnimalsAction? {
      while revision < PlatypusStory.length {
        let platypus = Self.platypus(at: revision + 1)
        guard let action = platypus ?? people.next() else { return nil }
        do {
          try AnimalsWithBug.reduce(into: &state, action: action)
        } catch {
          // A late tap, which a live store would also refuse.
          precondition(platypus == nil, "the platypus is accepted")
          continue
        }
        revision += 1
        return action
      }
      return nil
    }

    private static func platypus(at revision: Int) -> AnimalsAction? {
      let id = "Platypus"
      let name = "Platypus (young)"
      switch revision {
      case PlatypusStory.birth:
        let animal = Animal(animalId: id, name: name, diet: .carnivorous, categoryId: "Mammal")
        return .data(.persistentSession(.didAddAnimal(id: id, result: .success(animal: animal))))
      case PlatypusStory.wrong - 1:
        return .ui(
          .animalEditor(
            .onTapUpdateAnimalButton(animalId: id, name: name, diet: .omnivorous, categoryId: "Mammal")))
      case PlatypusStory.wrong:
        return .data(
          .persistentSession(.didUpdateAnimal(animalId: id, result: .failure(error: "The request timed out."))))
      default: return nil
      }
    }
  }
}
