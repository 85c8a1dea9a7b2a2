import AnimalsData
import Testing

/// An action with its type and data in a log.
struct ActionCase: Sendable, CustomTestStringConvertible {
  let action: AnimalsAction
  let type: String
  let data: String

  init(_ action: AnimalsAction, type: String, data: String) {
    self.action = action
    self.type = type
    self.data = data
  }

  var kind: ActionKind { ActionKind(action) }

  var testDescription: String { type }

  /// The JSON of Swift's synthesized coding: the parts of the type are nested.
  var nested: String {
    let parts = type.split(separator: ".")
    return parts.dropLast().map { part in #"{"\#(part)":{"_0":"# }.joined()
      + #"{"\#(parts[parts.count - 1])":\#(data)}"#
      + String(repeating: "}}", count: parts.count - 1)
  }
}

extension ActionCase {
  /// Every kind of action once; actions on a row name the cat.
  static let all = ui + fetches + operations

  static func first(_ kind: ActionKind) -> AnimalsAction? {
    all.first { candidate in candidate.kind == kind }?.action
  }

  private static let ui = [
    ActionCase(.ui(.categoryList(.onAppear)), type: "ui.categoryList.onAppear", data: "{}"),
    ActionCase(
      .ui(.categoryList(.onTapReloadSampleDataButton)),
      type: "ui.categoryList.onTapReloadSampleDataButton", data: "{}"),
    ActionCase(.ui(.animalList(.onAppear)), type: "ui.animalList.onAppear", data: "{}"),
    ActionCase(
      .ui(.animalList(.onTapDeleteSelectedAnimalButton(animalId: "Cat"))),
      type: "ui.animalList.onTapDeleteSelectedAnimalButton", data: #"{"animalId":"Cat"}"#),
    ActionCase(
      .ui(.animalDetail(.onTapDeleteSelectedAnimalButton(animalId: "Cat"))),
      type: "ui.animalDetail.onTapDeleteSelectedAnimalButton", data: #"{"animalId":"Cat"}"#),
    ActionCase(
      .ui(.animalEditor(.onTapAddAnimalButton(id: "t1", name: "Owl", diet: .carnivorous, categoryId: "Bird"))),
      type: "ui.animalEditor.onTapAddAnimalButton",
      data: #"{"id":"t1","name":"Owl","diet":"Carnivore","categoryId":"Bird"}"#),
    ActionCase(
      .ui(
        .animalEditor(
          .onTapUpdateAnimalButton(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Mammal"))),
      type: "ui.animalEditor.onTapUpdateAnimalButton",
      data: #"{"animalId":"Cat","name":"Mimi","diet":"Omnivore","categoryId":"Mammal"}"#),
  ]

  private static let fetches = [
    ActionCase(
      .data(.persistentSession(.didFetchCategories(result: .success(categories: [.bird])))),
      type: "data.persistentSession.didFetchCategories",
      data: #"{"result":{"success":{"categories":[{"categoryId":"Bird","name":"Bird"}]}}}"#),
    ActionCase(
      .data(.persistentSession(.didFetchCategories(result: .failure(error: "offline")))),
      type: "data.persistentSession.didFetchCategories",
      data: #"{"result":{"failure":{"error":"offline"}}}"#),
    ActionCase(
      .data(.persistentSession(.didFetchAnimals(result: .success(animals: [.gibbon])))),
      type: "data.persistentSession.didFetchAnimals",
      data: """
        {"result":{"success":{"animals":[{"animalId":"Bibbon","name":"Southern gibbon","diet":"Herbivore",\
        "categoryId":"Mammal"}]}}}
        """),
    ActionCase(
      .data(.persistentSession(.didFetchAnimals(result: .failure(error: "offline")))),
      type: "data.persistentSession.didFetchAnimals",
      data: #"{"result":{"failure":{"error":"offline"}}}"#),
    ActionCase(
      .data(.persistentSession(.didReloadSampleData(result: .success(animals: [.newt], categories: [.fish])))),
      type: "data.persistentSession.didReloadSampleData",
      data: """
        {"result":{"success":{"animals":[{"animalId":"Newt","name":"Newt","diet":"Carnivore",\
        "categoryId":"Amphibian"}],"categories":[{"categoryId":"Fish","name":"Fish"}]}}}
        """),
    ActionCase(
      .data(.persistentSession(.didReloadSampleData(result: .failure(error: "offline")))),
      type: "data.persistentSession.didReloadSampleData",
      data: #"{"result":{"failure":{"error":"offline"}}}"#),
  ]

  private static let operations = [
    ActionCase(
      .data(.persistentSession(.didAddAnimal(id: "t1", result: .success(animal: .sparrow)))),
      type: "data.persistentSession.didAddAnimal",
      data: """
        {"id":"t1","result":{"success":{"animal":{"animalId":"Sparrow","name":"House sparrow","diet":"Omnivore",\
        "categoryId":"Bird"}}}}
        """),
    ActionCase(
      .data(.persistentSession(.didAddAnimal(id: "t1", result: .failure(error: "offline")))),
      type: "data.persistentSession.didAddAnimal",
      data: #"{"id":"t1","result":{"failure":{"error":"offline"}}}"#),
    ActionCase(
      .data(.persistentSession(.didUpdateAnimal(animalId: "Cat", result: .success(animal: .cat)))),
      type: "data.persistentSession.didUpdateAnimal",
      data: """
        {"animalId":"Cat","result":{"success":{"animal":{"animalId":"Cat","name":"Cat","diet":"Carnivore",\
        "categoryId":"Mammal"}}}}
        """),
    ActionCase(
      .data(.persistentSession(.didUpdateAnimal(animalId: "Cat", result: .failure(error: "offline")))),
      type: "data.persistentSession.didUpdateAnimal",
      data: #"{"animalId":"Cat","result":{"failure":{"error":"offline"}}}"#),
    ActionCase(
      .data(.persistentSession(.didDeleteAnimal(animalId: "Cat", result: .success(animal: .cat)))),
      type: "data.persistentSession.didDeleteAnimal",
      data: """
        {"animalId":"Cat","result":{"success":{"animal":{"animalId":"Cat","name":"Cat","diet":"Carnivore",\
        "categoryId":"Mammal"}}}}
        """),
    ActionCase(
      .data(.persistentSession(.didDeleteAnimal(animalId: "Cat", result: .failure(error: "offline")))),
      type: "data.persistentSession.didDeleteAnimal",
      data: #"{"animalId":"Cat","result":{"failure":{"error":"offline"}}}"#),
  ]
}

/// All actions and outcomes of results, as a flat list.
enum ActionKind: CaseIterable {
  case categoryListAppeared, reloadTapped
  case animalListAppeared, deleteTappedInList
  case deleteTappedInDetail
  case addTapped, updateTapped
  case categoriesFetched, categoriesNotFetched
  case animalsFetched, animalsNotFetched
  case reloaded, notReloaded
  case added, notAdded
  case updated, notUpdated
  case deleted, notDeleted

  init(_ action: AnimalsAction) {
    self =
      switch action {
      case .ui(.categoryList(.onAppear)): .categoryListAppeared
      case .ui(.categoryList(.onTapReloadSampleDataButton)): .reloadTapped
      case .ui(.animalList(.onAppear)): .animalListAppeared
      case .ui(.animalList(.onTapDeleteSelectedAnimalButton)): .deleteTappedInList
      case .ui(.animalDetail(.onTapDeleteSelectedAnimalButton)): .deleteTappedInDetail
      case .ui(.animalEditor(.onTapAddAnimalButton)): .addTapped
      case .ui(.animalEditor(.onTapUpdateAnimalButton)): .updateTapped
      case .data(.persistentSession(.didFetchCategories(result: .success))): .categoriesFetched
      case .data(.persistentSession(.didFetchCategories(result: .failure))): .categoriesNotFetched
      case .data(.persistentSession(.didFetchAnimals(result: .success))): .animalsFetched
      case .data(.persistentSession(.didFetchAnimals(result: .failure))): .animalsNotFetched
      case .data(.persistentSession(.didReloadSampleData(result: .success))): .reloaded
      case .data(.persistentSession(.didReloadSampleData(result: .failure))): .notReloaded
      case .data(.persistentSession(.didAddAnimal(id: _, result: .success))): .added
      case .data(.persistentSession(.didAddAnimal(id: _, result: .failure))): .notAdded
      case .data(.persistentSession(.didUpdateAnimal(animalId: _, result: .success))): .updated
      case .data(.persistentSession(.didUpdateAnimal(animalId: _, result: .failure))): .notUpdated
      case .data(.persistentSession(.didDeleteAnimal(animalId: _, result: .success))): .deleted
      case .data(.persistentSession(.didDeleteAnimal(animalId: _, result: .failure))): .notDeleted
      }
  }
}
