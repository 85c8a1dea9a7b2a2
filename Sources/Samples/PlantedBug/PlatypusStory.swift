public import AnimalsData

/// A hundred thousand actions of people at work with the animals, in which ``AnimalsWithBug`` spoils one name once.
///
/// Among the people somebody adds a platypus, and later an update of it fails. Other updates fail too, but no other animal has a
/// name with brackets. The actions are the same each time, and the reducer accepts all of them.
public struct PlatypusStory: Sequence, Sendable {
  /// How many actions it has.
  public static let length = 100_000
  /// The revision at which the platypus appears.
  public static let birth = 61_234
  /// The revision at which its name goes wrong.
  public static let wrong = 61_803

  /// Makes the story.
  public init() {}

  /// The story from its beginning.
  public func makeIterator() -> Iterator { Iterator() }

  /// Makes one action after the other.
  public struct Iterator: IteratorProtocol, Sendable {
    private var people = AnimalsWorkload(seed: 7, count: 2 * PlatypusStory.length)
    private var state = AnimalsWithBug.initialState
    private var seq = 0

    fileprivate init() {}

    /// The next action.
    public mutating func next() -> AnimalsAction? {
      while seq < PlatypusStory.length {
        let platypus = Self.platypus(at: seq + 1)
        guard let action = platypus ?? people.next() else { return nil }
        do {
          try AnimalsWithBug.reduce(into: &state, action: action)
        } catch {
          // A tap that came too late: a live store would refuse it, too.
          precondition(platypus == nil, "the platypus is accepted")
          continue
        }
        seq += 1
        return action
      }
      return nil
    }

    private static func platypus(at seq: Int) -> AnimalsAction? {
      let id = "Platypus"
      let name = "Platypus (young)"
      switch seq {
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
