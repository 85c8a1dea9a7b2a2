import Platform
import SampleSupport

/// A generated sequence of actions for the animals sample; equal seeds give equal actions on every platform.
///
/// It simulates users who open the app, show lists, and add, edit and delete animals. The store answers one request at
/// a time, with a delay, and sometimes fails. The reducer refuses about 1 in 200 actions: a tap on a deleted row, or a
/// late result. The table grows by about one animal per ten actions, to some 100 000 animals after 10⁶. The sample data
/// is only reloaded while the table is small.
///
/// The sequence is infinite: take a prefix.
///
/// ```swift
/// for action in AnimalsWorkload(seed: 7).prefix(1_000) {
///   do { try store.dispatch(action: action) } catch { print("refused: \(error)") }
/// }
/// ```
public struct AnimalsWorkload: Sequence, IteratorProtocol, Sendable {
  /// The maximum number of pending requests: users do not tap faster than that.
  private static let pendingLimit = 4

  var generator: SplitMix64
  var animals = LiveRows<Animal>()
  var deleted: [Animal] = []
  /// The pending requests, oldest first: the listener performs them in this order.
  var requests: [Request] = []
  var hasCategories = false
  var categoriesStatus: Phase = .idle
  var animalsStatus: Phase = .idle
  /// The number of user actions before the app is closed.
  var sessionLength = 0
  var hasOpenedAnimalList = false

  /// Creates a workload.
  public init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  /// The next action. It is never `nil`.
  public mutating func next() -> AnimalsAction? {
    if let request = requests.first, isAnswerDue() {
      requests.removeFirst()
      return .data(.persistentSession(answer(request)))
    }
    return userAction()
  }

  private mutating func isAnswerDue() -> Bool {
    // Users wait for the lists, and do not close the app while requests are pending.
    if requests.count == Self.pendingLimit || sessionLength == 0 { return true }
    if categoriesStatus == .waiting || animals.isEmpty { return true }
    return generator.chance(2, in: 3)
  }
}

extension AnimalsWorkload {
  enum Phase: Sendable {
    case idle, waiting, success, failure
  }

  enum Request: Sendable {
    case fetchCategories
    case fetchAnimals
    case reloadSampleData
    case add(id: Animal.ID, name: String, diet: Animal.Diet, categoryId: Category.ID)
    case update(Animal)
    case delete(Animal.ID)

    var row: Animal.ID? {
      switch self {
      case .fetchCategories, .fetchAnimals, .reloadSampleData: nil
      case .add(let id, name: _, diet: _, categoryId: _): id
      case .update(let animal): animal.id
      case .delete(let id): id
      }
    }
  }
}

// MARK: - Actions of the user

// The user interface allows no second reload while one is running, and no new animals while the animals are fetched.

extension AnimalsWorkload {
  /// The number of animals from which on the sample data is no longer reloaded.
  private static let reloadLimit = 16

  mutating func userAction() -> AnimalsAction {
    if sessionLength == 0 { return openApp() }
    sessionLength -= 1
    // A first fetch that failed is not repeated; only a reload can recover from it.
    if categoriesStatus == .failure, !hasCategories { return reloadSampleData() }
    if !hasOpenedAnimalList { return openAnimalList() }
    if animals.isEmpty { return animalsStatus == .failure ? reloadSampleData() : add() }
    // Probabilities in thousandths. There are more adds than deletes, so the table grows.
    switch generator.next(below: 1_000) {
    case ..<80: return openAnimalList()
    case ..<100: return .ui(.categoryList(.onAppear))
    case ..<110: return tooLate()
    case ..<120 where animals.count < Self.reloadLimit: return reloadSampleData()
    case ..<111: return reloadSampleData()
    case ..<470: return add()
    case ..<840: return update()
    default: return delete()
    }
  }

  private mutating func openApp() -> AnimalsAction {
    sessionLength = 12 + generator.next(below: 48)
    hasOpenedAnimalList = false
    if categoriesStatus == .idle {
      categoriesStatus = .waiting
      requests.append(.fetchCategories)
    }
    return .ui(.categoryList(.onAppear))
  }

  private mutating func openAnimalList() -> AnimalsAction {
    hasOpenedAnimalList = true
    if animalsStatus == .idle {
      animalsStatus = .waiting
      requests.append(.fetchAnimals)
    }
    return .ui(.animalList(.onAppear))
  }

  private mutating func reloadSampleData() -> AnimalsAction {
    guard categoriesStatus != .waiting, animalsStatus != .waiting else { return openAnimalList() }
    categoriesStatus = .waiting
    animalsStatus = .waiting
    requests.append(.reloadSampleData)
    return .ui(.categoryList(.onTapReloadSampleDataButton))
  }

  private mutating func add() -> AnimalsAction {
    guard animalsStatus != .waiting else { return openAnimalList() }
    let species = generator.element(of: Vocabulary.species)
    let name = "\(generator.element(of: Vocabulary.adjectives)) \(species.name)"
    let id = generator.uuidString()
    let categoryId = species.category.id
    requests.append(.add(id: id, name: name, diet: species.diet, categoryId: categoryId))
    return .ui(.animalEditor(.onTapAddAnimalButton(id: id, name: name, diet: species.diet, categoryId: categoryId)))
  }

  private mutating func update() -> AnimalsAction {
    let animal = edited(animals.pick(using: &generator))
    // A waiting row accepts no second operation; the tap comes from another window and has no effect.
    if !isWaiting(animal.id) { requests.append(.update(animal)) }
    return .ui(
      .animalEditor(
        .onTapUpdateAnimalButton(
          animalId: animal.id, name: animal.name, diet: animal.diet, categoryId: animal.categoryId)))
  }

  private mutating func delete() -> AnimalsAction {
    let animalId = animals.pick(using: &generator).id
    if !isWaiting(animalId) { requests.append(.delete(animalId)) }
    return deleteTap(animalId)
  }

  /// An action on a deleted row, which the reducer refuses.
  private mutating func tooLate() -> AnimalsAction {
    guard !deleted.isEmpty else { return openAnimalList() }
    let animal = generator.element(of: deleted)
    // A reload can have restored it.
    guard animals[animal.id] == nil else { return openAnimalList() }
    switch generator.next(below: 4) {
    case 0:
      let error = generator.element(of: Vocabulary.storeErrors)
      return .data(.persistentSession(.didUpdateAnimal(animalId: animal.id, result: .failure(error: error))))
    case 1:
      return .data(.persistentSession(.didDeleteAnimal(animalId: animal.id, result: .success(animal: animal))))
    case 2:
      return .ui(
        .animalEditor(
          .onTapUpdateAnimalButton(
            animalId: animal.id, name: animal.name, diet: animal.diet, categoryId: animal.categoryId)))
    default:
      return deleteTap(animal.id)
    }
  }

  private func isWaiting(_ row: Animal.ID) -> Bool {
    requests.contains { request in request.row == row }
  }

  private mutating func deleteTap(_ animalId: Animal.ID) -> AnimalsAction {
    generator.chance(2, in: 3)
      ? .ui(.animalList(.onTapDeleteSelectedAnimalButton(animalId: animalId)))
      : .ui(.animalDetail(.onTapDeleteSelectedAnimalButton(animalId: animalId)))
  }

  /// The animal after an edit: usually with a new name, sometimes with another diet or category.
  private mutating func edited(_ animal: Animal) -> Animal {
    var (name, diet, categoryId) = (animal.name, animal.diet, animal.categoryId)
    switch generator.next(below: 16) {
    case 0: diet = generator.element(of: Animal.Diet.allCases)
    case 1: categoryId = generator.element(of: Category.samples).id
    case 2: name = generator.element(of: Vocabulary.awkwardNames)
    default: name = generator.element(of: Vocabulary.petNames)
    }
    return Animal(animalId: animal.id, name: name, diet: diet, categoryId: categoryId)
  }
}

// MARK: - Answers of the store

// An operation on a row that was deleted before it ran fails, and the reducer refuses the failure.

extension AnimalsWorkload {
  /// The number of deleted animals that can still be tapped.
  private static let deletedLimit = 16

  private typealias Session = AnimalsAction.Data.PersistentSession

  private mutating func answer(_ request: Request) -> Session {
    switch request {
    case .fetchCategories: .didFetchCategories(result: fetchCategories())
    case .fetchAnimals: .didFetchAnimals(result: fetchAnimals())
    case .reloadSampleData: .didReloadSampleData(result: reload())
    case .add(let id, let name, let diet, let categoryId):
      .didAddAnimal(id: id, result: add(name: name, diet: diet, categoryId: categoryId))
    case .update(let animal): .didUpdateAnimal(animalId: animal.id, result: update(animal))
    case .delete(let animalId): .didDeleteAnimal(animalId: animalId, result: delete(animalId))
    }
  }

  /// Returns the text of a failure in one of `total` cases.
  private mutating func failure(oneIn total: Int) -> String? {
    generator.chance(1, in: total) ? generator.element(of: Vocabulary.storeErrors) : nil
  }

  private mutating func fetchCategories() -> Session.FetchCategoriesResult {
    if let error = failure(oneIn: 20) {
      categoriesStatus = .failure
      return .failure(error: error)
    }
    categoriesStatus = .success
    hasCategories = true
    return .success(categories: Category.samples)
  }

  private mutating func fetchAnimals() -> Session.FetchAnimalsResult {
    if let error = failure(oneIn: 20) {
      animalsStatus = .failure
      return .failure(error: error)
    }
    animalsStatus = .success
    for animal in Animal.samples { animals.put(animal) }
    return .success(animals: Animal.samples)
  }

  private mutating func reload() -> Session.ReloadSampleDataResult {
    // With many rows, the reload always fails, so the table keeps growing.
    let error = animals.count < 32 ? failure(oneIn: 8) : failure(oneIn: 1)
    if let error {
      categoriesStatus = .failure
      animalsStatus = .failure
      return .failure(error: error)
    }
    categoriesStatus = .success
    hasCategories = true
    animalsStatus = .success
    animals.removeAll()
    for animal in Animal.samples { animals.put(animal) }
    return .success(animals: Animal.samples, categories: Category.samples)
  }

  private mutating func add(name: String, diet: Animal.Diet, categoryId: Category.ID) -> Session.AddAnimalResult {
    if let error = failure(oneIn: 50) { return .failure(error: error) }
    let animal = Animal(animalId: generator.uuidString(), name: name, diet: diet, categoryId: categoryId)
    animals.put(animal)
    return .success(animal: animal)
  }

  private mutating func update(_ animal: Animal) -> Session.UpdateAnimalResult {
    guard animals[animal.id] != nil else { return .failure(error: Vocabulary.missingRowError) }
    if let error = failure(oneIn: 50) { return .failure(error: error) }
    animals.put(animal)
    return .success(animal: animal)
  }

  private mutating func delete(_ animalId: Animal.ID) -> Session.DeleteAnimalResult {
    guard let animal = animals[animalId] else { return .failure(error: Vocabulary.missingRowError) }
    if let error = failure(oneIn: 50) { return .failure(error: error) }
    animals.remove(id: animalId)
    if deleted.count == Self.deletedLimit { deleted.removeFirst() }
    deleted.append(animal)
    return .success(animal: animal)
  }
}

private enum Vocabulary {
  static let species: [(name: String, diet: Animal.Diet, category: Category)] = [
    ("barn owl", .carnivorous, .bird), ("eagle", .carnivorous, .bird), ("goldfinch", .herbivorous, .bird),
    ("hooded crow", .omnivorous, .bird), ("kingfisher", .carnivorous, .bird), ("mallard", .omnivorous, .bird),
    ("ostrich", .omnivorous, .bird), ("penguin", .carnivorous, .bird), ("robin", .omnivorous, .bird),
    ("badger", .omnivorous, .mammal), ("bat", .carnivorous, .mammal), ("beaver", .herbivorous, .mammal),
    ("brown bear", .omnivorous, .mammal), ("dolphin", .carnivorous, .mammal), ("elephant", .herbivorous, .mammal),
    ("fox", .omnivorous, .mammal), ("giraffe", .herbivorous, .mammal), ("hare", .herbivorous, .mammal),
    ("hedgehog", .omnivorous, .mammal), ("lynx", .carnivorous, .mammal), ("otter", .carnivorous, .mammal),
    ("carp", .omnivorous, .fish), ("clownfish", .omnivorous, .fish), ("eel", .carnivorous, .fish),
    ("parrotfish", .herbivorous, .fish), ("pike", .carnivorous, .fish), ("seahorse", .carnivorous, .fish),
    ("chameleon", .carnivorous, .reptile), ("gecko", .omnivorous, .reptile), ("iguana", .herbivorous, .reptile),
    ("slow worm", .carnivorous, .reptile), ("tortoise", .herbivorous, .reptile), ("viper", .carnivorous, .reptile),
    ("axolotl", .carnivorous, .amphibian), ("fire salamander", .carnivorous, .amphibian),
    ("tree frog", .carnivorous, .amphibian), ("ant", .omnivorous, .invertebrate), ("bee", .herbivorous, .invertebrate),
    ("octopus", .carnivorous, .invertebrate), ("snail", .herbivorous, .invertebrate),
    ("sea urchin", .omnivorous, .invertebrate), ("stag beetle", .herbivorous, .invertebrate),
  ]

  static let adjectives = [
    "Brown", "Common", "Eastern", "Giant", "Greater", "Grey", "Lesser", "Little", "Mountain", "Northern", "Old", "Red",
    "Snow", "Southern", "Spotted", "Western", "White", "Young",
  ]

  static let petNames = [
    "Alba", "Bruno", "Cleo", "Daisy", "Emil", "Flora", "Gus", "Hazel", "Ivo", "Juno", "Kiki", "Loki", "Mimi", "Nala",
    "Otto", "Pip", "Quill", "Rosa", "Sam", "Tilda", "Uma", "Vito", "Wanda", "Yuki", "Ziggy",
  ]

  /// Names that test text handling: other scripts, characters that JSON escapes, a separator that is not a line feed.
  static let awkwardNames = [
    "Zoë", "François", "Снежок", "ポチ", "小白", "🦉 Hedwig", "Łatek", "Dr. \"Fluffy\" O'Hara", "Tom/Jerry", "Back\\slash",
    "Tab\tby", "Two\u{2028}lines", "Cafe\u{301}", "😺",
  ]

  static let storeErrors = [
    "The operation could not be completed. (AnimalsData.LocalStore.Error error 1.)",
    "The request timed out.",
    "The network connection was lost.",
    "database is locked",
  ]

  static let missingRowError = "The operation could not be completed. (AnimalsData.LocalStore.Error error 0.)"
}
