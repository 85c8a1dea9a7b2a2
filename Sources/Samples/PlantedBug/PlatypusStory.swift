public import AnimalsData

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
    private var people = AnimalsWorkload(seed: 7, count: 2 * PlatypusStory.length)
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
