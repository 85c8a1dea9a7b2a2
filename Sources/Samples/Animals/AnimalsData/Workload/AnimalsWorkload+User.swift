import SampleSupport

// What people do. The front end's rules hold: no second reload while one runs, no adding while the animals are waiting.

extension AnimalsWorkload {
  /// While there are fewer animals, somebody may start over with the sample data.
  private static let reloadLimit = 16

  mutating func userAction() -> AnimalsAction {
    if sessionLength == 0 { return openApp() }
    sessionLength -= 1
    // A first fetch that failed is not tried again; reloading is the only way out.
    if categoriesStatus == .failure, !hasCategories { return reloadSampleData() }
    if !hasOpenedAnimalList { return openAnimalList() }
    if animals.isEmpty { return animalsStatus == .failure ? reloadSampleData() : add() }
    // In thousandths. Adds outnumber deletes, so that the table grows.
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
    // A row that is waiting takes no second operation; the tap comes from another window and changes nothing.
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

  /// Something about a row that is gone, which the reducer refuses.
  private mutating func tooLate() -> AnimalsAction {
    guard !deleted.isEmpty else { return openAnimalList() }
    let animal = generator.element(of: deleted)
    // A reload can have brought it back.
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

  /// The animal after somebody was at it: mostly a new name, sometimes another diet or category.
  private mutating func edited(_ animal: Animal) -> Animal {
    switch generator.next(below: 16) {
    case 0:
      let diet = generator.element(of: Animal.Diet.allCases)
      return Animal(animalId: animal.id, name: animal.name, diet: diet, categoryId: animal.categoryId)
    case 1:
      let category = generator.element(of: Category.samples)
      return Animal(animalId: animal.id, name: animal.name, diet: animal.diet, categoryId: category.id)
    case 2:
      let name = generator.element(of: Vocabulary.awkwardNames)
      return Animal(animalId: animal.id, name: name, diet: animal.diet, categoryId: animal.categoryId)
    default:
      let name = generator.element(of: Vocabulary.petNames)
      return Animal(animalId: animal.id, name: name, diet: animal.diet, categoryId: animal.categoryId)
    }
  }
}
